use serde_json::{Value as Json, json};

use super::harness::{Server, container};

async fn only_offer(server: &Server) -> Json {
    let offers = server.get("/offers").await;
    assert_eq!(offers["_count"], 1, "{offers}");
    offers["Offers"][0].clone()
}

#[tokio::test]
async fn a_container_has_an_offer_that_can_be_read_and_replaced() {
    let server = Server::start().await;
    server.create("/dbs", json!({"id": "db"})).await;
    let call = server.call("POST", "/dbs/db/colls").header("x-ms-offer-throughput", "500").json(&container("c"));
    let container = call.send().await.expect(201).json();
    let mut offer = only_offer(&server).await;
    assert_eq!(offer["resource"], container["_self"]);
    assert_eq!(offer["offerResourceId"], container["_rid"]);
    assert_eq!(offer["content"]["offerThroughput"], 500);
    let path = format!("/{}", offer["_self"].as_str().unwrap());
    assert_eq!(server.get(&path).await, offer);

    offer["content"]["offerThroughput"] = json!(900);
    let replaced = server.call("PUT", &path).json(&offer).send().await.expect(200).json();
    assert_eq!(replaced["content"]["offerThroughput"], 900);
    assert_eq!(only_offer(&server).await, replaced);
    for wrong in [json!(399), json!(450), json!("900"), json!(-1), json!(null)] {
        offer["content"]["offerThroughput"] = wrong;
        server.call("PUT", &path).json(&offer).send().await.expect(400);
    }
    server.call("GET", "/offers/none").send().await.expect(404);
    server.call("POST", "/offers").json(&offer).send().await.expect(405);
}

#[tokio::test]
async fn autoscale_is_set_by_its_header_and_left_by_another() {
    let server = Server::start().await;
    let settings = r#"{"maxThroughput":5000,"autoUpgradePolicy":{"throughputPolicy":{"incrementPercent":2}}}"#;
    let create = server.call("POST", "/dbs").header("x-ms-cosmos-offer-autopilot-settings", settings);
    create.json(&json!({"id": "db"})).send().await.expect(201);
    let offer = only_offer(&server).await;
    assert_eq!(offer["content"]["offerAutopilotSettings"]["maxThroughput"], 5000);
    let percent = "/content/offerAutopilotSettings/autoUpgradePolicy/throughputPolicy/incrementPercent";
    assert_eq!(offer.pointer(percent), Some(&json!(2)));

    let path = format!("/{}", offer["_self"].as_str().unwrap());
    let put = |header: &str, offer: &Json| server.call("PUT", &path).header(header, "true").json(offer);
    let mut ignored = offer.clone();
    ignored["content"]["offerThroughput"] = json!(700);
    put("x-other", &ignored).send().await.expect(400);
    let manual = put("x-ms-cosmos-migrate-offer-to-manual-throughput", &offer).send().await.expect(200).json();
    assert_eq!(manual["content"]["offerThroughput"], 5000);
    assert_eq!(manual["content"].get("offerAutopilotSettings"), None);
    let mut more = manual.clone();
    more["content"]["offerThroughput"] = json!(5100);
    let more = put("x-other", &more).send().await.expect(200).json();
    let autoscale = put("x-ms-cosmos-migrate-offer-to-autopilot", &more).send().await.expect(200).json();
    assert_eq!(autoscale["content"]["offerAutopilotSettings"]["maxThroughput"], 6000);
}

#[tokio::test]
async fn wrong_throughput_is_refused_in_the_services_words() {
    let server = Server::start().await;
    let create = |name: &str, value: &str| server.call("POST", "/dbs").header(name, value).json(&json!({"id": "db"}));
    let negative = create("x-ms-cosmos-offer-autopilot-settings", r#"{"maxThroughput":-200}"#).send().await.expect(400);
    let expected = "Requested throughput -200 is less than required minimum throughput 1000";
    assert!(negative.message().contains(expected), "{}", negative.message());
    for (name, value) in [
        ("x-ms-offer-throughput", "100"),
        ("x-ms-offer-throughput", "many"),
        ("x-ms-cosmos-offer-autopilot-settings", "{"),
        ("x-ms-cosmos-offer-autopilot-settings", "{}"),
        ("x-ms-cosmos-offer-autopilot-settings", r#"{"maxThroughput":1500}"#),
    ] {
        create(name, value).send().await.expect(400);
    }
    create("x-ms-offer-throughput", "400")
        .header("x-ms-cosmos-offer-autopilot-settings", r#"{"maxThroughput":4000}"#)
        .send()
        .await
        .expect(400);
    assert_eq!(server.get("/dbs").await["_count"], 0);
}
