//! Queries whose rows are items, with the facts of their headers.

use orrery_engine::query::{Body, Direction, Expr, From, Plan, SortKey, SourceStep};
use orrery_engine::{Error, PageRequest, Query, Scope};
use serde_json::json;

use crate::support::{World, by_pk, id_of, on_every_store};

fn plan(order: &[&str]) -> Plan {
    let key = |name: &&str| SortKey { expr: Expr::property(Expr::Source(0), name), direction: Direction::Ascending };
    let order = order.iter().map(key).collect();
    Plan { from: From::Items, body: Body::of(Expr::Source(0)), order, ranking: None, offset: 0, limit: None }
}

#[tokio::test]
async fn items_come_whole_in_the_order_of_the_plan_page_by_page() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        for (id, pk, n) in [("1", "x", 3), ("2", "y", 1), ("3", "x", 2)] {
            items.create(json!({"id": id, "pk": pk, "n": n})).await.unwrap();
        }
        for (order, expected) in [(&["n"][..], &["2", "3", "1"][..]), (&["pk", "id"], &["1", "3", "2"])] {
            let query = Query::new(plan(order), 0);
            let (mut found, mut continuation) = (Vec::new(), None);
            loop {
                let request = PageRequest::new(2, continuation);
                let page =
                    world.engine.query_items(&items.container, &Scope::Container, &query, &request).await.unwrap();
                found.extend(page.items);
                continuation = page.continuation;
                if continuation.is_none() {
                    break;
                }
            }
            assert_eq!(found.iter().map(id_of).collect::<Vec<_>>(), expected);
            for item in found {
                let pk = if id_of(&item) == "2" { "y" } else { "x" };
                let read = items.read(json!([pk]), &id_of(&item)).await.unwrap();
                assert_eq!((item.ticks(), item.lsn(), item.text()), (read.ticks(), read.lsn(), read.text()));
            }
        }
    })
    .await;
}

#[tokio::test]
async fn rows_that_are_no_items_are_refused() {
    on_every_store(async |world: World| {
        let items = world.create(by_pk("c")).await;
        let mut joined = plan(&[]);
        joined.body.sources = vec![SourceStep::Each(Expr::property(Expr::Source(0), "tags"))];
        for plan in [joined, Plan { from: From::SingleRow, ..plan(&[]) }] {
            let query = Query::new(plan, 0);
            let request = PageRequest::new(2, None);
            let refused = world.engine.query_items(&items.container, &Scope::Container, &query, &request).await;
            assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
        }
    })
    .await;
}
