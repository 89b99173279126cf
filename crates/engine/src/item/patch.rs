//! Partial updates: a list of small changes to one item, addressed by JSON pointers (RFC 6901).

use orrery_value::{Document, Number, Object, Value};

use crate::Error;
use crate::query::Predicate;

/// Operations of one patch, as on the service.
pub const MAX_PATCH_OPERATIONS: usize = 10;
/// Properties that a patch must not touch: the service sets them.
const SYSTEM_PROPERTIES: [&str; 6] = ["_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"];

/// A checked partial update.
#[derive(Debug)]
pub struct Patch {
    operations: Vec<Change>,
    condition: Option<Predicate>,
}

#[derive(Debug)]
struct Change {
    kind: ChangeKind,
    path: Pointer,
}

#[derive(Debug)]
enum ChangeKind {
    Add(Value),
    Set(Value),
    Replace(Value),
    Remove,
    Increment(Number),
    Move { from: Pointer },
}

impl Patch {
    /// Reads the `operations` of a request's body.
    ///
    /// # Errors
    /// [`Error::Invalid`] naming the operation, counted from 0, and what is wrong with it.
    pub fn parse(operations: &Value) -> Result<Self, Error> {
        let list = operations.as_array().filter(|list| !list.is_empty());
        let list = list.ok_or_else(|| Error::invalid("a patch needs 'operations', a non-empty array"))?;
        if list.len() > MAX_PATCH_OPERATIONS {
            return Err(Error::invalid(format!(
                "a patch has at most {MAX_PATCH_OPERATIONS} operations, and this one has {}",
                list.len()
            )));
        }
        let parse = |(index, operation): (usize, &Value)| {
            Change::parse(operation).map_err(|what| Error::invalid(format!("patch operation {index}: {what}")))
        };
        let operations = list.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        Ok(Patch { operations, condition: None })
    }

    /// The same patch, done only to an item for which `condition` is true.
    pub fn only_if(self, condition: Predicate) -> Self {
        Patch { condition: Some(condition), ..self }
    }

    /// The item's new content, without system properties.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] if the condition is not true, [`Error::Invalid`] if an operation does not fit the item.
    pub(crate) fn apply(&self, current: Document<'_>) -> Result<Value, Error> {
        if let Some(condition) = &self.condition
            && !condition.holds(current)
        {
            return Err(Error::PreconditionFailed { reason: "the patch's condition is not true for this item".into() });
        }
        let damaged = || Error::Unavailable { reason: "an item in the store is damaged".into() };
        let mut value = current.root().to_value().ok_or_else(damaged)?;
        if let Value::Object(root) = &mut value {
            for name in SYSTEM_PROPERTIES {
                root.remove(name);
            }
        }
        for (change, index) in self.operations.iter().zip(0..) {
            change
                .apply(&mut value)
                .map_err(|what| Error::invalid(format!("patch operation {index} at {}: {what}", change.path)))?;
        }
        Ok(value)
    }
}

impl Change {
    fn parse(operation: &Value) -> Result<Self, String> {
        let text = |name: &str| operation.get(name).and_then(Value::as_str);
        let op = text("op").ok_or("'op' must be one of add, set, replace, remove, incr, move")?;
        let path = Pointer::parse(text("path").ok_or("'path' must be a JSON pointer such as \"/a/0\"")?)?;
        path.check_writable()?;
        let value = || operation.get("value").cloned().ok_or_else(|| format!("'{op}' needs a 'value'"));
        let kind = match op.to_ascii_lowercase().as_str() {
            "add" => ChangeKind::Add(value()?),
            "set" => ChangeKind::Set(value()?),
            "replace" => ChangeKind::Replace(value()?),
            "remove" => ChangeKind::Remove,
            "incr" | "increment" => {
                ChangeKind::Increment(value()?.as_number().ok_or("'incr' needs a number as its 'value'")?)
            }
            "move" => {
                let from = Pointer::parse(text("from").ok_or("'move' needs 'from', a JSON pointer")?)?;
                from.check_writable()?;
                if path.0.len() > from.0.len() && path.0.starts_with(&from.0) {
                    return Err(format!("cannot move {from} into itself"));
                }
                ChangeKind::Move { from }
            }
            other => {
                return Err(format!(
                    "'{}' is not one of add, set, replace, remove, incr, move",
                    other.chars().take(20).collect::<String>()
                ));
            }
        };
        Ok(Change { kind, path })
    }

    fn apply(&self, root: &mut Value) -> Result<(), String> {
        match &self.kind {
            ChangeKind::Add(value) => self.path.put(root, value.clone(), Occupied::Insert),
            ChangeKind::Set(value) => self.path.put(root, value.clone(), Occupied::Overwrite),
            ChangeKind::Replace(value) => {
                *self.path.find(root)? = value.clone();
                Ok(())
            }
            ChangeKind::Remove => self.path.take(root).map(|_| ()),
            ChangeKind::Increment(by) => match self.path.find(root) {
                Ok(Value::Number(number)) => {
                    *number = add(*number, *by).ok_or("the sum is not a finite number")?;
                    Ok(())
                }
                Ok(_) => Err("only a number can be incremented".into()),
                Err(_) => self.path.put(root, Value::Number(*by), Occupied::Overwrite),
            },
            ChangeKind::Move { from } => {
                let moved = from.take(root)?;
                self.path.put(root, moved, Occupied::Overwrite)
            }
        }
    }
}

/// Whole numbers stay whole as long as they fit.
fn add(a: Number, b: Number) -> Option<Number> {
    if let (Number::Int(a), Number::Int(b)) = (a, b)
        && let Some(sum) = a.checked_add(b)
    {
        return Some(Number::Int(sum));
    }
    let sum = a.as_f64() + b.as_f64();
    sum.is_finite().then_some(Number::Float(sum))
}

/// What happens to an array element that is there already.
#[derive(Clone, Copy)]
enum Occupied {
    /// It moves on by one.
    Insert,
    /// It is overwritten.
    Overwrite,
}

/// A JSON pointer, unescaped.
#[derive(Debug, PartialEq, Eq)]
struct Pointer(Vec<String>);

impl std::fmt::Display for Pointer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|token| write!(out, "/{}", token.replace('~', "~0").replace('/', "~1")))
    }
}

impl Pointer {
    fn parse(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix('/').filter(|rest| !rest.is_empty());
        let rest = rest.ok_or_else(|| format!("the path '{text}' must begin with '/' and name a property"))?;
        let unescape = |token: &str| token.replace("~1", "/").replace("~0", "~");
        Ok(Pointer(rest.split('/').map(unescape).collect()))
    }

    fn check_writable(&self) -> Result<(), String> {
        match self.0.first().map(String::as_str) {
            Some(name) if SYSTEM_PROPERTIES.contains(&name) => {
                Err(format!("the system property '{name}' cannot be patched"))
            }
            Some("id") if self.0.len() == 1 => Err("the item's 'id' cannot be patched".into()),
            _ => Ok(()),
        }
    }

    /// The value at this place.
    fn find<'v>(&self, root: &'v mut Value) -> Result<&'v mut Value, String> {
        let missing = || "there is nothing at this path".to_owned();
        self.0.iter().try_fold(root, |at, token| match at {
            Value::Object(object) => object.get_mut(token).ok_or_else(missing),
            Value::Array(array) => index(token, array.len()).and_then(|index| array.get_mut(index)).ok_or_else(missing),
            _ => Err(missing()),
        })
    }

    fn parent<'v, 'p>(&'p self, root: &'v mut Value) -> Result<(&'v mut Value, &'p str), String> {
        let (last, before) = self.0.split_last().ok_or("the path is empty")?;
        let parent = Pointer(before.to_vec()).find(root).map_err(|_| "its parent does not exist".to_owned())?;
        Ok((parent, last))
    }

    fn put(&self, root: &mut Value, value: Value, occupied: Occupied) -> Result<(), String> {
        match self.parent(root)? {
            (Value::Object(object), name) => {
                put_property(object, name, value);
                Ok(())
            }
            (Value::Array(array), "-") => {
                array.push(value);
                Ok(())
            }
            (Value::Array(array), token) => {
                let len = array.len();
                let at = index(token, len + 1)
                    .ok_or_else(|| format!("'{token}' is not an index from 0 to {len}, nor '-'"))?;
                match occupied {
                    Occupied::Overwrite if at < len => array[at] = value,
                    Occupied::Overwrite | Occupied::Insert => array.insert(at, value),
                }
                Ok(())
            }
            _ => Err("its parent is neither an object nor an array".into()),
        }
    }

    fn take(&self, root: &mut Value) -> Result<Value, String> {
        let missing = || "there is nothing at this path".to_owned();
        match self.parent(root)? {
            (Value::Object(object), name) => object.remove(name).ok_or_else(missing),
            (Value::Array(array), token) => {
                index(token, array.len()).map(|index| array.remove(index)).ok_or_else(missing)
            }
            _ => Err(missing()),
        }
    }
}

fn put_property(object: &mut Object, name: &str, value: Value) {
    match object.get_mut(name) {
        Some(old) => *old = value,
        None => object.push(name, value),
    }
}

/// An array index below `len`, without sign or leading zero.
fn index(token: &str, len: usize) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    plain.then(|| token.parse().ok()).flatten().filter(|index| *index < len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(document: &str, operations: &str) -> Result<String, String> {
        let mut value = Value::parse(document.as_bytes()).unwrap();
        let patch = Patch::parse(&Value::parse(operations.as_bytes()).unwrap()).map_err(|error| error.to_string())?;
        patch.operations.iter().try_for_each(|change| change.apply(&mut value))?;
        Ok(String::from_utf8(value.to_json()).unwrap())
    }

    #[test]
    fn each_operation_does_what_the_service_documents() {
        let cases = [
            (r#"{"a":[1,2]}"#, r#"[{"op":"add","path":"/a/1","value":9}]"#, r#"{"a":[1,9,2]}"#),
            (r#"{"a":[1,2]}"#, r#"[{"op":"set","path":"/a/1","value":9}]"#, r#"{"a":[1,9]}"#),
            (r#"{"a":[1]}"#, r#"[{"op":"add","path":"/a/-","value":{"b":1}}]"#, r#"{"a":[1,{"b":1}]}"#),
            (r#"{"a":1}"#, r#"[{"op":"add","path":"/b","value":null}]"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":1}"#, r#"[{"op":"replace","path":"/a","value":"x"}]"#, r#"{"a":"x"}"#),
            (r#"{"a":1,"b":2}"#, r#"[{"op":"remove","path":"/a"}]"#, r#"{"b":2}"#),
            (r#"{"a":1}"#, r#"[{"op":"incr","path":"/a","value":2.5}]"#, r#"{"a":3.5}"#),
            (r#"{"a":1}"#, r#"[{"op":"incr","path":"/n","value":-2}]"#, r#"{"a":1,"n":-2}"#),
            (r#"{"a":{"x":1}}"#, r#"[{"op":"move","from":"/a/x","path":"/y"}]"#, r#"{"a":{},"y":1}"#),
            (
                r#"{"a/b":1,"c~d":2}"#,
                r#"[{"op":"set","path":"/a~1b","value":3},{"op":"set","path":"/c~0d","value":4}]"#,
                r#"{"a/b":3,"c~d":4}"#,
            ),
        ];
        for (document, operations, expected) in cases {
            assert_eq!(patched(document, operations).as_deref(), Ok(expected), "{operations}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for operations in [
            r#"[{"op":"replace","path":"/missing","value":1}]"#,
            r#"[{"op":"remove","path":"/missing"}]"#,
            r#"[{"op":"incr","path":"/s","value":1}]"#,
            r#"[{"op":"incr","path":"/n","value":"1"}]"#,
            r#"[{"op":"add","path":"/a/7","value":1}]"#,
            r#"[{"op":"add","path":"/x/y","value":1}]"#,
            r#"[{"op":"set","path":"/_ts","value":1}]"#,
            r#"[{"op":"set","path":"/id","value":"x"}]"#,
            r#"[{"op":"set","path":"a","value":1}]"#,
            r#"[{"op":"move","from":"/a","path":"/a/0"}]"#,
            r#"[{"op":"test","path":"/a","value":1}]"#,
            r#"[]"#,
        ] {
            assert!(patched(r#"{"a":[1],"s":"x","n":1}"#, operations).is_err(), "{operations}");
        }
    }
}
