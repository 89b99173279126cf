//! Documents as JSON text.

use std::sync::Arc;

use orrery_value::json::write_string;

use super::collection::write_value;
use crate::graph::GraphError;
use crate::value::GValue;

/// An object that is being written.
pub(super) struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> ObjectWriter<'o> {
    pub fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        ObjectWriter { out, is_empty: true }
    }

    /// Begins a member; its value is to be appended.
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        write_string(name, self.out);
        self.out.push(b':');
        self.out
    }

    pub fn text(&mut self, name: &str, text: &str) {
        write_string(text, self.name(name));
    }

    pub fn truth(&mut self, name: &str) {
        self.name(name).extend_from_slice(b"true");
    }

    /// Writes notes, if there are any.
    pub fn notes(&mut self, name: &str, notes: &[(Arc<str>, Vec<u8>)]) {
        if notes.is_empty() {
            return;
        }
        let mut members = ObjectWriter::begin(self.name(name));
        notes.iter().for_each(|(of, note)| members.name(of).extend_from_slice(note));
        members.end();
    }

    /// Writes a value, and keeps its note for [`ObjectWriter::notes`].
    pub fn value(
        &mut self,
        name: &Arc<str>,
        value: &GValue,
        notes: &mut Vec<(Arc<str>, Vec<u8>)>,
    ) -> Result<(), GraphError> {
        let note = write_value(value, self.name(name))?;
        notes.extend(note.map(|note| (name.clone(), note)));
        Ok(())
    }

    pub fn end(self) {
        self.out.push(b'}');
    }
}
