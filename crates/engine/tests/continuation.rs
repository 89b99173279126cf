//! Continuation tokens: they hold across restarts, and nothing else than the right one is taken.

use orrery_engine::{MAX_TOKEN_BYTES, PageRequest, Scope};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Items, StoreKind, World, block_on, by_pk, check_invalid, check_refused, id_of, on_every_store};

async fn filled(world: &World, id: &str) -> Items {
    let items = world.create(by_pk(id)).await;
    for n in 0..6 {
        items.create(json!({"id": format!("i{n}"), "pk": n})).await.unwrap();
    }
    items
}

async fn page(
    items: &Items,
    continuation: Option<String>,
) -> Result<(Vec<String>, Option<String>), orrery_engine::Error> {
    let request = PageRequest::new(2, continuation);
    let page = items.engine.list_items(&items.container, &Scope::Container, &request).await?;
    Ok((page.items.iter().map(id_of).collect(), page.continuation))
}

#[tokio::test]
async fn a_token_of_another_container_is_refused() {
    on_every_store(async |world: World| {
        let (first, second) = (filled(&world, "c").await, filled(&world, "d").await);
        let token = page(&first, None).await.unwrap().1;
        check_invalid(page(&second, token.clone()).await, "continuation");
        world.engine.delete_container(&first.container, &Default::default()).await.unwrap();
        check_invalid(page(&filled(&world, "c").await, token).await, "continuation");
    })
    .await;
}

#[tokio::test]
async fn a_damaged_token_is_refused() {
    on_every_store(async |world: World| {
        let items = filled(&world, "c").await;
        let token = page(&items, None).await.unwrap().1.unwrap();
        for garbage in ["", " ", "x", "null", "-RID:~abc#RT:1", "AAAAAAAAAAAAAA", "é", "====", "{\"token\":1}"] {
            check_invalid(page(&items, Some(garbage.into())).await, "continuation");
        }
        check_invalid(page(&items, Some("A".repeat(MAX_TOKEN_BYTES + 1))).await, "continuation");
        for at in 0..token.len() {
            let mut damaged = token.clone().into_bytes();
            damaged[at] = if damaged[at] == b'A' { b'B' } else { b'A' };
            let damaged = String::from_utf8(damaged).unwrap();
            check_refused(page(&items, Some(damaged)).await, "Invalid");
            check_refused(page(&items, Some(token[..at].into())).await, "Invalid");
        }
        page(&items, Some(format!("\"{token}\""))).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_token_holds_after_a_reopen_and_beside_writes() {
    on_every_store(async |world: World| {
        let items = filled(&world, "c").await;
        let whole = items.list_ids(&Scope::Container).await;
        let (mut seen, mut token) = page(&items, None).await.unwrap();
        drop(items);
        let world = world.reopen().await;
        let items = world.items("c");
        // The item that the page ended with goes, and one already listed changes.
        let last = seen[1].clone();
        items.delete(json!([last[1..].parse::<i64>().unwrap()]), &last).await.unwrap();
        items.replace(json!({"id": seen[0], "pk": seen[0][1..].parse::<i64>().unwrap(), "new": true})).await.unwrap();
        while token.is_some() {
            let (ids, next) = page(&items, token).await.unwrap();
            seen.extend(ids);
            token = next;
        }
        assert_eq!(seen, whole);
    })
    .await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_text_at_all_is_taken_for_a_token(texts in prop::collection::vec(".{0,60}|[A-Za-z0-9_-]{10,80}", 20)) {
        block_on(async {
            let items = filled(&World::new(StoreKind::Memory).await, "c").await;
            for text in texts {
                check_refused(page(&items, Some(text)).await, "Invalid");
            }
        });
    }
}
