use serde_json::{Value as Json, json};

use super::harness::{Answer, Call, Server, container};

const ITEMS: &str = "/dbs/db/colls/c/docs";
const CROSS_PARTITION: (&str, &str) = ("x-ms-documentdb-query-enablecrosspartition", "True");
const FEATURES: &str = "x-ms-cosmos-supported-query-features";

fn query<'s>(server: &'s Server, text: &str) -> Call<'s> {
    let call = server.call("POST", ITEMS).header("content-type", "application/query+json");
    call.header("x-ms-documentdb-isquery", "True").json(&json!({"query": text}))
}

async fn plan(server: &Server, text: &str, headers: &[(&str, &str)]) -> Answer {
    let call = query(server, text).header("x-ms-cosmos-is-query-plan-request", "True");
    headers.iter().fold(call, |call, (name, value)| call.header(name, value)).send().await
}

async fn strict_with_items() -> Server {
    let server = Server::start_strict().await;
    server.create("/dbs", json!({"id": "db"})).await;
    let mut definition = container("c");
    let index = |a: &str, b: &str| json!([{"path": "/a", "order": a}, {"path": "/b", "order": b}]);
    definition["indexingPolicy"] = json!({"compositeIndexes": [index("ascending", "descending")]});
    server.create("/dbs/db/colls", definition).await;
    for n in 0..3 {
        let call =
            server.call("POST", ITEMS).header("x-ms-documentdb-partitionkey", json!([n.to_string()]).to_string());
        call.json(&json!({"id": "i", "pk": n.to_string(), "a": 1, "b": n})).send().await.expect(201);
    }
    server
}

#[tokio::test]
async fn a_plan_has_every_member_that_clients_read() {
    let server = Server::with_container().await;
    let answer = plan(&server, "SELECT TOP 3 * FROM c WHERE c.pk = 'x' ORDER BY c.a DESC", &[]).await.expect(200);
    let point = "11E3F358618BE9AA5BAFF4C7C74F0716";
    assert_eq!(
        answer.json(),
        json!({
            "partitionedQueryExecutionInfoVersion": 2,
            "queryInfo": {
                "distinctType": "None",
                "top": 3,
                "offset": null,
                "limit": null,
                "orderBy": ["Descending"],
                "orderByExpressions": ["c.a"],
                "groupByExpressions": [],
                "groupByAliases": [],
                "aggregates": [],
                "groupByAliasToAggregateType": {},
                "rewrittenQuery": "SELECT TOP 3 c._rid, [{\"item\": c.a}] AS orderByItems, c AS payload\nFROM c\nWHERE ((c.pk = \"x\") AND ({documentdb-formattableorderbyquery-filter}))\nORDER BY c.a DESC",
                "hasSelectValue": false,
                "dCountInfo": null,
                "hasNonStreamingOrderBy": false,
            },
            "queryRanges": [{"min": point, "max": point, "isMinInclusive": true, "isMaxInclusive": true}],
        })
    );
    let groups = plan(&server, "SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a", &[]).await.expect(200).json();
    assert_eq!(groups["queryInfo"]["groupByAliasToAggregateType"], json!({"a": null, "n": "Count"}));
    let everything = json!([{"min": "", "max": "FF", "isMinInclusive": true, "isMaxInclusive": false}]);
    assert_eq!(groups["queryRanges"], everything);
    let counted = "SELECT COUNT(1) AS n FROM (SELECT DISTINCT VALUE c.a FROM c) AS a";
    let counted = plan(&server, counted, &[]).await.expect(200).json();
    assert_eq!(counted["queryInfo"]["dCountInfo"], json!({"dCountAlias": "n"}));
    let ranked = "SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.a, 'x')";
    let ranked = plan(&server, ranked, &[]).await.expect(200).json();
    assert!(ranked.get("queryInfo").is_none() && ranked["hybridSearchQueryInfo"]["skip"].is_null());
}

#[tokio::test]
async fn a_plan_needs_what_the_client_can_do() {
    let server = Server::with_container().await;
    let text = "SELECT COUNT(1) AS n FROM c GROUP BY c.a";
    let refused = plan(&server, text, &[(FEATURES, "Aggregate, Top")]).await.expect(400);
    assert!(refused.message().contains("Query contained GroupBy, which the calling client does not support."));
    plan(&server, text, &[(FEATURES, "Aggregate, GroupBy, NonValueAggregate")]).await.expect(200);
    plan(&strict_with_items().await, text, &[]).await.expect(400);
}

#[tokio::test]
async fn a_plan_of_a_wrong_query_says_what_is_wrong() {
    let server = Server::with_container().await;
    for (text, code) in [("SELECT NOPE(c.a) FROM c", "SC2005"), ("SELECT c.a FROM d", "SC2001"), ("SELEC", "SC1001")] {
        let refused = plan(&server, text, &[]).await.expect(400);
        assert!(refused.message().contains(code), "{}", refused.message());
    }
}

#[tokio::test]
async fn a_query_that_cannot_be_merged_has_a_plan_for_one_key() {
    let server = Server::with_container().await;
    let text = "SELECT VALUE SUM(c.a) / COUNT(1) FROM c";
    let refused = plan(&server, text, &[]).await.expect(400);
    assert!(refused.message().contains("Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates."));
    let of_key = plan(&server, text, &[("x-ms-documentdb-partitionkey", "[\"x\"]")]).await.expect(200).json();
    assert_eq!(of_key["queryInfo"]["rewrittenQuery"], "");
}

#[tokio::test]
async fn a_strict_server_answers_a_query_across_partitions_with_its_plan() {
    let server = strict_with_items().await;
    let across = |text: &str| query(&server, text).header(CROSS_PARTITION.0, CROSS_PARTITION.1);
    for text in [
        "SELECT * FROM c ORDER BY c.b",
        "SELECT TOP 1 * FROM c",
        "SELECT * FROM c OFFSET 0 LIMIT 1",
        "SELECT DISTINCT c.a FROM c",
        "SELECT VALUE COUNT(1) FROM c",
        "SELECT c.a FROM c GROUP BY c.a",
    ] {
        let refused = across(text).send().await.expect(400).sub_status("1004").json();
        assert!(refused["message"].as_str().unwrap().contains("Cross partition query only supports"), "{text}");
        let told: Json = serde_json::from_str(refused["additionalErrorInfo"].as_str().unwrap()).unwrap();
        assert_eq!(
            told,
            plan(&server, text, &[(FEATURES, "Top, OrderBy, OffsetAndLimit, Distinct, Aggregate, GroupBy")])
                .await
                .expect(200)
                .json()
        );
    }
    assert_eq!(across("SELECT VALUE c.b FROM c WHERE c.b > 0").send().await.expect(200).json()["_count"], 2);
    let one_key = "SELECT VALUE COUNT(1) FROM c WHERE c.pk = '1'";
    assert_eq!(across(one_key).send().await.expect(200).json()["Documents"], json!([1]));
    let of_range = query(&server, "SELECT VALUE COUNT(1) FROM c").header("x-ms-documentdb-partitionkeyrangeid", "0");
    assert_eq!(of_range.send().await.expect(200).json()["Documents"], json!([3]));
    let lenient = Server::with_container().await;
    let merged = query(&lenient, "SELECT VALUE COUNT(1) FROM c").header(CROSS_PARTITION.0, CROSS_PARTITION.1);
    assert_eq!(merged.send().await.expect(200).json()["Documents"], json!([0]));
}

#[tokio::test]
async fn searches_and_distinct_rows_are_left_to_clients_that_run_plans() {
    let server = Server::with_container().await;
    let across = |text: &str| query(&server, text).header(CROSS_PARTITION.0, CROSS_PARTITION.1);
    let nearest = "SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, [1])";
    let ranked = "SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.a, 'x')";
    let distinct = "SELECT DISTINCT c.a FROM c ORDER BY c.a";
    let says = [
        ("x-ms-documentdb-query-iscontinuationexpected", "False"),
        ("x-ms-documentdb-query-parallelizecrosspartitionquery", "true"),
    ];
    for (name, value) in says {
        for text in [nearest, ranked, distinct] {
            let refused = across(text).header(name, value).send().await.expect(400).sub_status("1004").json();
            let told: Json = serde_json::from_str(refused["additionalErrorInfo"].as_str().unwrap()).unwrap();
            assert_eq!(told, plan(&server, text, &[]).await.expect(200).json());
            let of_key = query(&server, text).header("x-ms-documentdb-partitionkey", "[\"x\"]").header(name, value);
            of_key.send().await.expect(200);
        }
        for merged in [
            "SELECT VALUE COUNT(1) FROM c",
            "SELECT * FROM c ORDER BY c.a",
            "SELECT DISTINCT c.a FROM c GROUP BY c.a",
            "SELECT DISTINCT VALUE n FROM (SELECT VALUE c.a FROM c) n ORDER BY n",
        ] {
            across(merged).header(name, value).send().await.expect(200);
        }
    }
    for text in [nearest, ranked, distinct] {
        across(text).send().await.expect(200);
    }
}

#[tokio::test]
async fn a_strict_server_sorts_by_several_properties_with_a_composite_index_only() {
    let server = strict_with_items().await;
    let of_range = |text: &str| query(&server, text).header("x-ms-documentdb-partitionkeyrangeid", "0");
    for order in ["c.a ASC, c.b DESC", "c.a DESC, c.b ASC", "c.b"] {
        of_range(&format!("SELECT * FROM c ORDER BY {order}")).send().await.expect(200);
    }
    for order in ["c.a, c.b", "c.b DESC, c.a ASC", "c.a, c.d", "c.a ASC, c.b DESC, c.d"] {
        let refused = of_range(&format!("SELECT * FROM c ORDER BY {order}")).send().await.expect(400);
        assert!(refused.message().contains("corresponding composite index"), "{order}");
    }
    let lenient = Server::with_container().await;
    let sorted = query(&lenient, "SELECT * FROM c ORDER BY c.a, c.b").header(CROSS_PARTITION.0, CROSS_PARTITION.1);
    sorted.send().await.expect(200);
}

#[tokio::test]
async fn clients_that_asked_for_no_plan_are_told_that_rows_are_final() {
    let server = Server::with_container().await;
    let of_range = || query(&server, "SELECT VALUE COUNT(1) FROM c").header("x-ms-documentdb-partitionkeyrangeid", "0");
    let optimistic = of_range().header("x-ms-cosmos-query-optimisticdirectexecute", "True").send().await.expect(200);
    assert_eq!(optimistic.header("x-ms-cosmos-query-requiresdistribution"), Some("False"));
    assert_eq!(of_range().send().await.expect(200).header("x-ms-cosmos-query-requiresdistribution"), None);
}
