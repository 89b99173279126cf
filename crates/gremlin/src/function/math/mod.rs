//! Expressions of `math()`: arithmetic of doubles with variables.

mod parse;

use std::sync::Arc;

use super::refuse;
use crate::run::RunError;

/// Deepest nesting of parentheses, signs and powers.
pub const MAX_DEPTH: usize = 100;

/// Longest expression in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 64 * 1024;

/// A parsed expression.
#[derive(Clone, Debug)]
pub struct Expression {
    root: Node,
    variables: Vec<Arc<str>>,
}

#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    /// By its place among the variables.
    Variable(usize),
    Negative(Box<Node>),
    /// Left to right.
    Chain(Box<Node>, Vec<(Operator, Node)>),
    Call(Function, Box<Node>),
    Power(Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A function of one number, by the name that expressions have for it.
type Function = fn(f64) -> f64;

const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", f64::abs),
    ("acos", f64::acos),
    ("asin", f64::asin),
    ("atan", f64::atan),
    ("cbrt", f64::cbrt),
    ("ceil", f64::ceil),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("exp", f64::exp),
    ("floor", f64::floor),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("log2", f64::log2),
    ("signum", |number| if number == 0.0 || number.is_nan() { number } else { number.signum() }),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
];

impl Expression {
    /// Reads an expression: numbers, `_` and names, `+ - * / % ^`, parentheses and functions of one argument. Without parentheses around it
    /// the argument is all that follows.
    ///
    /// # Errors
    /// What is no expression, or nests too deep.
    pub fn parse(text: &str) -> Result<Self, RunError> {
        parse::expression(text)
    }

    /// The variables, each once, in the order they appear.
    pub fn variables(&self) -> &[Arc<str>] {
        &self.variables
    }

    /// The value, with those of the variables in their order. A missing one is NaN.
    ///
    /// # Errors
    /// Division by zero.
    pub fn evaluate(&self, variables: &[f64]) -> Result<f64, RunError> {
        self.root.evaluate(variables)
    }
}

impl Node {
    fn evaluate(&self, variables: &[f64]) -> Result<f64, RunError> {
        Ok(match self {
            Node::Number(number) => *number,
            Node::Variable(place) => variables.get(*place).copied().unwrap_or(f64::NAN),
            Node::Negative(inner) => -inner.evaluate(variables)?,
            Node::Call(function, argument) => function(argument.evaluate(variables)?),
            Node::Power(base, exponent) => base.evaluate(variables)?.powf(exponent.evaluate(variables)?),
            Node::Chain(first, rest) => {
                rest.iter().try_fold(first.evaluate(variables)?, |left, (operator, right)| {
                    let right = right.evaluate(variables)?;
                    Ok(match operator {
                        Operator::Add => left + right,
                        Operator::Subtract => left - right,
                        Operator::Multiply => left * right,
                        Operator::Divide | Operator::Remainder if right == 0.0 => {
                            return Err(refuse("Division by zero!"));
                        }
                        Operator::Divide => left / right,
                        Operator::Remainder => left % right,
                    })
                })?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let expression = Expression::parse(text).unwrap();
        let values: Vec<f64> = (0..expression.variables().len()).map(|place| place as f64 + 2.0).collect();
        expression.evaluate(&values).unwrap()
    }

    #[test]
    fn operators_bind_as_in_algebra() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("10 - 4 - 3", 3.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ -1", 0.5),
            ("7 % 4 * 2", 6.0),
            ("0-_", -2.0),
            ("ceil _", 2.0),
            ("ceil(_ / 4) + 1", 2.0),
            ("2 * sqrt 15 + 1", 8.0),
            ("sqrt(16) + 1", 5.0),
            ("1.5e1", 15.0),
            (".5 * 2", 1.0),
            ("3 - -2", 5.0),
            ("- (2 + 3)", -5.0),
            ("signum(-3)", -1.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn variables_are_counted_once_in_their_order() {
        let expression = Expression::parse("b + _ * b / a_1").unwrap();
        let names: Vec<&str> = expression.variables().iter().map(|name| &**name).collect();
        assert_eq!(names, ["b", "_", "a_1"]);
        assert_eq!(expression.evaluate(&[8.0, 3.0, 4.0]), Ok(14.0));
        assert!(expression.evaluate(&[8.0, 3.0, 0.0]).is_err());
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "1 +", "(1", "1)", "1 2", "a b", "sin", "1 ** 2", "é", "foo(1)", "pow(1, 2)", "1 = 1"] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded_and_length_is_not_depth() {
        for text in ["(", "-", "sin ", "2^"] {
            let deep = format!("{}1", text.repeat(10_000));
            assert!(Expression::parse(&deep).is_err(), "{text}");
        }
        assert_eq!(value(&format!("0{}", "+1".repeat(10_000))), 10_000.0);
        assert!(Expression::parse(&"1+".repeat(MAX_EXPRESSION_BYTES)).is_err());
    }
}
