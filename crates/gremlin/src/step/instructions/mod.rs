//! Steps to instructions: the way back.

mod source;
mod step;
mod writer;

use super::{Query, Traversal};
use crate::value::Bytecode;
use writer::Writer;

impl Query {
    /// The instructions that make this query.
    pub fn to_bytecode(&self) -> Bytecode {
        Bytecode { source: source::source(&self.source), steps: self.traversal.to_bytecode().steps }
    }
}

impl Traversal {
    /// The instructions that make this traversal.
    pub fn to_bytecode(&self) -> Bytecode {
        let mut writer = Writer::default();
        self.steps.iter().for_each(|step| step::write(step, &mut writer));
        Bytecode { source: Vec::new(), steps: writer.instructions }
    }
}
