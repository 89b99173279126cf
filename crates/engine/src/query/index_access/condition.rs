//! From filters to conditions of the index.

use std::ops::Bound;

use orrery_value::Value;

use super::super::{BinaryOperator, Body, Expr, Function, LikePattern, SourceStep, SubqueryKind};
use super::place::{Place, Sources};
use super::seek::{Condition, Seek, SeekKind};
use crate::index::{Step, ValueRange, ValueType};

/// What is known of the items that have a row which passes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    /// What they agree with; none if they may be any items.
    pub condition: Option<Condition>,
    /// Items that agree do pass.
    pub is_exact: bool,
}

/// Reads conditions of rows with some sources.
pub(super) struct Reader {
    pub sources: Sources,
}

impl Known {
    /// Any item may pass, and any may fail.
    const UNKNOWN: Known = Known { condition: None, is_exact: false };
    /// Every item passes.
    pub const ALWAYS: Known = Known { condition: None, is_exact: true };
    /// No item passes.
    const NEVER: Known = Known { condition: Some(Condition::NOTHING), is_exact: true };

    fn of(seek: Seek) -> Known {
        Known { is_exact: seek.is_exact(), condition: Some(Condition::Seek(seek)) }
    }

    /// All of these hold.
    pub fn all(parts: impl IntoIterator<Item = Known>) -> Known {
        let mut is_exact = true;
        let conditions: Vec<Condition> = parts
            .into_iter()
            .filter_map(|part| {
                is_exact &= part.is_exact;
                part.condition
            })
            .collect();
        let condition = (!conditions.is_empty()).then(|| Condition::all(conditions));
        Known { condition, is_exact }
    }

    /// One of these holds at least.
    fn any(parts: impl IntoIterator<Item = Known>) -> Known {
        let mut is_exact = true;
        let mut conditions = Vec::new();
        for part in parts {
            match part.condition {
                Some(condition) => conditions.push(condition),
                None => return part,
            }
            is_exact &= part.is_exact;
        }
        Known { condition: Some(Condition::any(conditions)), is_exact }
    }

    fn roughly(self) -> Known {
        Known { is_exact: false, ..self }
    }
}

impl Reader {
    /// What a row's condition says. Recurses once per level of the expression.
    pub fn read(&mut self, condition: &Expr) -> Known {
        match condition {
            Expr::Constant(Value::Bool(true)) => Known::ALWAYS,
            Expr::Constant(_) => Known::NEVER,
            Expr::And(operands) => Known::all(operands.iter().map(|operand| self.read(operand)).collect::<Vec<_>>()),
            Expr::Or(operands) => Known::any(operands.iter().map(|operand| self.read(operand)).collect::<Vec<_>>()),
            // It is true where the first operand is, and nowhere else.
            Expr::Coalesce(first, other) if matches!(other.as_constant(), Some(Value::Bool(false))) => self.read(first),
            Expr::Binary(operator, a, b) => self.compared(*operator, a, b),
            Expr::Between { value, low, high } => match (low.as_constant(), high.as_constant()) {
                (Some(low), Some(high)) => self.within(value, Bound::Included(low), Bound::Included(high)),
                _ => Known::UNKNOWN,
            },
            Expr::In { needle, list } if list.others.is_empty() => {
                let ranges = list.constants.iter().map(ValueRange::equal).collect();
                self.seek(needle, ranges, SeekKind::OneOf)
            }
            Expr::Like { text, pattern: LikePattern::Fixed(like) } => match like.prefix() {
                (text_of_all, true) => self.equal(text, &Value::String(text_of_all)),
                (prefix, false) => {
                    let known = self.seek(text, vec![ValueRange::prefix(&prefix)], SeekKind::Prefix);
                    if like.is_prefix() { known } else { known.roughly() }
                }
            },
            Expr::Source(_) | Expr::Path { .. } | Expr::Element { .. } => self.equal(condition, &Value::Bool(true)),
            Expr::Call(function, arguments) => self.called(function, arguments),
            Expr::Subquery(SubqueryKind::Exists, body) => self.exists(body),
            Expr::GroupKey(_)
            | Expr::Aggregate(_)
            | Expr::Array(_)
            | Expr::Object(_)
            | Expr::Unary(..)
            | Expr::Conditional { .. }
            | Expr::Coalesce(..)
            | Expr::In { .. }
            | Expr::Like { .. }
            | Expr::Subquery(..) => Known::UNKNOWN,
        }
    }

    /// What is known of items that have a row of the body. The body's sources are known afterwards.
    pub fn rows(&mut self, body: &Body) -> Known {
        let first = self.sources.count();
        let steps: Vec<Known> = body.sources.iter().map(|step| self.source(step)).collect();
        let filter = body.filter.as_ref().map_or(Known::ALWAYS, |filter| self.read(&filter.expr));
        let mut parts = Vec::with_capacity(steps.len() + 1);
        for (number, step) in (first..).zip(steps) {
            // A condition on the element says already that there is one.
            let is_implied = match (&step.condition, &filter.condition) {
                (Some(Condition::Seek(seek)), Some(filter)) if seek.source == Some(number) => {
                    seek.path().is_some_and(|path| filter.is_about(number, path))
                }
                _ => false,
            };
            if !is_implied {
                parts.push(step);
            }
        }
        parts.push(filter);
        Known::all(parts)
    }

    /// Adds a source; what is known of items that have it.
    fn source(&mut self, step: &SourceStep) -> Known {
        let number = self.sources.count();
        let place = match step {
            SourceStep::One(expr) => self.sources.place(expr),
            SourceStep::Each(expr) => self.sources.place(expr).map(Place::element),
            SourceStep::Rows(body) | SourceStep::EachOf(body) => {
                let known = self.exists(body);
                self.sources.push(None);
                return known.roughly();
            }
        };
        self.sources.push(place.as_ref().map(|place| place.path.clone()));
        match place {
            Some(Place { path, .. }) if !path.steps().is_empty() => {
                let place = Place { path, source: Some(number) };
                Known::of(Seek::new(place, vec![ValueRange::defined()], SeekKind::Type))
            }
            _ => Known::UNKNOWN,
        }
    }

    /// What is known of items for which the body has a row.
    fn exists(&mut self, body: &Body) -> Known {
        if body.grouping.is_some() {
            return Known::UNKNOWN;
        }
        let first = self.sources.count();
        let mut known = self.rows(body);
        self.sources.truncate(first);
        if let Some(condition) = &mut known.condition {
            // Several conditions may be met by several elements, none of which meets all.
            known.is_exact &= condition.is_of_one_value();
            condition.leave_sources(first);
        }
        known.is_exact &=
            matches!(body.projection, Expr::Constant(Value::Bool(_) | Value::Number(_)) | Expr::Source(_));
        known
    }

    fn compared(&self, operator: BinaryOperator, a: &Expr, b: &Expr) -> Known {
        let (expr, operator, value) = match (a.as_constant(), b.as_constant()) {
            (None, Some(value)) => (a, operator, value),
            (Some(value), None) => (b, turned(operator), value),
            _ => return Known::UNKNOWN,
        };
        match operator {
            BinaryOperator::Equal => self.equal(expr, value),
            BinaryOperator::Less => self.within(expr, Bound::Unbounded, Bound::Excluded(value)),
            BinaryOperator::LessOrEqual => self.within(expr, Bound::Unbounded, Bound::Included(value)),
            BinaryOperator::Greater => self.within(expr, Bound::Excluded(value), Bound::Unbounded),
            BinaryOperator::GreaterOrEqual => self.within(expr, Bound::Included(value), Bound::Unbounded),
            _ => Known::UNKNOWN,
        }
    }

    fn equal(&self, expr: &Expr, value: &Value) -> Known {
        self.seek(expr, vec![ValueRange::equal(value)], SeekKind::Equal)
    }

    /// Arrays and objects are neither less nor greater than anything.
    fn within(&self, expr: &Expr, low: Bound<&Value>, high: Bound<&Value>) -> Known {
        let is_ordered = |bound: Bound<&Value>| match bound {
            Bound::Included(value) | Bound::Excluded(value) => {
                !matches!(value, Value::Undefined | Value::Array(_) | Value::Object(_))
            }
            Bound::Unbounded => true,
        };
        if !is_ordered(low) || !is_ordered(high) {
            return Known::NEVER;
        }
        self.seek(expr, vec![ValueRange::between(low, high)], SeekKind::Range)
    }

    fn seek(&self, expr: &Expr, ranges: Vec<ValueRange>, kind: SeekKind) -> Known {
        let Some(place) = self.sources.place(expr) else { return Known::UNKNOWN };
        // Of the elements that the index tells apart no more than that they are there.
        let is_rough = place.source.is_none();
        let known = Known::of(Seek::new(place, ranges, kind));
        if is_rough { known.roughly() } else { known }
    }

    fn called(&self, function: &Function, arguments: &[Expr]) -> Known {
        let types = |types: &[ValueType]| types.iter().map(|one| ValueRange::of_type(*one)).collect::<Vec<_>>();
        let ranges = match function.name {
            "IS_DEFINED" => vec![ValueRange::defined()],
            "IS_NULL" => types(&[ValueType::Null]),
            "IS_BOOL" => vec![ValueRange::booleans()],
            "IS_NUMBER" | "IS_INTEGER" | "IS_FINITE_NUMBER" => types(&[ValueType::Number]),
            "IS_STRING" => types(&[ValueType::String]),
            "IS_ARRAY" => types(&[ValueType::Array]),
            "IS_OBJECT" => types(&[ValueType::Object]),
            "IS_PRIMITIVE" => {
                [types(&[ValueType::Null, ValueType::Number, ValueType::String]), vec![ValueRange::booleans()]].concat()
            }
            "STARTSWITH" | "STRINGEQUALS" => return self.matched(function, arguments),
            "ARRAY_CONTAINS" | "ARRAY_CONTAINS_ANY" | "ARRAY_CONTAINS_ALL" => {
                return self.contained(function, arguments);
            }
            _ => return Known::UNKNOWN,
        };
        let Some(argument) = arguments.first() else { return Known::UNKNOWN };
        let known = self.seek(argument, ranges, SeekKind::Type);
        if matches!(function.name, "IS_INTEGER" | "IS_FINITE_NUMBER") { known.roughly() } else { known }
    }

    /// STARTSWITH and STRINGEQUALS, as far as they tell case.
    fn matched(&self, function: &Function, arguments: &[Expr]) -> Known {
        let tells_case = matches!(arguments.get(2).map(Expr::as_constant), None | Some(Some(Value::Bool(false))));
        match (arguments, tells_case) {
            ([text, Expr::Constant(Value::String(part)), ..], true) if function.name == "STARTSWITH" => {
                self.seek(text, vec![ValueRange::prefix(part)], SeekKind::Prefix)
            }
            ([text, Expr::Constant(value @ Value::String(_)), ..], true) => self.equal(text, value),
            ([Expr::Constant(value @ Value::String(_)), text, ..], true) if function.name == "STRINGEQUALS" => {
                self.equal(text, value)
            }
            _ => Known::UNKNOWN,
        }
    }

    fn contained(&self, function: &Function, arguments: &[Expr]) -> Known {
        let Some((array, wanted)) = arguments.split_first() else { return Known::UNKNOWN };
        let Some(place) = self.sources.place(array) else { return Known::UNKNOWN };
        // Below a certain element nothing is exact.
        let is_exact = place.source.is_some();
        let place = place.element();
        let one = |value: &Expr| match value.as_constant() {
            Some(Value::Undefined) => Known::NEVER,
            Some(value) => Known::of(Seek::new(place.clone(), vec![ValueRange::equal(value)], SeekKind::Equal)),
            None => Known::UNKNOWN,
        };
        let known = match (function.name, wanted) {
            ("ARRAY_CONTAINS", [value]) => one(value),
            ("ARRAY_CONTAINS", [value, Expr::Constant(Value::Bool(false))]) => one(value),
            ("ARRAY_CONTAINS", [Expr::Constant(value), _]) => partly_contained(&place, value).roughly(),
            // What is not defined is no reason against what is found, and none against all that are.
            ("ARRAY_CONTAINS_ANY", values) => Known::any(values.iter().map(one)),
            ("ARRAY_CONTAINS_ALL", values) => Known::all(values.iter().map(one)),
            _ => Known::UNKNOWN,
        };
        if is_exact { known } else { known.roughly() }
    }
}

/// Items with an array element that has all that a value has: of an object, each of its primitive members.
fn partly_contained(place: &Place, value: &Value) -> Known {
    let Value::Object(object) = value else {
        return Known::of(Seek::new(place.clone(), vec![ValueRange::equal(value)], SeekKind::Equal));
    };
    let members = object.iter().map(|(name, value)| {
        let place = place.clone().then([Step::Name(name.into())]);
        Known::of(Seek::new(place, vec![ValueRange::equal(value)], SeekKind::Equal))
    });
    let is_object = Seek::new(place.clone(), vec![ValueRange::of_type(ValueType::Object)], SeekKind::Type);
    match Known::all(members) {
        Known { condition: None, .. } => Known::of(is_object),
        known => known,
    }
}

/// The operator with its operands exchanged.
fn turned(operator: BinaryOperator) -> BinaryOperator {
    match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::LessOrEqual => BinaryOperator::GreaterOrEqual,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::GreaterOrEqual => BinaryOperator::LessOrEqual,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::{InList, Like, Predicate, UnaryOperator, function};
    use super::*;

    fn path(text: &str) -> Expr {
        text.split('.').fold(Expr::Source(0), Expr::property)
    }

    fn constant(json: &str) -> Expr {
        Expr::Constant(Value::parse(json.as_bytes()).unwrap())
    }

    fn compared(place: Expr, operator: BinaryOperator, json: &str) -> Expr {
        Expr::Binary(operator, Box::new(place), Box::new(constant(json)))
    }

    fn is(name: &str, json: &str) -> Expr {
        compared(path(name), BinaryOperator::Equal, json)
    }

    fn call(name: &str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(function(name).unwrap(), arguments)
    }

    fn exists(array: &str, filter: Expr) -> Expr {
        let sources = vec![SourceStep::Each(path(array))];
        let body = Body { sources, filter: Some(Predicate::new(filter)), ..Body::of(Expr::Source(1)) };
        Expr::Subquery(SubqueryKind::Exists, Arc::new(body))
    }

    fn read(filter: &Expr) -> Known {
        Reader { sources: Sources::of_item() }.read(filter)
    }

    /// `/path kind*ranges`, joined by `&` and `|`.
    fn text(condition: &Condition) -> String {
        let join = |parts: &[Condition], sign: &str| {
            let mut texts: Vec<String> = parts.iter().map(text).collect();
            texts.sort();
            format!("({})", texts.join(sign))
        };
        match condition {
            Condition::Seek(seek) => {
                format!("{} {:?}*{}", seek.path().unwrap(), seek.kind, seek.ranges.len())
            }
            Condition::All(parts) => join(parts, " & "),
            Condition::Any(parts) => join(parts, " | "),
        }
    }

    #[track_caller]
    fn check(filter: Expr, expected: &str, is_exact: bool) {
        let known = read(&filter);
        let found = known.condition.as_ref().map_or("anything".to_owned(), text);
        assert_eq!((found.as_str(), known.is_exact), (expected, is_exact), "{filter:?}");
    }

    #[test]
    fn comparisons_with_constants_are_looked_up() {
        use BinaryOperator as Op;
        check(is("a.b", "1"), "/a/b Equal*1", true);
        check(is("a", "[1]"), "/a Equal*1", false);
        check(is("a", &format!("{:?}", "x".repeat(101))), "/a Equal*1", false);
        check(compared(path("a"), Op::Less, "1"), "/a Range*1", true);
        check(compared(path("a"), Op::Less, "[1]"), "()", true);
        check(compared(path("a"), Op::NotEqual, "1"), "anything", false);
        check(compared(path("a"), Op::Add, "1"), "anything", false);
        check(Expr::Binary(Op::Equal, Box::new(path("a")), Box::new(path("b"))), "anything", false);
        check(path("flag"), "/flag Equal*1", true);
        check(Expr::Unary(UnaryOperator::Not, Box::new(path("flag"))), "anything", false);
        let no = || Box::new(constant("false"));
        check(Expr::Coalesce(Box::new(is("a", "1")), no()), "/a Equal*1", true);
        check(Expr::Coalesce(Box::new(is("a", "1")), Box::new(constant("true"))), "anything", false);
        let list = InList::new(vec![constant("1"), constant("\"x\"")]);
        check(Expr::In { needle: Box::new(path("a")), list }, "/a OneOf*2", true);
        let list = InList::new(vec![constant("1"), path("b")]);
        check(Expr::In { needle: Box::new(path("a")), list }, "anything", false);
    }

    #[test]
    fn turned_comparisons_are_the_same() {
        use BinaryOperator as Op;
        for (operator, turned) in
            [(Op::Less, Op::Greater), (Op::GreaterOrEqual, Op::LessOrEqual), (Op::Equal, Op::Equal)]
        {
            let straight = compared(path("a"), operator, "5");
            let back = Expr::Binary(turned, Box::new(constant("5")), Box::new(path("a")));
            assert_eq!(read(&straight), read(&back));
        }
    }

    #[test]
    fn texts_are_looked_up_by_their_beginnings() {
        let like = |pattern: &str| {
            let pattern = LikePattern::Fixed(Like::new(pattern, None));
            Expr::Like { text: Box::new(path("a")), pattern }
        };
        check(like("abc%"), "/a Prefix*1", true);
        check(like("abc%x"), "/a Prefix*1", false);
        check(like("abc"), "/a Equal*1", true);
        check(like("%abc"), "/a Prefix*1", false);
        let text = || constant("\"abc\"");
        check(call("STARTSWITH", vec![path("a"), text()]), "/a Prefix*1", true);
        check(call("STARTSWITH", vec![path("a"), text(), constant("false")]), "/a Prefix*1", true);
        check(call("STARTSWITH", vec![path("a"), text(), constant("true")]), "anything", false);
        check(call("STRINGEQUALS", vec![text(), path("a")]), "/a Equal*1", true);
        check(call("STARTSWITH", vec![text(), path("a")]), "anything", false);
        check(call("CONTAINS", vec![path("a"), text()]), "anything", false);
    }

    #[test]
    fn conditions_on_one_value_are_joined() {
        use BinaryOperator as Op;
        let (low, high) = (compared(path("a"), Op::Greater, "1"), compared(path("a"), Op::Less, "5"));
        check(Expr::And(vec![low.clone(), high.clone()]), "/a Range*1", true);
        check(Expr::And(vec![is("a", "1"), is("a", "2")]), "/a Equal*0", true);
        check(Expr::And(vec![is("a", "3"), low.clone()]), "/a Equal*1", true);
        check(Expr::And(vec![is("a", "3"), is("b", "3"), path("x")]), "(/a Equal*1 & /b Equal*1 & /x Equal*1)", true);
        check(Expr::Or(vec![is("a", "1"), is("a", "2"), is("a", "1")]), "/a OneOf*2", true);
        check(Expr::Or(vec![is("a", "1"), is("b", "2")]), "(/a Equal*1 | /b Equal*1)", true);
        check(Expr::Or(vec![is("a", "1"), call("CONTAINS", vec![path("a"), path("b")])]), "anything", false);
        check(Expr::And(vec![is("a", "1"), call("CONTAINS", vec![path("a"), path("b")])]), "/a Equal*1", false);
    }

    #[test]
    fn elements_of_arrays_are_looked_up() {
        use BinaryOperator as Op;
        let element = |operator, json: &str| compared(Expr::Source(1), operator, json);
        let member = |name: &str, json: &str| compared(Expr::property(Expr::Source(1), name), Op::Equal, json);
        check(call("ARRAY_CONTAINS", vec![path("tags"), constant("1")]), "/tags/[] Equal*1", true);
        check(call("ARRAY_CONTAINS", vec![path("tags"), constant("{}")]), "/tags/[] Equal*1", false);
        let partly = vec![path("tags"), constant(r#"{"k":1,"m":2}"#), constant("true")];
        check(call("ARRAY_CONTAINS", partly), "(/tags/[]/k Equal*1 & /tags/[]/m Equal*1)", false);
        check(exists("tags", element(Op::Equal, "1")), "/tags/[] Equal*1", true);
        let between = Expr::And(vec![element(Op::Greater, "1"), element(Op::Less, "5")]);
        check(exists("tags", between), "/tags/[] Range*1", true);
        let both = Expr::And(vec![member("k", "1"), member("m", "2")]);
        check(exists("list", both), "(/list/[]/k Equal*1 & /list/[]/m Equal*1)", false);
        // What two elements are need not be what one is.
        let two = Expr::And(vec![exists("tags", element(Op::Equal, "1")), exists("tags", element(Op::Equal, "2"))]);
        check(two, "(/tags/[] Equal*1 & /tags/[] Equal*1)", true);
        let at = |index: &str| Expr::Element { base: Box::new(path("tags")), index: Box::new(constant(index)) };
        check(compared(at("0"), Op::Equal, "1"), "/tags/[] Equal*1", false);
        let first_two = vec![compared(at("0"), Op::Greater, "1"), compared(at("1"), Op::Less, "0")];
        check(Expr::And(first_two), "(/tags/[] Range*1 & /tags/[] Range*1)", false);
        check(compared(at("\"k\""), Op::Equal, "1"), "/tags/k Equal*1", true);
    }
}
