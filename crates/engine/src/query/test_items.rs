//! Items and plans for tests of single operators.

use std::sync::Arc;

use orrery_store::Visit;
use orrery_value::{PropertyPath, Value};

use super::{Body, Datum, Direction, Effort, Expr, From, Plan, SortKey};
use crate::query::collect::feed::{Collector, Examined, Feed};
use crate::query::evaluation::row::{Row, Source};

/// `SELECT *`
pub(super) fn all() -> Plan {
    Plan {
        from: From::Items,
        body: Body::of(Expr::Source(0)),
        order: Vec::new(),
        ranking: None,
        offset: 0,
        limit: None,
    }
}

/// `SELECT * ... ORDER BY name`
pub(super) fn sorted_by(name: &str, direction: Direction) -> Plan {
    let expr = Expr::Path { base: Box::new(Expr::Source(0)), path: PropertyPath::from_iter([name]) };
    Plan { order: vec![SortKey { expr, direction }], ..all() }
}

/// A collector after it was brought to items of these texts, numbered from 0, all with the key "key".
pub(super) fn walked<C: Collector>(
    plan: &Plan,
    mut collector: C,
    texts: &mut dyn Iterator<Item = &str>,
) -> (C, Examined) {
    let (feed, _) = Feed::new(&Arc::new(plan.clone()));
    let mut examined = Examined::default();
    for (number, text) in (0u128..).zip(texts) {
        if collector.is_full(&examined) {
            break;
        }
        let value = Value::parse(text.as_bytes()).unwrap();
        let effort = Effort::for_row();
        let source = Source::first(Datum::Borrowed(&value));
        let (rows, end) = feed.bring(&Row::of(&source, &effort), b"key", number, None, &mut collector);
        effort.check().unwrap();
        examined.items += 1;
        examined.rows += rows;
        if end.unwrap() == Visit::Stop {
            break;
        }
        collector.item_done(b"key");
    }
    (collector, examined)
}
