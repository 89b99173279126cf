//! Damaged stored documents: whatever the bytes, reading ends, in an error or with nothing.

use orrery_value::{Document, DocumentError, NewDocument, Node};
use proptest::prelude::*;

use crate::documents::SYSTEM;
use crate::strategies;

/// Reads a document in every way there is.
fn read_everything(bytes: &[u8]) {
    let Ok(document) = Document::new(bytes) else {
        return;
    };
    let _ = (document.rid(), document.etag(), document.ts());
    read_node(document.root(), 0);
}

fn read_node(node: Node<'_>, depth: usize) {
    let _ = (node.as_bool(), node.as_number(), node.as_str(), node.eq_str("x"), node.to_value(), node.text());
    for name in ["", "a", "b", "absent", "_ts"] {
        let _ = node.get(name);
    }
    for index in [0, 1, 8, 1000, usize::MAX] {
        let _ = node.at(index);
    }
    if depth < 3 {
        node.elements().take(12).for_each(|element| read_node(element, depth + 1));
        node.entries().take(12).for_each(|(_, member)| read_node(member, depth + 1));
    }
    let _ = node.element_count();
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_everything(&bytes);
        read_everything(&[&[1, 0][..], &bytes].concat());
    }

    #[test]
    fn documents_with_flipped_bytes_are_answered(
        object in strategies::item(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut document = NewDocument::from_value(&object.into()).unwrap();
        document.stamp(&SYSTEM).unwrap();
        let mut bytes = document.into_bytes();
        for (position, byte) in flips {
            let position = position.index(bytes.len());
            bytes[position] = byte;
        }
        read_everything(&bytes);
    }

    #[test]
    fn documents_with_a_damaged_index_are_answered(
        object in strategies::item(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let document = NewDocument::from_value(&object.into()).unwrap();
        let index_at = 10 + document.document().text().len();
        let mut bytes = document.into_bytes();
        for (position, byte) in flips {
            let position = index_at + position.index(bytes.len() - index_at);
            bytes[position] = byte;
        }
        read_everything(&bytes);
    }

    #[test]
    fn cut_documents_are_answered(object in strategies::item(), cut in any::<prop::sample::Index>()) {
        let bytes = NewDocument::from_value(&object.into()).unwrap().into_bytes();
        read_everything(&bytes[..cut.index(bytes.len())]);
    }
}

#[test]
fn other_formats_are_named() {
    assert_eq!(Document::new(&[9; 300]).unwrap_err(), DocumentError::UnknownVersion(9));
    assert!(matches!(Document::new(b"").unwrap_err(), DocumentError::Damaged(_)));
    assert!(matches!(Document::new(&[1, 0, 255, 255, 255, 255, 0, 0, 0, 0]).unwrap_err(), DocumentError::Damaged(_)));
    let many_tables = [&[1, 0, 0, 0, 0, 0, 255, 255, 255, 255][..], &[0; 300]].concat();
    assert!(matches!(Document::new(&many_tables).unwrap_err(), DocumentError::Damaged(_)));
}
