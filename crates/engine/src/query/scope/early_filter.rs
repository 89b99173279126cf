//! The part of a filter that can be applied before sources are added: a join then multiplies only the items that count.

use crate::query::{Body, Expr, InList, LikePattern, Predicate};

/// The conditions of a body's filter that look at nothing but the input, if the body adds sources to it.
pub(in crate::query) fn early_filter(body: &Body) -> Option<Predicate> {
    let filter = body.filter.as_ref().filter(|_| !body.sources.is_empty())?;
    let mut conditions = Vec::new();
    collect(&filter.expr, &mut conditions);
    (!conditions.is_empty()).then(|| Predicate::new(Expr::And(conditions)))
}

fn collect(filter: &Expr, conditions: &mut Vec<Expr>) {
    match filter {
        Expr::And(operands) => operands.iter().for_each(|operand| collect(operand, conditions)),
        condition if sees_only_input(condition) => conditions.push(condition.clone()),
        _ => {}
    }
}

/// Whether an expression has no source but source 0. Subqueries may have any, and may fail.
fn sees_only_input(expr: &Expr) -> bool {
    let all = |operands: &[Expr]| operands.iter().all(sees_only_input);
    match expr {
        Expr::Constant(_) | Expr::Source(0) => true,
        Expr::Source(_) | Expr::GroupKey(_) | Expr::Aggregate(_) | Expr::Subquery(..) => false,
        Expr::Path { base, .. } | Expr::Unary(_, base) => sees_only_input(base),
        Expr::Array(operands) | Expr::And(operands) | Expr::Or(operands) | Expr::Call(_, operands) => all(operands),
        Expr::Object(members) => members.iter().all(|member| sees_only_input(&member.value)),
        Expr::Element { base: a, index: b } | Expr::Binary(_, a, b) | Expr::Coalesce(a, b) => {
            sees_only_input(a) && sees_only_input(b)
        }
        Expr::Conditional { condition: a, then: b, otherwise: c } | Expr::Between { value: a, low: b, high: c } => {
            sees_only_input(a) && sees_only_input(b) && sees_only_input(c)
        }
        Expr::In { needle, list: InList { others, .. } } => sees_only_input(needle) && all(others),
        Expr::Like { text, pattern: LikePattern::Fixed(_) } => sees_only_input(text),
        Expr::Like { text, pattern: LikePattern::Computed { pattern, .. } } => {
            sees_only_input(text) && sees_only_input(pattern)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{BinaryOperator, SourceStep};

    #[test]
    fn conditions_on_the_item_alone_come_before_the_join() {
        let is = |source: usize| {
            let value = Expr::property(Expr::Source(source), "x");
            Expr::Binary(BinaryOperator::Equal, Box::new(value), Box::new(Expr::Constant(1.into())))
        };
        let sources = vec![SourceStep::Each(Expr::property(Expr::Source(0), "tags"))];
        let filter = |expr| Some(Predicate::new(expr));
        let body = Body { sources, filter: filter(Expr::And(vec![is(0), is(1)])), ..Body::of(Expr::Source(1)) };
        let Some(Predicate { expr: Expr::And(early) }) = early_filter(&body) else { panic!("there is a condition") };
        assert_eq!(format!("{early:?}"), format!("{:?}", [is(0)]));
        assert!(early_filter(&Body { filter: filter(Expr::Or(vec![is(0), is(1)])), ..body.clone() }).is_none());
        assert!(early_filter(&Body { sources: Vec::new(), ..body }).is_none());
    }
}
