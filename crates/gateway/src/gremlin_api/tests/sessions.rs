//! Sessions over the wire.

use orrery_gremlin::io::{Format, Response};
use orrery_gremlin::value::GValue;

use super::lab::{Client, Lab};

async fn ask(client: &mut Client, session: &str, text: &str) -> Response {
    client.ask("eval", "session", &[("gremlin", text.into()), ("session", session.into())]).await.pop().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_stay_in_their_session_until_it_is_closed() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    assert_eq!(ask(&mut client, "one", "x = g.inject(5).next()").await.data, Some(vec![5.into()]));
    assert_eq!(ask(&mut client, "one", "g.inject(x)").await.data, Some(vec![5.into()]));
    assert_eq!(ask(&mut client, "two", "g.inject(x)").await.code, 597);
    let closed = client.ask("close", "session", &[("session", "one".into())]).await.pop().unwrap();
    assert_eq!(closed.code, 204);
    assert_eq!(ask(&mut client, "one", "g.inject(x)").await.code, 597);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_a_session_run_one_after_the_other() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    ask(&mut client, "s", "x = 0").await;
    let mut last = None;
    for number in 1..=40 {
        let text = format!("x = {number}");
        last =
            Some(client.send("eval", "session", &[("gremlin", text.as_str().into()), ("session", "s".into())]).await);
    }
    while client.receive().await.request_id != last {}
    assert_eq!(ask(&mut client, "s", "g.inject(x)").await.data, Some(vec![40.into()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn beginning_and_committing_do_nothing_and_rolling_back_is_refused() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    assert_eq!(ask(&mut client, "s", "g.tx().begin()").await.code, 204);
    assert_eq!(ask(&mut client, "s", "g.tx().commit()").await.code, 204);
    let refused = ask(&mut client, "s", "g.tx().rollback()").await;
    assert!(refused.code == 597 && refused.message.contains("rollback()"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_has_so_many_sessions_and_no_more() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    let mut codes = Vec::new();
    for number in 0..17 {
        codes.push(ask(&mut client, &format!("s{number}"), "x = 1").await.code);
    }
    assert_eq!((codes[15], codes[16]), (200, 429));
    let by_uuid = GValue::Uuid(uuid::Uuid::nil());
    client.ask("close", "session", &[("session", by_uuid)]).await;
}
