//! Frames, batches, codes and bounds.

use std::collections::HashMap;

use futures_util::SinkExt;
use orrery_gremlin::io::{Format, Response};
use orrery_gremlin::value::GValue;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::lab::{Lab, steps};

const FORMATS: [Format; 6] = [
    Format::GraphSon1,
    Format::GraphSon2Untyped,
    Format::GraphSon2,
    Format::GraphSon3,
    Format::GraphSon3Untyped,
    Format::GraphBinary,
];

#[tokio::test(flavor = "multi_thread")]
async fn every_format_is_answered_in_kind_with_the_services_figures() {
    let lab = Lab::start().await;
    for format in FORMATS {
        let mut client = lab.client(format).await;
        let answer = client.eval("g.inject(1, 2)").await;
        assert_eq!((answer.code, answer.data), (200, Some(vec![1.into(), 2.into()])), "{format:?}");
        for name in
            ["x-ms-status-code", "x-ms-total-request-charge", "x-ms-total-server-time-ms", "x-ms-activity-id", "host"]
        {
            assert!(answer.attributes.contains_key(name), "{format:?} {name}");
        }
        let nothing = client.eval("g.inject(1).is(2)").await;
        assert_eq!((nothing.code, nothing.data), (204, Some(Vec::new())), "{format:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_come_in_batches_of_the_size_asked_for() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    let shape = |answers: Vec<Response>| -> Vec<(u16, usize)> {
        answers.into_iter().map(|answer| (answer.code, answer.data.map_or(0, |data| data.len()))).collect()
    };
    let text = ("gremlin", GValue::from("g.inject(1,2,3,4,5)"));
    let answers = client.ask("eval", "", &[text, ("batchSize", 2.into())]).await;
    assert_eq!(shape(answers), [(206, 2), (206, 2), (200, 1)]);
    let from_source = ("gremlin", GValue::from("g.with('batchSize', 4).inject(1,2,3,4,5)"));
    assert_eq!(shape(client.ask("eval", "", &[from_source]).await), [(206, 4), (200, 1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytecode_gives_traversers_with_bulks_and_texts_give_each_object() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphBinary).await;
    let answer = client.bytecode(steps(&[("inject", &["a".into(), "a".into()])])).await;
    let bulks: i64 = answer
        .data
        .unwrap()
        .iter()
        .map(|value| match value {
            GValue::Traverser(traverser) => traverser.bulk,
            other => panic!("{other:?}"),
        })
        .sum();
    assert_eq!(bulks, 2);
    assert_eq!(client.eval("g.inject('a', 'a')").await.data, Some(vec!["a".into(), "a".into()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_over_text_frames_or_in_fragments_is_answered_likewise() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon2Untyped).await;
    let body = r#"{"requestId":"41d2e28a-20a4-4ab0-b379-d810dede3786","op":"eval","processor":"","args":{"gremlin":"g.inject(7)"}}"#;
    client.socket.send(Message::text(body)).await.unwrap();
    assert_eq!(client.receive().await.data, Some(vec![7.into()]));
    let (first, second) = body.split_at(40);
    client.socket.send(Message::Ping("are you there".into())).await.unwrap();
    let fragment =
        |text: &str, kind, is_last| Message::Frame(Frame::message(text.to_owned(), OpCode::Data(kind), is_last));
    client.socket.send(fragment(first, Data::Text, false)).await.unwrap();
    client.socket.send(fragment(second, Data::Continue, true)).await.unwrap();
    assert_eq!(client.receive().await.data, Some(vec![7.into()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_wrong_request_has_its_code() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    client.socket.send(Message::binary(b"\x04what{}".to_vec())).await.unwrap();
    assert_eq!(client.receive().await.code, 498);
    client.socket.send(Message::text("no json")).await.unwrap();
    assert_eq!(client.receive().await.code, 498);
    let text = |text: &str| ("gremlin", GValue::from(text));
    let bindings = |name: &str| ("bindings", GValue::map([(name.into(), 1.into())]));
    for (op, processor, args, code) in [
        ("fly", "", vec![], 498),
        ("eval", "none", vec![text("g")], 498),
        ("eval", "", vec![], 499),
        ("eval", "", vec![text("g.V(x)"), bindings("not a name")], 499),
        ("eval", "", vec![text("g.inject(x)"), bindings("x")], 200),
        ("eval", "", vec![text("g.inject(x)")], 597),
        ("eval", "", vec![text("g.inject(")], 597),
        ("eval", "", vec![text("g.inject(1).fail('so not')")], 595),
        ("eval", "", vec![text("g.with('evaluationTimeout', 30).inject(1).repeat(identity())")], 598),
        ("eval", "", vec![text("g.tx().rollback()")], 597),
        ("eval", "", vec![text("g.tx().commit()")], 499),
    ] {
        let answer = client.ask(op, processor, &args).await.pop().unwrap();
        assert_eq!(answer.code, code, "{op} {args:?} {}", answer.message);
    }
}

/// Such requests are tried on the thread of their connection, and what they add is written by a task.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_request_adds_is_there_once_it_is_answered_and_up_to_what_was_refused() {
    let lab = Lab::start().await;
    let (mut client, mut other) = (lab.client(Format::GraphSon3).await, lab.client(Format::GraphSon3).await);
    let added = "g.addV('v').property(id, 'a').as('a').addV('v').property(id, 'b').addE('knows').from('a').label()";
    let refused = "g.addV('v').property(id, 'c').addV('v').property(id, 'a').addV('v').property(id, 'd')";
    let failed = "g.addV('v').property(id, 'e').fail('so not')";
    for (text, code, ids, edges) in [
        (added, 200, &["a", "b"][..], 1),
        (refused, 500, &["a", "b", "c"], 1),
        (failed, 595, &["a", "b", "c", "e"], 1),
        ("g.V('a').addE('knows').to(__.V('e')); g.V('a').out().count()", 200, &["a", "b", "c", "e"], 2),
    ] {
        let answer = client.eval(text).await;
        assert_eq!(answer.code, code, "{text}: {}", answer.message);
        let found = other.eval("g.V().id().order()").await.data.unwrap();
        assert_eq!(found, ids.iter().map(|id| GValue::from(*id)).collect::<Vec<_>>(), "{text}");
        assert_eq!(other.eval("g.E().count()").await.data, Some(vec![i64::from(edges).into()]), "{text}");
    }
    // More messages than are held: it is begun anew, and nothing is there twice.
    let many = [("gremlin", GValue::from("g.inject(1,2,3,4,5,6).addV('many')")), ("batchSize", 1.into())];
    assert_eq!(client.ask("eval", "", &many).await.len(), 6);
    assert_eq!(other.eval("g.V().hasLabel('many').count()").await.data, Some(vec![6_i64.into()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_run_in_order_and_terminals_make_of_results_what_they_say() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    let all = |values: &[i32]| Some(values.iter().map(|value| (*value).into()).collect::<Vec<GValue>>());
    for (text, data) in [
        ("g.inject(1); g.inject(2)", all(&[2])),
        ("g.inject(1,2,3).next()", all(&[1])),
        ("g.inject(1,2,3).next(2)", all(&[1, 2])),
        ("g.inject(1,2,3).toList()", all(&[1, 2, 3])),
        ("g.inject(1,1,2).toSet()", all(&[1, 2])),
        ("g.inject(1,2).iterate()", all(&[])),
        ("x = g.inject(5).next(); g.inject(x).math('_ + 1')", Some(vec![6.0.into()])),
    ] {
        assert_eq!(client.eval(text).await.data, data, "{text}");
    }
    assert_eq!(client.eval("g.inject(1).is(2).hasNext()").await.data, Some(vec![false.into()]));
    let nothing = client.eval("g.inject(1).is(2).next()").await;
    assert!(nothing.message.contains("NoSuchElement"), "{nothing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_overlap_and_those_over_the_bound_are_told_to_come_back() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    let mut ids = HashMap::new();
    for number in 0..100 {
        let text = format!("g.inject({number})");
        ids.insert(client.send("eval", "", &[("gremlin", text.as_str().into())]).await, number);
    }
    for _ in 0..100 {
        let answer = client.receive().await;
        let number: i32 = ids.remove(&answer.request_id.unwrap()).unwrap();
        assert_eq!(answer.data, Some(vec![number.into()]));
    }
    let slow = "g.with('evaluationTimeout', 1000).inject(1).repeat(identity())";
    for _ in 0..140 {
        client.send("eval", "", &[("gremlin", slow.into())]).await;
    }
    let refused = client.receive().await;
    assert_eq!((refused.code, refused.attributes["x-ms-status-code"].as_i64()), (429, Some(429)));
    assert!(refused.attributes.contains_key("x-ms-retry-after-ms"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_what_it_asked_for() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    client
        .send("eval", "", &[("gremlin", "g.with('evaluationTimeout', 60000).inject(1).repeat(identity())".into())])
        .await;
    while lab.metrics.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    drop(client);
    let ended = async {
        while lab.metrics.in_flight() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), ended).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_finishes_what_is_in_flight_and_closes_the_socket() {
    let lab = Lab::start().await;
    let mut client = lab.client(Format::GraphSon3).await;
    client
        .send("eval", "", &[("gremlin", "g.with('evaluationTimeout', 300).inject(1).repeat(identity())".into())])
        .await;
    while lab.metrics.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    lab.trigger.request();
    assert_eq!(client.receive().await.code, 598);
    client.closed().await;
    assert_eq!(lab.port.await.unwrap().aborted_connections, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_server_has_the_services_limits() {
    let lab = Lab::start_strict().await;
    let mut client = lab.client(Format::GraphSon2Untyped).await;
    let long = format!("g.inject('{}')", "x".repeat(64 * 1024));
    let deep = format!("g.inject(1){}", ".identity()".repeat(400));
    for text in [long, deep] {
        let refused = client.eval(&text).await;
        assert_eq!(refused.attributes["x-ms-status-code"].as_i64(), Some(429), "{}", refused.message);
    }
    assert_eq!(client.eval("g.inject(1)").await.code, 200);
}
