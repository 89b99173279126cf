//! The syntax tree as SQL, as the service writes it: a clause per line, keywords in capitals, strings in double quotes, every
//! operation in parentheses.

mod clause;
mod expr;
mod number;

use std::fmt::{self, Display, Formatter, Write as _};

use orrery_value::{Number, Value};

use super::{Count, CountKind, Expr, Literal, Query};
use number::write_float;

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer::new(f).query(self)
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer::new(f).expr(self)
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Undefined => f.write_str("undefined"),
            Literal::Null => f.write_str("null"),
            Literal::Bool(bool) => write!(f, "{bool}"),
            Literal::Number(Number::Int(int)) => write!(f, "{int}"),
            Literal::Number(Number::Float(float)) => write_float(f, *float),
            Literal::String(string) => write!(f, "{}", Quoted(string)),
        }
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            CountKind::Number(number) => write!(f, "{}", Literal::Number(*number)),
            CountKind::Parameter(name) => write!(f, "@{name}"),
        }
    }
}

/// Where it writes, and what surrounds the place.
struct Printer<'f, 'g> {
    f: &'f mut Formatter<'g>,
    /// Subqueries around, each of which indents its lines.
    indent: usize,
    /// Levels that the parser will count here. With the depth of what is printed they stay within the limit of nesting.
    levels: usize,
}

impl<'f, 'g> Printer<'f, 'g> {
    fn new(f: &'f mut Formatter<'g>) -> Self {
        Printer { f, indent: 0, levels: 0 }
    }

    /// Writes what stands within brackets, which are `levels` to the parser.
    fn within(&mut self, levels: usize, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.levels += levels;
        let written = write(self);
        self.levels -= levels;
        written
    }

    /// Writes items with commas between them.
    fn separated<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T) -> fmt::Result) -> fmt::Result {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.f.write_str(", ")?;
            }
            write(self, item)?;
        }
        Ok(())
    }

    /// Writes items with commas between them, and brackets around.
    fn enclosed<T>(
        &mut self,
        open: char,
        items: &[T],
        close: char,
        write: impl Fn(&mut Self, &T) -> fmt::Result,
    ) -> fmt::Result {
        self.f.write_char(open)?;
        self.within(1, |printer| printer.separated(items, write))?;
        self.f.write_char(close)
    }
}

/// A string in double quotes.
struct Quoted<'t>(&'t str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&Value::from(self.0).to_json()))
    }
}
