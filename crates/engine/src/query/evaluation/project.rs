//! Turning rows into JSON. What is stored is handed on in its own spelling; nothing is parsed to be written again.

use bytes::Bytes;

use super::row::Row;
use crate::item::ItemView;
use crate::query::{Expr, Member};

/// The number of no source: projected, it stands for the item as the store has it, header and all, which
/// [`Engine::query_items`](crate::Engine::query_items) gives out.
pub(in crate::query) const STORED_ITEM: usize = usize::MAX;

impl Expr {
    /// Whether a row has an output at all.
    pub(in crate::query) fn yields(&self, row: &Row<'_>) -> bool {
        match self {
            Expr::Array(_) | Expr::Object(_) | Expr::Source(STORED_ITEM) => true,
            other => other.evaluate(row).has_json(),
        }
    }

    /// A row's output; none if it is undefined. A whole item is handed on as it lies in the store.
    pub(in crate::query) fn project(&self, row: &Row<'_>, item: Option<&ItemView<'_>>) -> Option<Bytes> {
        match (self, item) {
            (Expr::Source(0), Some(item)) => return Some(item.text()),
            (Expr::Source(STORED_ITEM), Some(item)) => return Some(item.stored()),
            _ => {}
        }
        let mut out = Vec::new();
        self.write(row, &mut out).then(|| Bytes::from(out))
    }

    /// Writes the expression's value; false if there is none, and then nothing is written. The objects and arrays that a
    /// projection builds are written part by part instead of being built.
    fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) -> bool {
        match self {
            Expr::Array(elements) => {
                out.push(b'[');
                write_parts(elements, row, out, |_| &[], |element| element);
                out.push(b']');
                true
            }
            Expr::Object(members) => {
                out.push(b'{');
                write_parts(members, row, out, |member| &member.label, |member: &Member| &member.value);
                out.push(b'}');
                true
            }
            other => {
                let before = out.len();
                other.evaluate(row).write_json(out) && row.effort().spend(out.len() - before)
            }
        }
    }
}

/// Writes those parts that have a value, with commas between them.
fn write_parts<T>(
    parts: &[T],
    row: &Row<'_>,
    out: &mut Vec<u8>,
    label: impl Fn(&T) -> &[u8],
    value: impl Fn(&T) -> &Expr,
) {
    let mut first = true;
    for part in parts {
        let before = out.len();
        if !first {
            out.push(b',');
        }
        out.extend_from_slice(label(part));
        if value(part).write(row, out) {
            first = false;
        } else {
            out.truncate(before);
        }
    }
}
