//! Container definitions: what is filled in and echoed, and what is refused and why.

use serde_json::{Value as Json, json};

use crate::support::{World, by_pk, by_pk_with, check_invalid, on_every_store};

/// What a container created with `more` shows under `name`.
async fn echoed(world: &World, more: Json, name: &str) -> Json {
    let items = world.create(by_pk_with("c", more)).await;
    let shown = items.container.to_json().get(name).cloned().unwrap_or_default();
    world.engine.delete_container(&items.container, &Default::default()).await.unwrap();
    shown
}

#[tokio::test]
async fn defaults_are_filled_in_and_echoed() {
    on_every_store(async |world: World| {
        let container = world.create(by_pk("c")).await.container;
        let (rid, link) = (container.rid(), container.self_link());
        let expected = json!({
            "id": "c",
            "indexingPolicy": {"indexingMode": "consistent", "automatic": true, "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/\"_etag\"/?"}]},
            "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
            "uniqueKeyPolicy": {"uniqueKeys": []},
            "conflictResolutionPolicy": {"mode": "LastWriterWins", "conflictResolutionPath": "/_ts", "conflictResolutionProcedure": ""},
            "geospatialConfig": {"type": "Geography"},
            "_rid": rid, "_ts": crate::support::START, "_self": link, "_etag": format!("\"{}\"", container.etag()),
            "_docs": "docs/", "_sprocs": "sprocs/", "_triggers": "triggers/", "_udfs": "udfs/", "_conflicts": "conflicts/",
        });
        assert_eq!(Json::Object(container.to_json()), expected);
    })
    .await;
}

#[tokio::test]
async fn what_a_definition_says_is_echoed() {
    on_every_store(async |world: World| {
        for (name, given, expected) in [
            ("defaultTtl", json!(-1), json!(-1)),
            ("defaultTtl", json!(2_147_483_647), json!(2_147_483_647)),
            ("defaultTtl", Json::Null, Json::Null),
            ("geospatialConfig", json!({"type": "Geometry"}), json!({"type": "Geometry"})),
            ("analyticalStorageTtl", json!(-1), json!(-1)),
            ("computedProperties", json!([{"name": "l", "query": "SELECT VALUE LOWER(c.x) FROM c"}]), json!([{"name": "l", "query": "SELECT VALUE LOWER(c.x) FROM c"}])),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{"paths": ["/a", "/b/c"]}]}), json!({"uniqueKeys": [{"paths": ["/a", "/b/c"]}]})),
            ("indexingPolicy", json!({"indexingMode": "None"}), json!({"indexingMode": "none", "automatic": false})),
            (
                "indexingPolicy",
                json!({"automatic": false, "includedPaths": null, "excludedPaths": [{"path": "/a/*"}]}),
                json!({"indexingMode": "consistent", "automatic": false, "includedPaths": [], "excludedPaths": [{"path": "/a/*"}, {"path": "/\"_etag\"/?"}]}),
            ),
            (
                "conflictResolutionPolicy",
                json!({"mode": "Custom"}),
                json!({"mode": "Custom", "conflictResolutionPath": "", "conflictResolutionProcedure": ""}),
            ),
            ("vectorEmbeddingPolicy", json!({"vectorEmbeddings": []}), json!({"vectorEmbeddings": []})),
        ] {
            assert_eq!(echoed(&world, json!({name: given}), name).await, expected, "{name}: {given}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_wrong_definition_is_refused_by_the_name_of_the_wrong_part() {
    on_every_store(async |world: World| {
        let paths = |count: usize| (0..count).map(|n| json!({"paths": [format!("/p{n}")]})).collect::<Vec<_>>();
        for (name, given, reason) in [
            ("id", json!(5), "'id'"),
            ("partitionKey", Json::Null, "'partitionKey'"),
            ("partitionKey", json!("/pk"), "'partitionKey.paths'"),
            ("partitionKey", json!({"paths": [1]}), "'partitionKey.paths'"),
            ("partitionKey", json!({"paths": [], "kind": "Hash"}), "path"),
            ("partitionKey", json!({"paths": ["/a", "/b"], "kind": "Hash"}), "path"),
            ("partitionKey", json!({"paths": ["/a", "/b", "/c", "/d"], "kind": "MultiHash"}), "path"),
            ("partitionKey", json!({"paths": ["/a", "/a"], "kind": "MultiHash"}), "twice"),
            ("partitionKey", json!({"paths": ["a"]}), "a"),
            ("partitionKey", json!({"paths": ["/_rid"]}), "/_rid"),
            ("partitionKey", json!({"paths": ["/pk"], "kind": "Range"}), "Range"),
            ("partitionKey", json!({"paths": ["/pk"], "kind": 1}), "'partitionKey.kind'"),
            ("partitionKey", json!({"paths": ["/pk"], "version": 3}), "3"),
            ("partitionKey", json!({"paths": ["/pk"], "version": "2"}), "'partitionKey.version'"),
            ("partitionKey", json!({"paths": ["/pk"], "kind": "MultiHash", "version": 1}), "MultiHash"),
            ("defaultTtl", json!(0), "'defaultTtl'"),
            ("defaultTtl", json!(-2), "'defaultTtl'"),
            ("defaultTtl", json!(1.5), "'defaultTtl'"),
            ("defaultTtl", json!("60"), "'defaultTtl'"),
            ("defaultTtl", json!(2_147_483_648u64), "'defaultTtl'"),
            ("analyticalStorageTtl", json!("x"), "'analyticalStorageTtl'"),
            ("uniqueKeyPolicy", json!("x"), "'uniqueKeyPolicy'"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": {}}), "'uniqueKeyPolicy.uniqueKeys'"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{}]}), "'paths'"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{"paths": []}]}), "'paths'"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{"paths": [5]}]}), "string"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{"paths": ["mail"]}]}), "mail"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{"paths": [""]}]}), "name a property"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": [{"paths": ["/_ts"]}]}), "/_ts"),
            ("uniqueKeyPolicy", json!({"uniqueKeys": paths(11)}), "10 keys"),
            (
                "uniqueKeyPolicy",
                json!({"uniqueKeys": [{"paths": (0..17).map(|n| format!("/p{n}")).collect::<Vec<_>>()}]}),
                "16 paths",
            ),
            ("indexingPolicy", json!([]), "'indexingPolicy'"),
            ("indexingPolicy", json!({"indexingMode": "eager"}), "'indexingPolicy.indexingMode'"),
            ("indexingPolicy", json!({"indexingMode": 1}), "'indexingPolicy.indexingMode'"),
            ("indexingPolicy", json!({"automatic": "yes"}), "'indexingPolicy.automatic'"),
            ("indexingPolicy", json!({"includedPaths": "/*"}), "'indexingPolicy.includedPaths'"),
            ("indexingPolicy", json!({"includedPaths": [{}]}), "'indexingPolicy.includedPaths'"),
            ("indexingPolicy", json!({"excludedPaths": [{"path": "a/*"}]}), "'a/*'"),
            ("indexingPolicy", json!({"excludedPaths": [{"path": "/a"}]}), "'/a'"),
            ("indexingPolicy", json!({"spatialIndexes": [{"types": []}]}), "'indexingPolicy.spatialIndexes'"),
            ("indexingPolicy", json!({"compositeIndexes": {}}), "'indexingPolicy.compositeIndexes'"),
            ("indexingPolicy", json!({"compositeIndexes": [[{"path": "/a"}]]}), "composite index"),
            (
                "indexingPolicy",
                json!({"compositeIndexes": [[{"path": "/a"}, {"path": "/b", "order": "up"}]]}),
                "'order'",
            ),
            (
                "indexingPolicy",
                json!({"compositeIndexes": vec![json!([{"path": "/a"}, {"path": "/b"}]); 101]}),
                "100 indexes",
            ),
            ("conflictResolutionPolicy", json!({"mode": "FirstWriterWins"}), "'conflictResolutionPolicy.mode'"),
            ("conflictResolutionPolicy", json!("x"), "'conflictResolutionPolicy.mode'"),
            ("geospatialConfig", json!({"type": "Flat"}), "'geospatialConfig.type'"),
            ("vectorEmbeddingPolicy", json!([]), "'vectorEmbeddingPolicy'"),
            ("computedProperties", json!({}), "'computedProperties'"),
            ("computedProperties", json!([{"name": "x"}]), "'computedProperties'"),
            ("computedProperties", json!([5]), "'computedProperties'"),
        ] {
            let result = world.try_create(by_pk_with("c", json!({name: given}))).await;
            check_invalid(result.as_ref().map(drop).map_err(Clone::clone), reason);
            check_invalid(result.map(drop), "One of the specified inputs is invalid");
        }
        assert!(world.engine.containers(&world.engine.database("db").unwrap()).is_empty());
    })
    .await;
}
