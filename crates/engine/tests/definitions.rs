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
            ("partitionKey", json!({"paths": [], "kind": "MultiHash"}), "path"),
            ("partitionKey", json!({"paths": ["/a", "/b", "/c", "/d"], "kind": "Hash"}), "path"),
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

/// A definition with one embedding and one index of it, each with `more`.
fn vectors(embedding: Json, index: Json) -> Json {
    let with = |mut base: Json, more: Json| {
        let more = more.as_object().cloned().unwrap_or_default();
        base.as_object_mut().unwrap().extend(more);
        base
    };
    let base = json!({"path": "/v", "dataType": "float32", "dimensions": 300, "distanceFunction": "cosine"});
    json!({
        "vectorEmbeddingPolicy": {"vectorEmbeddings": [with(base, embedding)]},
        "indexingPolicy": {"vectorIndexes": [with(json!({"path": "/v", "type": "diskANN"}), index)]},
    })
}

#[tokio::test]
async fn vectors_are_checked_when_they_are_defined() {
    on_every_store(async |world: World| {
        let none = || json!({});
        for (embedding, index, reason) in [
            (json!({"dataType": "float8"}), none(), "Vector Embedding Policy has an invalid DataType:float8"),
            (json!({"distanceFunction": 1}), none(), "Vector Embedding Policy has an invalid DistanceFunction:1"),
            (
                json!({"dimensions": 4097}),
                none(),
                "Dimensions:4097 which is more than the maximum supported value 4096",
            ),
            (json!({"dimensions": 0}), none(), "The Vector Embedding Policy has Dimensions:0"),
            (json!({"dimensions": -7}), none(), "The Vector Embedding Policy has Dimensions:-7"),
            (json!({"path": "v"}), none(), "Vector Embedding Policy has an invalid Path:v"),
            (none(), json!({"path": "/w"}), "Indexing Policy's path::/w not matching in Embedding's path"),
            (none(), json!({"type": "tree"}), "Index Type::tree is invalid"),
            (json!({"dimensions": 506}), json!({"type": "flat"}), "has at most 505"),
            (
                none(),
                json!({"quantizationByteSize": 301}),
                "QuantizationByteSize value :: 301 is out of range. The allowed range is between 1 and 300.",
            ),
            (
                json!({"dimensions": 600}),
                json!({"quantizationByteSize": 0}),
                "QuantizationByteSize value :: 0 is out of range. The allowed range is between 1 and 512.",
            ),
            (
                none(),
                json!({"indexingSearchListSize": 501}),
                "IndexingSearchListSize value :: 501 is out of range. The allowed range is between 25 and 500.",
            ),
            (none(), json!({"vectorIndexShardKey": ["a"]}), "has an invalid Shard Path: a."),
            (none(), json!({"vectorIndexShardKey": ["/a", "/b"]}), "Indexing Policy: 2 exceeds the maximum: 1."),
            (none(), json!({"vectorIndexShardKey": "/a"}), "'vectorIndexShardKey'"),
        ] {
            let result = world.try_create(by_pk_with("c", vectors(embedding, index))).await;
            check_invalid(result.as_ref().map(drop).map_err(Clone::clone), reason);
            check_invalid(result.map(drop), "One of the specified inputs is invalid");
        }
        let index = json!({"type": "QuantizedFlat", "quantizationByteSize": 300, "vectorIndexShardKey": ["/a"]});
        world.create(by_pk_with("c", vectors(json!({"dataType": "Float16", "dimensions": 4096}), index))).await;
    })
    .await;
}

#[tokio::test]
async fn what_vectors_are_stays_while_their_path_is_indexed() {
    on_every_store(async |world: World| {
        let created = world.create(by_pk_with("c", vectors(json!({}), json!({})))).await.container;
        let replace = async |more: Json| {
            let definition = by_pk_with("c", more);
            let definition = definition.as_object().unwrap();
            world.engine.replace_container(&created, definition, &Default::default()).await.map(drop)
        };
        let modified = "cannot be modified in Collection Replace";
        check_invalid(replace(vectors(json!({"dimensions": 301}), json!({}))).await, modified);
        check_invalid(replace(vectors(json!({}), json!({"type": "quantizedFlat"}))).await, modified);
        let only_indexes = json!({"indexingPolicy": {"vectorIndexes": [{"path": "/v", "type": "diskANN"}]}});
        check_invalid(replace(only_indexes).await, "path::/v not matching in Embedding's path");
        replace(vectors(json!({}), json!({}))).await.unwrap();
        replace(json!({})).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn full_texts_are_checked_when_they_are_defined() {
    on_every_store(async |world: World| {
        let policy = |language: &str, path: Json| json!({"fullTextPolicy": {"defaultLanguage": language, "fullTextPaths": [path]}});
        for (given, reason) in [
            (policy("en-US", json!({"path": "text"})), "The Full Text Policy contains an invalid Path: text."),
            (policy("en-US", json!({"path": "/"})), "invalid Path: /."),
            (policy("en-US", json!({})), "invalid Path: null."),
            (policy("xx-XX", json!({"path": "/text"})), "unsupported language \"xx-XX\""),
            (policy("en-US", json!({"path": "/text", "language": 5})), "unsupported language 5"),
            (json!({"fullTextPolicy": {"fullTextPaths": {}}}), "'fullTextPaths'"),
        ] {
            let result = world.try_create(by_pk_with("c", given)).await;
            check_invalid(result.map(drop), reason);
        }
        world.create(by_pk_with("c", policy("de-DE", json!({"path": "/text", "language": "en-US"})))).await;
    })
    .await;
}
