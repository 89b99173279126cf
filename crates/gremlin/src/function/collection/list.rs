//! Functions of lists: `combine()`, `difference()`, `disjunct()`, `intersect()`, `merge()`, `product()`, `conjoin()`.

use std::sync::Arc;

use super::super::{class_name, refuse};
use super::{MAX_LIST_ITEMS, items, too_many};
use crate::io::text;
use crate::run::RunError;
use crate::step::ListFunction;
use crate::value::{GMap, GSet, GValue};

/// Where the other list comes from, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListArgument {
    /// It is written in the traversal.
    Value,
    /// A traversal gave it.
    Traversal,
}

/// What a function makes of the incoming list and another.
///
/// # Errors
/// What is no list, and a result that is too large.
pub fn list_function(
    function: ListFunction,
    incoming: &GValue,
    argument: &GValue,
    from: ListArgument,
) -> Result<GValue, RunError> {
    let name = name(function);
    if let (ListFunction::Merge, GValue::Map(map)) = (function, incoming) {
        return merge_maps(map, argument);
    }
    let one = incoming_items(incoming, name)?;
    if matches!((function, from, argument), (ListFunction::Merge, ListArgument::Value, GValue::Map(_))) {
        return Err(refuse("merge step type mismatch: expected argument to be Iterable but got Map"));
    }
    let two = argument_items(argument, from, name)?;
    let set = |items: &[GValue]| items.iter().cloned().collect::<GSet>();
    Ok(match function {
        ListFunction::Combine => GValue::list(one.into_iter().chain(two)),
        ListFunction::Difference => {
            let two = set(&two);
            GValue::set(one.into_iter().filter(|item| !two.contains(item)))
        }
        ListFunction::Disjunct => {
            let (one, two) = (set(&one), set(&two));
            GValue::set(one.symmetric_difference(&two).cloned())
        }
        ListFunction::Intersect => {
            let two = set(&two);
            GValue::set(one.into_iter().filter(|item| two.contains(item)))
        }
        ListFunction::Merge => GValue::set(one.into_iter().chain(two)),
        ListFunction::Product => product(&one, &two)?,
    })
}

/// `conjoin()`: the items as text with a separator between them; nulls are left out.
///
/// # Errors
/// What is no list.
pub fn conjoin(incoming: &GValue, separator: &str) -> Result<GValue, RunError> {
    let items = incoming_items(incoming, "conjoin")?;
    let texts: Vec<String> = items.iter().filter(|item| !matches!(item, GValue::Null)).map(text::of).collect();
    Ok(GValue::string(texts.join(separator)))
}

fn name(function: ListFunction) -> &'static str {
    match function {
        ListFunction::Combine => "combine",
        ListFunction::Difference => "difference",
        ListFunction::Disjunct => "disjunct",
        ListFunction::Intersect => "intersect",
        ListFunction::Merge => "merge",
        ListFunction::Product => "product",
    }
}

/// The first map with the entries of the second.
fn merge_maps(one: &GMap, two: &GValue) -> Result<GValue, RunError> {
    let GValue::Map(two) = two else {
        let class = class_name::simple(two);
        return Err(refuse(format!("merge step expected provided argument to evaluate to a Map, encountered {class}")));
    };
    let mut merged = one.clone();
    merged.extend(two.iter().map(|(key, value)| (key.clone(), value.clone())));
    Ok(GValue::Map(Arc::new(merged)))
}

fn product(one: &[GValue], two: &[GValue]) -> Result<GValue, RunError> {
    if one.len().checked_mul(two.len()).is_none_or(|count| count > MAX_LIST_ITEMS) {
        return Err(too_many());
    }
    let pairs = one.iter().flat_map(|left| two.iter().map(|right| GValue::list([left.clone(), right.clone()])));
    Ok(GValue::list(pairs))
}

fn incoming_items(value: &GValue, name: &str) -> Result<Vec<GValue>, RunError> {
    if let GValue::Null = value {
        return Err(refuse(format!("Incoming traverser for {name} step can't be null.")));
    }
    items(value)?.ok_or_else(|| {
        let class = class_name::simple(value);
        let wanted = "can only take an array or an Iterable type for incoming traversers";
        refuse(format!("{name} step {wanted}, encountered {class}"))
    })
}

fn argument_items(value: &GValue, from: ListArgument, name: &str) -> Result<Vec<GValue>, RunError> {
    let class = class_name::simple(value);
    match (items(value)?, from) {
        (Some(items), _) => Ok(items),
        (None, ListArgument::Value) if matches!(value, GValue::Null) => {
            Err(refuse(format!("Argument provided for {name} step can't be null.")))
        }
        (None, ListArgument::Value) => Err(refuse(format!(
            "{name} step can only take an array or an Iterable as an argument, encountered {class}"
        ))),
        (None, ListArgument::Traversal) => {
            let found =
                if matches!(value, GValue::Null) { "not null".to_owned() } else { format!("encountered {class}") };
            Err(refuse(format!("Provided traversal argument for {name} step must yield an iterable type, {found}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> GValue {
        GValue::list(texts.iter().map(|text| if text.is_empty() { GValue::Null } else { (*text).into() }))
    }

    fn set(texts: &[&str]) -> GValue {
        GValue::set(texts.iter().map(|text| if text.is_empty() { GValue::Null } else { (*text).into() }))
    }

    fn apply(function: ListFunction, one: GValue, two: GValue) -> Result<GValue, RunError> {
        list_function(function, &one, &two, ListArgument::Value)
    }

    #[test]
    fn lists_are_combined_as_sets_are() {
        let (one, two) = (list(&["a", "", "b"]), list(&["a", "c", "a"]));
        for (function, result) in [
            (ListFunction::Combine, list(&["a", "", "b", "a", "c", "a"])),
            (ListFunction::Difference, set(&["", "b"])),
            (ListFunction::Disjunct, set(&["", "b", "c"])),
            (ListFunction::Intersect, set(&["a"])),
            (ListFunction::Merge, set(&["a", "", "b", "c"])),
        ] {
            assert_eq!(apply(function, one.clone(), two.clone()), Ok(result));
        }
        let pairs = GValue::list([list(&["a", "x"]), list(&["b", "x"])]);
        assert_eq!(apply(ListFunction::Product, list(&["a", "b"]), list(&["x"])), Ok(pairs));
    }

    #[test]
    fn maps_merge_with_maps_only() {
        let map = |key: &str| GValue::map([(key.into(), 1.into())]);
        let both = GValue::map([("a".into(), 1.into()), ("b".into(), 1.into())]);
        assert_eq!(apply(ListFunction::Merge, map("a"), map("b")), Ok(both));
        assert!(apply(ListFunction::Merge, map("a"), list(&[])).is_err());
        assert!(apply(ListFunction::Merge, list(&[]), map("a")).is_err());
    }

    #[test]
    fn what_is_no_list_is_named() {
        let message = |one: GValue, two: GValue, from| {
            list_function(ListFunction::Combine, &one, &two, from).unwrap_err().to_string()
        };
        for (one, two, from, expected) in [
            (GValue::Null, list(&[]), ListArgument::Value, "Incoming traverser for combine step can't be null."),
            (list(&[]), GValue::Null, ListArgument::Value, "Argument provided for combine step can't be null."),
            (
                list(&[]),
                1.into(),
                ListArgument::Traversal,
                "Provided traversal argument for combine step must yield an iterable type, encountered Integer",
            ),
        ] {
            assert_eq!(message(one, two, from), expected);
        }
    }

    #[test]
    fn conjoined_items_are_texts_without_nulls() {
        assert_eq!(conjoin(&GValue::list([3.into(), GValue::Null, "three".into()]), ";"), Ok("3;three".into()));
        assert_eq!(conjoin(&list(&[]), ";"), Ok("".into()));
        assert!(conjoin(&"a".into(), ";").is_err());
    }
}
