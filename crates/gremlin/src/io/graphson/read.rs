//! Values from JSON.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::json::{Item, Kind};
use super::super::{DecodeError, Named, bulk};
use super::{read_element, read_metrics, read_scalar, read_traversal};
use crate::value::{Constant, GValue, MAX_NESTING, Traverser, Tree};

/// A value whose type is named.
pub(super) struct Typed<'j> {
    /// With its prefix: `g:Int32`.
    pub name: Cow<'j, str>,
    /// `@value`.
    pub value: Option<Item<'j>>,
    /// Where the whole begins.
    pub at: usize,
}

impl<'j> Typed<'j> {
    /// The value with its type, if `item` names one.
    pub fn of(item: Item<'j>) -> Option<Self> {
        let name = item.member("@type")?.string()?;
        Some(Self { name, value: item.member("@value"), at: item.at() })
    }

    /// The value, which every type but a strategy needs.
    pub fn value(&self) -> Result<Item<'j>, DecodeError> {
        self.value.ok_or_else(|| DecodeError::Unexpected {
            at: self.at,
            expected: "@value beside @type",
            found: "none".into(),
        })
    }
}

/// The value of `item`, which stands within `depth` others.
///
/// Little stands on the stack of this function: it is the one that recurs.
pub(super) fn value(item: Item, depth: usize) -> Result<GValue, DecodeError> {
    match item.kind() {
        Kind::Null => Ok(GValue::Null),
        Kind::True => Ok(GValue::Bool(true)),
        Kind::False => Ok(GValue::Bool(false)),
        Kind::Number => read_scalar::bare_number(item),
        Kind::String => string(item).map(GValue::String),
        Kind::Array => Ok(GValue::List(Arc::new(items(item, deeper(item, depth)?)?))),
        Kind::Object => match Typed::of(item) {
            Some(typed) => read_typed(&typed, depth),
            None => object(item, deeper(item, depth)?),
        },
    }
}

/// The level within a collection at `item`.
pub(super) fn deeper(item: Item, depth: usize) -> Result<usize, DecodeError> {
    if depth == MAX_NESTING { Err(DecodeError::TooDeep { at: item.at() }) } else { Ok(depth + 1) }
}

/// An error about `item`.
pub(super) fn unexpected(item: Item, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { at: item.at(), expected, found: item.kind().name().into() }
}

/// An error about `item`, whose value is of the right kind but wrong.
pub(super) fn invalid(item: Item, expected: &'static str, found: &str) -> DecodeError {
    const MAX_CHARACTERS: usize = 64;
    DecodeError::Unexpected { at: item.at(), expected, found: found.chars().take(MAX_CHARACTERS).collect() }
}

/// The member of an object.
pub(super) fn member<'j>(item: Item<'j>, name: &str, expected: &'static str) -> Result<Item<'j>, DecodeError> {
    item.member(name).ok_or_else(|| DecodeError::Unexpected { at: item.at(), expected, found: "none".into() })
}

/// The text of a string.
pub(super) fn text<'j>(item: Item<'j>, expected: &'static str) -> Result<Cow<'j, str>, DecodeError> {
    item.string().ok_or_else(|| unexpected(item, expected))
}

/// The text of a string, shared.
pub(super) fn string(item: Item) -> Result<Arc<str>, DecodeError> {
    text(item, "a string").map(Arc::from)
}

/// The values of an array whose elements stand within `depth` others.
pub(super) fn items(item: Item, depth: usize) -> Result<Vec<GValue>, DecodeError> {
    if item.kind() != Kind::Array {
        return Err(unexpected(item, "an array"));
    }
    item.items().map(|element| value(element, depth)).collect()
}

/// The array that `item` is, or is the typed form of.
pub(super) fn array<'j>(item: Item<'j>, expected: &'static str) -> Result<Item<'j>, DecodeError> {
    let array = match Typed::of(item) {
        Some(typed) if matches!(&*typed.name, "g:List" | "g:Set") => typed.value()?,
        _ => item,
    };
    if array.kind() == Kind::Array { Ok(array) } else { Err(unexpected(array, expected)) }
}

/// Keys and values of an array.
fn pairs<'j>(item: Item<'j>) -> Result<impl Iterator<Item = (Item<'j>, Item<'j>)>, DecodeError> {
    if item.kind() != Kind::Array {
        return Err(unexpected(item, "an array"));
    }
    let is_even = item.items().count().is_multiple_of(2);
    if !is_even {
        return Err(unexpected(item, "as many values as keys"));
    }
    let mut items = item.items();
    Ok(std::iter::from_fn(move || items.next().zip(items.next())))
}

/// A map with strings as keys: an object, or its typed form.
pub(super) fn named(item: Item, depth: usize) -> Result<Named, DecodeError> {
    let depth = deeper(item, depth)?;
    match Typed::of(item) {
        Some(typed) if typed.name == "g:Map" => {
            pairs(typed.value()?)?.map(|(key, entry)| Ok((string(key)?, value(entry, depth)?))).collect()
        }
        _ if item.kind() == Kind::Object => {
            item.members().map(|(key, entry)| Ok((string(key)?, value(entry, depth)?))).collect()
        }
        _ => Err(unexpected(item, "a map with strings as keys")),
    }
}

fn object(item: Item, depth: usize) -> Result<GValue, DecodeError> {
    let entries = item.members().map(|(key, entry)| Ok((GValue::String(string(key)?), value(entry, depth)?)));
    Ok(GValue::Map(Arc::new(entries.collect::<Result<_, DecodeError>>()?)))
}

fn read_typed(typed: &Typed, depth: usize) -> Result<GValue, DecodeError> {
    let (prefix, name) = typed.name.split_once(':').unwrap_or(("", &typed.name));
    match (prefix, name) {
        ("g", "List" | "Set" | "Map" | "BulkSet" | "Tree" | "Traverser") => collection(typed, name, depth),
        ("g", "Vertex" | "Edge" | "VertexProperty" | "Property" | "Path") | ("tinker", "graph") => {
            let item = typed.value()?;
            read_element::typed(item, name, deeper(item, depth)?)
        }
        ("g", "Bytecode" | "P" | "TextP" | "Binding" | "Lambda") => {
            let item = typed.value()?;
            read_traversal::typed(item, name, deeper(item, depth)?)
        }
        ("g", "Metrics" | "TraversalMetrics") => {
            let item = typed.value()?;
            read_metrics::typed(item, name, deeper(item, depth)?)
        }
        ("g", name) if Constant::is_enumeration(name) => {
            let item = typed.value()?;
            let constant = text(item, "the name of a constant")?;
            let constant = Constant::parse(name, &constant)
                .ok_or_else(|| invalid(item, "the name of a constant", &format!("{name}.{constant}")))?;
            Ok(GValue::Constant(constant))
        }
        ("g", name) if name.ends_with("Strategy") => read_traversal::strategy(typed, name, depth),
        ("g" | "gx", name) => read_scalar::typed(typed, name),
        _ => Err(unknown(typed)),
    }
}

/// An error about a type that there is not.
pub(super) fn unknown(typed: &Typed) -> DecodeError {
    const MAX_CHARACTERS: usize = 64;
    DecodeError::UnknownType { at: typed.at, name: typed.name.chars().take(MAX_CHARACTERS).collect() }
}

fn collection(typed: &Typed, name: &str, depth: usize) -> Result<GValue, DecodeError> {
    let item = typed.value()?;
    let depth = deeper(item, depth)?;
    Ok(match name {
        "List" => GValue::List(Arc::new(items(item, depth)?)),
        "Set" => GValue::set(items(item, depth)?),
        // GraphSON 2 has no such type, but some of its clients send the object of their maps with it.
        "Map" if item.kind() == Kind::Object => object(item, depth)?,
        "Map" => {
            let entries = pairs(item)?.map(|(key, entry)| Ok((value(key, depth)?, value(entry, depth)?)));
            GValue::Map(Arc::new(entries.collect::<Result<_, DecodeError>>()?))
        }
        "BulkSet" => {
            let items = pairs(item)?.map(|(key, times)| Ok((value(key, depth)?, count(times)?)));
            bulk::set(items.collect::<Result<Vec<_>, DecodeError>>()?)
        }
        "Tree" => GValue::Tree(Arc::new(tree(item, depth)?)),
        _ => {
            let bulk = item.member("bulk").map_or(Ok(1), count)?;
            let value = value(member(item, "value", "the value of a traverser")?, depth)?;
            GValue::Traverser(Arc::new(Traverser { bulk, value }))
        }
    })
}

fn count(item: Item) -> Result<i64, DecodeError> {
    let bulk = read_scalar::integer(item)?;
    if bulk < 0 { Err(invalid(item, "a bulk", &bulk.to_string())) } else { Ok(bulk) }
}

fn tree(item: Item, depth: usize) -> Result<Tree, DecodeError> {
    let branches = array(item, "an array of branches")?.items().map(|branch| {
        let key = value(member(branch, "key", "the key of a branch")?, depth)?;
        let below = member(branch, "value", "what follows in a branch")?;
        let below = match Typed::of(below) {
            Some(typed) if typed.name == "g:Tree" => typed.value()?,
            _ => below,
        };
        Ok((key, tree(below, deeper(below, depth)?)?))
    });
    Ok(Tree { branches: branches.collect::<Result<_, DecodeError>>()? })
}
