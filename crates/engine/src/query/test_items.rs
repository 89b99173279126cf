//! Items and plans for tests of single operators.

use orrery_value::{NewDocument, PropertyPath};

use super::{Direction, Expr, From, Plan, SortKey};
use crate::Item;

/// An item as it lies in the store; see `item/stored.rs` for what is in front of the document.
pub(super) fn item(body: &str, document_number: u64) -> Item {
    let mut bytes = vec![1];
    bytes.extend_from_slice(&document_number.to_be_bytes());
    bytes.extend_from_slice(&document_number.to_be_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(NewDocument::from_json(body.as_bytes()).unwrap().as_bytes());
    Item::from_stored(bytes.into()).unwrap()
}

/// `SELECT *`
pub(super) fn all() -> Plan {
    Plan {
        from: From::Items,
        filter: None,
        aggregates: Vec::new(),
        projection: Expr::Source(0),
        order: Vec::new(),
        offset: 0,
        limit: None,
    }
}

/// `SELECT * ... ORDER BY name`
pub(super) fn sorted_by(name: &str, direction: Direction) -> Plan {
    let expr = Expr::Path { base: Box::new(Expr::Source(0)), path: PropertyPath::from_iter([name]) };
    Plan { order: vec![SortKey { expr, direction }], ..all() }
}
