//! What a filter says about an item's partition key and id, as a list of terms: an item that passes the filter agrees with one of
//! them at least.

use orrery_value::{KeyComponent, Number, PartitionKey, PartitionKeyDefinition, PropertyPath, Value};

use crate::query::{BinaryOperator, Expr};

/// Terms that are told apart. A filter with more is not used to narrow.
const MAX_TERMS: usize = 2_000;

/// What an item's key and id are, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::query) struct KeyTerm {
    /// For each path of the definition.
    components: Vec<Option<KeyComponent>>,
    pub id: Option<String>,
}

impl KeyTerm {
    /// Nothing is known.
    fn anything(paths: usize) -> Self {
        KeyTerm { components: vec![None; paths], id: None }
    }

    /// What a key or a prefix of it says.
    pub fn of_key(key: &PartitionKey, paths: usize) -> Self {
        let mut components: Vec<_> = key.components().iter().cloned().map(Some).collect();
        components.resize(paths, None);
        KeyTerm { components, id: None }
    }

    /// The components that are known, as far as they make a prefix.
    pub fn key(&self) -> PartitionKey {
        self.components.iter().map_while(Clone::clone).collect()
    }

    /// What is known if both hold; none if they contradict each other.
    pub fn both(&self, other: &KeyTerm) -> Option<KeyTerm> {
        let components = self.components.iter().zip(&other.components);
        Some(KeyTerm {
            components: components.map(|(a, b)| agree(a, b)).collect::<Option<_>>()?,
            id: agree(&self.id, &other.id)?,
        })
    }
}

fn agree<T: Clone + PartialEq>(a: &Option<T>, b: &Option<T>) -> Option<Option<T>> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => None,
        (a, b) => Some(a.clone().or_else(|| b.clone())),
    }
}

/// The terms of a filter.
pub(in crate::query) fn terms_of(filter: Option<&Expr>, definition: &PartitionKeyDefinition) -> Vec<KeyTerm> {
    let reader = Reader { definition, id: PropertyPath::from_iter(["id"]) };
    filter.map_or_else(|| reader.unknown(), |filter| reader.terms(filter))
}

struct Reader<'d> {
    definition: &'d PartitionKeyDefinition,
    id: PropertyPath,
}

impl Reader<'_> {
    fn unknown(&self) -> Vec<KeyTerm> {
        vec![KeyTerm::anything(self.definition.paths.len())]
    }

    /// Recurses once per level of AND and OR.
    fn terms(&self, condition: &Expr) -> Vec<KeyTerm> {
        match condition {
            Expr::Constant(value) if value.as_bool() != Some(true) => Vec::new(),
            Expr::And(operands) => operands.iter().fold(self.unknown(), |known, operand| {
                let terms = self.terms(operand);
                if known.len().saturating_mul(terms.len()) > MAX_TERMS {
                    return if terms.len() < known.len() { terms } else { known };
                }
                let both = known.iter().flat_map(|known| terms.iter().filter_map(|term| known.both(term)));
                without_repetition(both.collect())
            }),
            Expr::Or(operands) => {
                let mut terms = Vec::new();
                for operand in operands {
                    terms.extend(self.terms(operand));
                    if terms.len() > MAX_TERMS {
                        return self.unknown();
                    }
                }
                terms
            }
            Expr::Binary(BinaryOperator::Equal, a, b) => match (a.as_constant(), b.as_constant()) {
                (None, Some(value)) => self.equal(a, std::slice::from_ref(value)),
                (Some(value), None) => self.equal(b, std::slice::from_ref(value)),
                _ => self.unknown(),
            },
            Expr::In { needle, list } if list.others.is_empty() => self.equal(needle, &list.constants),
            _ => self.unknown(),
        }
    }

    /// The terms of a place that is equal to one of these values.
    fn equal(&self, place: &Expr, values: &[Value]) -> Vec<KeyTerm> {
        let Some(path) = place.as_item_path() else { return self.unknown() };
        let mut terms = Vec::new();
        if *path == self.id {
            // Every id is a string. An id may be the partition key as well.
            let ids = values.iter().filter_map(Value::as_str);
            terms.extend(ids.map(|id| KeyTerm { id: Some(id.to_owned()), ..self.unknown().remove(0) }));
        } else {
            terms = self.unknown();
        }
        let Some(at) = self.definition.paths.iter().position(|known| known == path) else {
            return bounded(terms, self);
        };
        let mut keyed = Vec::new();
        for value in values {
            let Some(components) = components(value) else { return bounded(terms, self) };
            for component in components {
                let mut term = KeyTerm::anything(self.definition.paths.len());
                term.components[at] = Some(component);
                if *path == self.id {
                    term.id = value.as_str().map(str::to_owned);
                }
                keyed.push(term);
            }
        }
        bounded(keyed, self)
    }
}

fn bounded(terms: Vec<KeyTerm>, reader: &Reader<'_>) -> Vec<KeyTerm> {
    if terms.len() > MAX_TERMS { reader.unknown() } else { terms }
}

fn without_repetition(mut terms: Vec<KeyTerm>) -> Vec<KeyTerm> {
    terms.dedup();
    terms
}

/// The key components that items with a value equal to this one may have; none if that is not known. Nothing is equal to undefined.
fn components(value: &Value) -> Option<Vec<KeyComponent>> {
    match value {
        Value::Undefined => Some(Vec::new()),
        // Zeros are equal, and their keys differ.
        Value::Number(number) if *number == Number::Int(0) => {
            Some(vec![KeyComponent::Number(0.0), KeyComponent::Number(-0.0)])
        }
        // Items are filed under arrays and objects as if they had no such property.
        Value::Array(_) | Value::Object(_) => Some(vec![KeyComponent::Undefined]),
        value => KeyComponent::from_value(value).map(|component| vec![component]),
    }
}

#[cfg(test)]
mod tests {
    use orrery_value::PartitionKeyKind;

    use super::*;
    use crate::query::InList;

    fn constant(json: &str) -> Expr {
        Expr::Constant(Value::parse(json.as_bytes()).unwrap())
    }

    fn is(name: &str, json: &str) -> Expr {
        Expr::Binary(BinaryOperator::Equal, Box::new(Expr::property(Expr::Source(0), name)), Box::new(constant(json)))
    }

    fn one_of(name: &str, json: &[&str]) -> Expr {
        let list = InList::new(json.iter().map(|json| constant(json)).collect());
        Expr::In { needle: Box::new(Expr::property(Expr::Source(0), name)), list }
    }

    fn check(filter: Expr, expected: &[&str]) {
        let definition = PartitionKeyDefinition {
            paths: vec![PropertyPath::parse("/t").unwrap(), PropertyPath::parse("/u").unwrap()],
            kind: PartitionKeyKind::MultiHash,
        };
        let mut found: Vec<String> = terms_of(Some(&filter), &definition)
            .iter()
            .map(|term| format!("{} {}", term.key().to_json(), term.id.as_deref().unwrap_or("*")))
            .collect();
        found.sort();
        assert_eq!(found, expected, "{filter:?}");
    }

    #[test]
    fn equalities_lists_and_alternatives_name_keys() {
        check(is("x", "1"), &["[] *"]);
        check(is("u", "1"), &["[] *"]);
        check(is("t", "1"), &["[1] *"]);
        check(Expr::And(vec![is("t", "\"a\""), one_of("u", &["1", "2"])]), &[r#"["a",1] *"#, r#"["a",2] *"#]);
        check(
            Expr::Or(vec![
                Expr::And(vec![is("t", "\"a\""), is("u", "1")]),
                Expr::And(vec![is("t", "\"b\""), is("u", "2"), is("id", "\"x\"")]),
            ]),
            &[r#"["a",1] *"#, r#"["b",2] x"#],
        );
        check(Expr::Or(vec![is("t", "\"a\""), is("x", "1")]), &[r#"["a"] *"#, "[] *"]);
    }

    #[test]
    fn contradictions_leave_nothing() {
        check(Expr::And(vec![is("t", "\"a\""), is("t", "\"b\"")]), &[]);
        check(Expr::And(vec![one_of("t", &["1", "2"]), is("t", "3")]), &[]);
        check(Expr::And(vec![is("x", "1"), constant("false")]), &[]);
        check(is("id", "5"), &[]);
        check(
            Expr::Binary(
                BinaryOperator::Equal,
                Box::new(Expr::property(Expr::Source(0), "t")),
                Box::new(Expr::Constant(Value::Undefined)),
            ),
            &[],
        );
    }

    #[test]
    fn zeros_and_containers_are_filed_under_other_keys() {
        check(is("t", "0"), &["[-0.0] *", "[0] *"]);
        check(is("t", "[1]"), &["[{}] *"]);
    }
}
