//! The syntax tree as SQL.

use std::fmt::{self, Display, Formatter, Write as _};

use orrery_value::{Number, Value};

use super::{
    Accessor, BinaryOperator, Column, Comparison, Count, CountKind, Direction, Expr, ExprKind, Literal, OrderItem,
    Query, Select, SelectList, UnaryOperator,
};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.select)?;
        if let Some(source) = &self.from {
            write!(f, " FROM {}", source.collection.text)?;
            if let Some(alias) = &source.alias {
                write!(f, " AS {}", alias.text)?;
            }
        }
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        if !self.order_by.is_empty() {
            f.write_str(" ORDER BY ")?;
            separated(f, &self.order_by)?;
        }
        if let Some(range) = &self.offset_limit {
            write!(f, " OFFSET {} LIMIT {}", range.offset, range.limit)?;
        }
        Ok(())
    }
}

impl Display for Select {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("SELECT ")?;
        if let Some(top) = &self.top {
            write!(f, "TOP {top} ")?;
        }
        match &self.list {
            SelectList::Star(_) => f.write_str("*"),
            SelectList::Value(expr) => write!(f, "VALUE {expr}"),
            SelectList::Columns(columns) => separated(f, columns),
        }
    }
}

impl Display for Column {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)?;
        match &self.alias {
            Some(alias) => write!(f, " AS {}", alias.text),
            None => Ok(()),
        }
    }
}

impl Display for OrderItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            Direction::Ascending => "ASC",
            Direction::Descending => "DESC",
        };
        write!(f, "{} {direction}", self.expr)
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            CountKind::Number(number) => write!(f, "{number}"),
            CountKind::Parameter(name) => write!(f, "@{name}"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Literal(literal) => write!(f, "{literal}"),
            ExprKind::Parameter(name) => write!(f, "@{name}"),
            ExprKind::Identifier(name) => f.write_str(name),
            ExprKind::Access { base, steps } => {
                write!(f, "{base}")?;
                steps.iter().try_for_each(|step| write!(f, "{step}"))
            }
            ExprKind::Array(elements) => enclosed(f, '[', elements, ']'),
            ExprKind::Object(members) => {
                f.write_char('{')?;
                for (i, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{}: {value}", if i > 0 { ", " } else { "" }, Quoted(&name.text))?;
                }
                f.write_char('}')
            }
            ExprKind::Unary(operator, operand) => write!(f, "({}{operand})", unary_sign(*operator)),
            ExprKind::Binary(operator, a, b) => write!(f, "({a} {} {b})", binary_sign(*operator)),
            ExprKind::And(operands) => joined(f, operands, " AND "),
            ExprKind::Or(operands) => joined(f, operands, " OR "),
            ExprKind::Conditional(parts) => write!(f, "({} ? {} : {})", parts[0], parts[1], parts[2]),
            ExprKind::Coalesce(a, b) => write!(f, "({a} ?? {b})"),
            ExprKind::Compare { operand, negated, comparison } => {
                write!(f, "({operand} {}{comparison})", if *negated { "NOT " } else { "" })
            }
            ExprKind::Call { name, arguments } => {
                f.write_str(&name.text)?;
                enclosed(f, '(', arguments, ')')
            }
        }
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Comparison::In(items) => {
                f.write_str("IN ")?;
                enclosed(f, '(', items, ')')
            }
            Comparison::Between(low, high) => write!(f, "BETWEEN {low} AND {high}"),
            Comparison::Like(pattern, None) => write!(f, "LIKE {pattern}"),
            Comparison::Like(pattern, Some(escape)) => {
                write!(f, "LIKE {pattern} ESCAPE {}", Quoted(&escape.to_string()))
            }
        }
    }
}

impl Display for Accessor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Accessor::Member(name) => write!(f, ".{}", name.text),
            Accessor::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Undefined => f.write_str("undefined"),
            Literal::Null => f.write_str("null"),
            Literal::Bool(bool) => write!(f, "{bool}"),
            Literal::Number(Number::Float(float)) if float.is_nan() => f.write_str("NaN"),
            Literal::Number(Number::Float(float)) if float.is_infinite() => f.write_str("Infinity"),
            // Rust's spelling keeps a double apart from an integer, and is exact.
            Literal::Number(Number::Float(float)) => write!(f, "{float:?}"),
            Literal::Number(number) => write!(f, "{number}"),
            Literal::String(string) => write!(f, "{}", Quoted(string)),
        }
    }
}

/// A string in double quotes.
struct Quoted<'t>(&'t str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&Value::from(self.0).to_json()))
    }
}

fn separated<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
    }
    Ok(())
}

fn enclosed(f: &mut Formatter<'_>, open: char, items: &[Expr], close: char) -> fmt::Result {
    f.write_char(open)?;
    separated(f, items)?;
    f.write_char(close)
}

fn joined(f: &mut Formatter<'_>, operands: &[Expr], between: &str) -> fmt::Result {
    f.write_char('(')?;
    for (i, operand) in operands.iter().enumerate() {
        write!(f, "{}{operand}", if i > 0 { between } else { "" })?;
    }
    f.write_char(')')
}

fn unary_sign(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::Not => "NOT ",
        UnaryOperator::Negate => "-",
        UnaryOperator::Plus => "+",
        UnaryOperator::BitNot => "~",
    }
}

fn binary_sign(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::ShiftRightZero => ">>>",
        BinaryOperator::Less => "<",
        BinaryOperator::LessOrEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterOrEqual => ">=",
        BinaryOperator::Equal => "=",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::BitAnd => "&",
        BinaryOperator::BitXor => "^",
        BinaryOperator::BitOr => "|",
        BinaryOperator::Concat => "||",
    }
}
