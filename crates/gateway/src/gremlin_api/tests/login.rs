//! Who is let in, and to what.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orrery_gremlin::io::Format;
use orrery_gremlin::value::GValue;

use super::lab::{Lab, READ_ONLY_KEY, USER, authenticator, steps};
use crate::auth::{EMULATOR_KEY, Grant, PermissionMode};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_is_challenged_and_answered_once_the_client_has_logged_in() {
    let lab = Lab::start().await;
    for format in [Format::GraphSon2Untyped, Format::GraphSon3, Format::GraphBinary] {
        let mut client = lab.stranger(format).await;
        let first = client.send("eval", "", &[("gremlin", "g.inject(1)".into())]).await;
        let challenge = client.receive().await;
        assert_eq!((challenge.code, challenge.request_id, challenge.data), (407, Some(first), None));
        // No second challenge for what came meanwhile.
        let second = client.send("eval", "", &[("gremlin", "g.inject(2)".into())]).await;
        let sasl = STANDARD.encode(format!("\0{USER}\0{EMULATOR_KEY}"));
        client.send("authentication", "session", &[("sasl", sasl.as_str().into())]).await;
        let mut answers = [client.receive().await, client.receive().await];
        answers.sort_by_key(|answer| answer.request_id != Some(first));
        assert_eq!(answers.clone().map(|answer| answer.request_id), [Some(first), Some(second)]);
        assert_eq!(answers.map(|answer| answer.data), [1, 2].map(|number: i32| Some(vec![number.into()])));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_are_401_and_end_the_connection_after_a_few() {
    let lab = Lab::start().await;
    let mut client = lab.stranger(Format::GraphSon3).await;
    for _ in 0..3 {
        let refused = client.log_in(USER, &STANDARD.encode("some other key, which is long enough")).await;
        assert_eq!((refused.code, refused.attributes["x-ms-status-code"].as_i64()), (401, Some(401)));
    }
    client.closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_reads_does_not_write_whatever_the_traversal_hides() {
    let lab = Lab::start().await;
    let mut client = lab.stranger(Format::GraphSon3).await;
    assert_eq!(client.log_in(USER, &STANDARD.encode(READ_ONLY_KEY)).await.code, 204);
    assert_eq!(client.eval("g.inject(1)").await.code, 200);
    assert_eq!(client.eval("g.addV('person').property('pk', 'a')").await.code, 403);
    assert_eq!(client.eval("g.withoutStrategies(ReadOnlyStrategy).V().sideEffect(drop())").await.code, 403);
    let nested = steps(&[("drop", &[])]);
    assert_eq!(client.bytecode(steps(&[("V", &[]), ("map", &[nested])])).await.code, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_token_opens_its_graph_and_no_other() {
    let lab = Lab::start().await;
    let container = lab.engine.container("db", "people").unwrap();
    let grant = Grant {
        permission_rid: "p".into(),
        user_rid: "u".into(),
        resource_link: "dbs/db/colls/people".into(),
        resource_rid: container.rid().to_owned(),
        mode: PermissionMode::Read,
        partition_key: None,
        expires: i64::MAX,
    };
    let authenticator = authenticator();
    let opens = async |grant: &Grant| {
        let mut client = lab.stranger(Format::GraphSon3).await;
        assert_eq!(client.log_in(USER, &authenticator.tokens().issue(grant)).await.code, 204);
        client.eval("g.V().count()").await.code
    };
    assert_eq!(opens(&grant).await, 200);
    assert_eq!(opens(&Grant { resource_rid: "other".into(), ..grant.clone() }).await, 403);
    assert_eq!(opens(&Grant { resource_link: "dbs/db/colls/other".into(), ..grant.clone() }).await, 403);
    assert_eq!(opens(&Grant { partition_key: Some("[\"a\"]".into()), ..grant }).await, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_stand_for_the_users_graph_or_for_what_an_alias_names() {
    let lab = Lab::start().await;
    let mut client = lab.stranger(Format::GraphSon3).await;
    assert_eq!(client.log_in("stephen", EMULATOR_KEY).await.code, 204);
    assert_eq!(client.eval("g.V().count()").await.code, 499);
    for (target, code) in
        [(USER, 200), ("db.people", 200), ("db.other", 499), ("/dbs/db/colls/other", 500), ("gmodern", 499)]
    {
        let aliases = GValue::map([("g".into(), target.into())]);
        let answers = client.ask("eval", "", &[("gremlin", "g.V().count()".into()), ("aliases", aliases)]).await;
        assert_eq!(answers[0].code, code, "{target}");
    }
    let mut client = lab.stranger(Format::GraphSon2Untyped).await;
    assert_eq!(client.log_in("/dbs/db/colls/gone", EMULATOR_KEY).await.code, 204);
    let missing = client.eval("g.V()").await;
    assert_eq!(missing.attributes["x-ms-status-code"].as_i64(), Some(404));
    assert!(missing.message.contains("Owner resource does not exist"), "{}", missing.message);
}
