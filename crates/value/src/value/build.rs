//! Builds a [`Value`] from the scanner's tokens.

use super::{Object, Value};
use crate::json::JsonError;
use crate::json::scan::Visitor;
use crate::json::string::RawString;
use crate::names::{NameEntry, hash_name, sort_and_find_duplicate};
use crate::number::Number;

/// Objects up to this many members are checked for duplicate names by comparing each with each.
const FEW_MEMBERS: usize = 8;

pub(super) struct Builder<'t> {
    text: &'t str,
    open: Vec<Container>,
    root: Value,
}

enum Container {
    Array(Vec<Value>),
    /// Members so far, and the name whose value comes next.
    Object(Vec<(String, Value)>, String),
}

impl<'t> Builder<'t> {
    pub fn new(text: &'t str) -> Self {
        Builder { text, open: Vec::new(), root: Value::Undefined }
    }

    /// The value, once the scanner has reached the end of the text.
    pub fn finish(self) -> Value {
        self.root
    }

    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = value,
            Some(Container::Array(elements)) => elements.push(value),
            Some(Container::Object(members, name)) => members.push((std::mem::take(name), value)),
        }
    }
}

impl Visitor for Builder<'_> {
    fn space(&mut self, _from: usize, _to: usize) {}

    fn element(&mut self, _at: usize) {}

    fn name(&mut self, raw: RawString) -> Result<(), JsonError> {
        if let Some(Container::Object(_, name)) = self.open.last_mut() {
            *name = raw.decode(self.text).into_owned();
        }
        Ok(())
    }

    fn string(&mut self, raw: RawString) {
        self.add(Value::String(raw.decode(self.text).into_owned()));
    }

    fn number(&mut self, from: usize, to: usize) {
        self.add(Number::parse(&self.text[from..to]).map_or(Value::Undefined, Value::Number));
    }

    fn literal(&mut self, at: usize) {
        self.add(match self.text.as_bytes()[at] {
            b't' => Value::Bool(true),
            b'f' => Value::Bool(false),
            _ => Value::Null,
        });
    }

    fn open_object(&mut self, _at: usize) {
        self.open.push(Container::Object(Vec::new(), String::new()));
    }

    fn close_object(&mut self, at: usize) -> Result<(), JsonError> {
        if let Some(Container::Object(members, _)) = self.open.pop() {
            if let Some(name) = duplicate_name(&members) {
                return Err(JsonError::duplicate(at, name));
            }
            self.add(Value::Object(Object::from(members)));
        }
        Ok(())
    }

    fn open_array(&mut self, _at: usize) {
        self.open.push(Container::Array(Vec::new()));
    }

    fn close_array(&mut self, _at: usize) {
        if let Some(Container::Array(elements)) = self.open.pop() {
            self.add(Value::Array(elements));
        }
    }
}

fn duplicate_name(members: &[(String, Value)]) -> Option<&str> {
    if members.len() <= FEW_MEMBERS {
        let twice = |(i, member): &(usize, &(String, Value))| members[..*i].iter().any(|earlier| earlier.0 == member.0);
        return members.iter().enumerate().find(twice).map(|(_, member)| member.0.as_str());
    }
    let mut entries: Vec<_> =
        members.iter().zip(0u32..).map(|(member, i)| NameEntry::new(hash_name(member.0.as_bytes()), i)).collect();
    let twice = sort_and_find_duplicate(&mut entries, |i| members[i as usize].0.as_str().into())?;
    Some(&members[twice.offset() as usize].0)
}
