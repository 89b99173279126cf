//! Lists of entities.

use super::*;

async fn filled() -> Lab {
    let lab = Lab::with_table().await;
    for (partition_key, row_key, n) in
        [("b", "2", 1), ("a", "2", 2), ("b", "1", 3), ("a", "1", 4), ("", "", 5), ("c", "é", 6)]
    {
        lab.insert(partition_key, row_key, &format!("\"N\":{n}")).await;
    }
    lab
}

#[tokio::test]
async fn entities_come_in_the_order_of_their_keys() {
    let lab = filled().await;
    assert_eq!(lab.get("/Tab()").await.keys(), ["/", "a/1", "a/2", "b/1", "b/2", "c/é"]);
    assert_eq!(lab.get("/Tab").await.keys().len(), 6);
}

#[tokio::test]
async fn filters_keep_what_they_say() {
    let lab = filled().await;
    for (filter, keys) in [
        ("PartitionKey eq 'a'", &["a/1", "a/2"][..]),
        ("PartitionKey eq 'a' and RowKey eq '2'", &["a/2"]),
        ("PartitionKey eq 'a' and RowKey eq '2' and N eq 3", &[]),
        ("PartitionKey eq 'a' and PartitionKey eq 'b'", &[]),
        ("PartitionKey eq '' and RowKey eq ''", &["/"]),
        ("PartitionKey gt 'a' and RowKey ge '2'", &["b/2", "c/é"]),
        ("(PartitionKey eq 'a' and RowKey eq '1') or (PartitionKey eq 'b' and RowKey eq '2')", &["a/1", "b/2"]),
        ("N ge 5", &["/", "c/é"]),
        ("not (N lt 5)", &["/", "c/é"]),
        ("Timestamp gt datetime'2001-01-01T00:00:00Z' and N le 1", &["b/2"]),
        ("Timestamp lt datetime'2001-01-01T00:00:00Z'", &[]),
        ("", &["/", "a/1", "a/2", "b/1", "b/2", "c/é"]),
    ] {
        let answer = lab.get(&filtered(filter)).await;
        assert_eq!(
            (answer.status, answer.keys()),
            (200, keys.iter().map(|key| (*key).to_owned()).collect()),
            "{filter}"
        );
    }
    for (filter, refusal) in [
        ("N eq", (400, "InvalidInput")),
        ("N = 1", (400, "InvalidInput")),
        ("startswith(S,'a')", (501, "NotImplemented")),
    ] {
        assert_eq!(lab.get(&filtered(filter)).await.refusal(), refusal, "{filter}");
    }
}

#[tokio::test]
async fn the_exact_time_of_a_write_can_be_asked_for() {
    let lab = filled().await;
    let first = lab.get(&entity("b", "2")).await.json()["Timestamp"].as_str().unwrap().to_owned();
    assert_eq!(lab.get(&filtered(&format!("Timestamp eq datetime'{first}'"))).await.keys(), ["b/2"]);
    assert_eq!(lab.get(&filtered(&format!("Timestamp gt datetime'{first}'"))).await.keys().len(), 5);
    assert_eq!(lab.get(&filtered(&format!("not (Timestamp ne datetime'{first}')"))).await.keys(), ["b/2"]);
}

#[tokio::test]
async fn pages_go_on_where_the_one_before_ended() {
    let lab = filled().await;
    for filter in
        ["", "PartitionKey ge 'a'", "PartitionKey eq 'a'", "Timestamp gt datetime'2001-01-01T00:00:00Z'", "N gt 1"]
    {
        let all = lab.get(&filtered(filter)).await.keys();
        for top in 1..=7 {
            let mut pages = Vec::new();
            let mut next = String::new();
            loop {
                let page = lab.get(&format!("{}&$top={top}{next}", filtered(filter))).await;
                pages.extend(page.keys());
                let token = |name| encoded(page.header(name));
                next = format!(
                    "&NextPartitionKey={}&NextRowKey={}",
                    token("x-ms-continuation-nextpartitionkey"),
                    token("x-ms-continuation-nextrowkey")
                );
                if page.header("x-ms-continuation-nextpartitionkey").is_empty() {
                    break;
                }
                assert_eq!(page.keys().len(), top, "{filter}");
            }
            assert_eq!(pages, all, "{filter} {top}");
        }
    }
}

#[tokio::test]
async fn a_page_survives_the_loss_of_the_entity_that_it_begins_with() {
    let lab = filled().await;
    let first = lab.get("/Tab()?$top=2").await;
    assert_eq!(first.keys(), ["/", "a/1"]);
    let deleted = lab.send("DELETE", &entity("a", "2"), &[("if-match", "*")], "").await;
    assert_eq!(deleted.status, 204);
    lab.insert("a", "3", "").await;
    let token = |name| encoded(first.header(name));
    let next = format!(
        "/Tab()?NextPartitionKey={}&NextRowKey={}",
        token("x-ms-continuation-nextpartitionkey"),
        token("x-ms-continuation-nextrowkey")
    );
    assert_eq!(lab.get(&next).await.keys(), ["a/3", "b/1", "b/2", "c/é"]);
    let partition_only = next.split("&NextRowKey").next().unwrap();
    assert_eq!(lab.get(partition_only).await.keys(), ["a/1", "a/3", "b/1", "b/2", "c/é"]);
}

#[tokio::test]
async fn a_page_has_a_thousand_entities_and_four_megabytes_at_the_most() {
    let lab = Lab::with_table().await;
    let large = "x".repeat(30_000);
    for n in 0..150 {
        lab.insert("p", &format!("{n:04}"), &format!("\"A\":\"{large}\"")).await;
    }
    let first = lab.get("/Tab()?$select=RowKey").await;
    let count = first.json()["value"].as_array().unwrap().len();
    assert!((100..150).contains(&count), "{count}");
    assert!(!first.header("x-ms-continuation-nextrowkey").is_empty());
    for (top, status) in [("1000", 200), ("1001", 400), ("0", 400), ("-1", 400), ("x", 400), ("", 400)] {
        assert_eq!(lab.get(&format!("/Tab()?$top={top}")).await.status, status, "{top}");
    }
    let cosmos = lab.as_seen_by(orrery_table::Dialect::Cosmos);
    assert_eq!(cosmos.get("/Tab()?$top=5000&$select=RowKey").await.status, 200);
}

#[tokio::test]
async fn a_selection_shows_what_it_names() {
    let lab = filled().await;
    let answer = lab.get(&format!("{}&$select=N,%20Other", filtered("N eq 1"))).await;
    assert_eq!(answer.text(), r#"{"value":[{"N":1,"Other":null}]}"#);
    let one = lab.get(&format!("{}?$select=PartitionKey", entity("a", "1"))).await;
    assert_eq!(one.text(), r#"{"PartitionKey":"a"}"#);
    assert_eq!(lab.get(&format!("{}?$filter=N%20eq%201", entity("a", "1"))).await.refusal(), (400, "InvalidInput"));
}
