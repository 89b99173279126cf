//! Throughput: who has an offer, what it says, what it may be changed to.

use orrery_engine::{Condition, Throughput};
use serde_json::json;

use crate::support::{World, by_pk, check_invalid, check_refused, map, on_every_store};

#[tokio::test]
async fn a_container_has_an_offer_unless_its_database_shares_one() {
    on_every_store(async |world: World| {
        let own = world.create(by_pk("c")).await.container;
        let shared = world.engine.create_database("shared", Some(Throughput::manual(800).unwrap())).await.unwrap();
        world.engine.create_container(&shared, &map(by_pk("c")), None).await.unwrap();
        let dedicated = Some(Throughput::autoscale(2_000, None).unwrap());
        let dedicated = world.engine.create_container(&shared, &map(by_pk("d")), dedicated).await.unwrap();
        let offers = world.engine.offers();
        let shown: Vec<_> = offers.iter().map(|offer| (offer.resource_rid(), offer.throughput())).collect();
        let expected = [
            (own.rid(), Throughput::Manual(400)),
            (shared.rid(), Throughput::Manual(800)),
            (dedicated.rid(), Throughput::Autoscale { max_ru: 2_000, increment_percent: None }),
        ];
        assert_eq!(shown, expected);
        assert_eq!(offers[0].resource_link(), own.self_link());
        let json = offers[2].to_json();
        assert_eq!(
            (&json["content"]["offerThroughput"], &json["content"]["offerAutopilotSettings"]),
            (&json!(200), &json!({"maxThroughput": 2_000}))
        );
        assert_eq!(
            (&json["id"], &json["_self"]),
            (&json!(offers[2].rid()), &json!(format!("offers/{}/", offers[2].rid())))
        );
        world.engine.delete_container(&own, &Condition::None).await.unwrap();
        check_refused(world.engine.offer(&offers[0].rid()), "NotFound");
    })
    .await;
}

#[tokio::test]
async fn an_offer_is_changed_under_its_precondition_and_stays_so() {
    on_every_store(async |world: World| {
        world.create(by_pk("c")).await;
        let old = world.engine.offers().remove(0);
        let more = Throughput::from_offer_content(&json!({"offerThroughput": 1_200})).unwrap();
        let new = world.engine.replace_offer(&old.rid(), more, &Condition::IfMatch(old.etag())).await.unwrap();
        assert_eq!((new.throughput(), new.rid()), (Throughput::Manual(1_200), old.rid()));
        let stale = Condition::IfMatch(format!("\"{}\"", old.etag()));
        check_refused(world.engine.replace_offer(&old.rid(), more, &stale).await, "PreconditionFailed");
        check_refused(world.engine.replace_offer("none", more, &Condition::None).await, "NotFound");
        let world = world.reopen().await;
        assert_eq!(world.engine.offer(&old.rid()).unwrap().to_json(), new.to_json());
    })
    .await;
}

#[test]
fn bad_throughput_is_refused() {
    for ru in [0, 399, 450, 10_000_100, u64::MAX] {
        check_invalid(Throughput::manual(ru), &ru.to_string());
    }
    for ru in [0, 400, 1_500, 10_001_000] {
        check_invalid(Throughput::autoscale(ru, None), &ru.to_string());
    }
    for (content, reason) in [
        (json!({}), "'offerThroughput'"),
        (json!({"offerThroughput": "400"}), "'offerThroughput'"),
        (json!({"offerThroughput": -400}), "'offerThroughput'"),
        (json!({"offerThroughput": 400.5}), "'offerThroughput'"),
        (json!({"offerThroughput": 300}), "300"),
        (json!({"offerAutopilotSettings": {}}), "'maxThroughput'"),
        (json!({"offerAutopilotSettings": {"maxThroughput": 999}}), "999"),
        (json!("x"), "'offerThroughput'"),
    ] {
        check_invalid(Throughput::from_offer_content(&content), reason);
    }
    let good = json!({"maxThroughput": 5_000, "autoUpgradePolicy": {"throughputPolicy": {"incrementPercent": 3}}});
    let expected = Throughput::Autoscale { max_ru: 5_000, increment_percent: Some(3) };
    assert_eq!(Throughput::from_autopilot_settings(&good).unwrap(), expected);
}
