//! Requests and responses as other clients spell them.

use orrery_gremlin::GValue;
use orrery_gremlin::io::{Format, Named, Request, Response};
use orrery_gremlin::value::{Traverser, Uuid};

use super::values::{REQUEST_ID, vertex};

fn id() -> Uuid {
    Uuid::parse_str(REQUEST_ID).unwrap()
}

fn response(data: Option<Vec<GValue>>) -> Response {
    Response {
        request_id: Some(id()),
        code: 200,
        message: String::new(),
        attributes: Named::from_iter([("x-ms-request-charge".into(), 2.5.into())]),
        data,
        meta: Named::default(),
    }
}

fn written(response: &Response, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    response.write(format, &mut out).unwrap();
    out
}

#[test]
fn ids_and_arguments_are_read_typed_or_not() {
    let ids = [format!("\"{REQUEST_ID}\""), format!(r#"{{"@type":"g:UUID","@value":"{REQUEST_ID}"}}"#)];
    let args = [
        r#"{"gremlin":"g.V()","batchSize":64}"#,
        r#"{"@type":"g:Map","@value":["gremlin","g.V()","batchSize",{"@type":"g:Int32","@value":64}]}"#,
    ];
    let args_read = Named::from_iter([("gremlin".into(), "g.V()".into()), ("batchSize".into(), 64.into())]);
    for request_id in &ids {
        for args in args {
            let text = format!(r#"{{"requestId":{request_id},"op":"eval","processor":"","args":{args}}}"#);
            let request = Request::read(Format::GraphSon2Untyped, text.as_bytes()).unwrap();
            let wanted = Request { id: id(), op: "eval".into(), processor: String::new(), args: args_read.clone() };
            assert_eq!(request, wanted);
        }
    }
}

#[test]
fn a_processor_and_arguments_may_be_missing() {
    let text = format!(r#"{{"requestId":"{REQUEST_ID}","op":"close","processor":null}}"#);
    let request = Request::read(Format::GraphSon1, text.as_bytes()).unwrap();
    assert_eq!((&*request.processor, request.args.len()), ("", 0));
}

#[test]
fn what_is_no_request_is_refused_with_the_place() {
    for (text, message) in [
        ("[]", "expected a request at offset 0, found an array"),
        (r#"{"op":"eval"}"#, "expected a requestId at offset 0, found none"),
        (r#"{"requestId":"1","op":"eval"}"#, "expected a UUID at offset 13, found 1"),
        (r#"{"requestId":1}"#, "expected a UUID at offset 13, found a number"),
    ] {
        assert_eq!(Request::read(Format::GraphSon3, text.as_bytes()).unwrap_err().to_string(), message);
    }
    let text = format!(r#"{{"requestId":"{REQUEST_ID}","op":"eval","args":[]}}"#);
    let error = Request::read(Format::GraphSon3, text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "expected a map with strings as keys at offset 71, found an array");
    let error = Request::read(Format::GraphBinary, b"\x01").unwrap_err().to_string();
    assert_eq!(error, "expected version 0x81 at offset 0, found 0x01");
}

#[test]
fn requests_read_back() {
    let args = Named::from_iter([
        ("gremlin".into(), "g.V(x)".into()),
        ("bindings".into(), GValue::map([("x".into(), 1.into())])),
    ]);
    let request = Request { id: id(), op: "eval".into(), processor: "session".into(), args };
    for format in [Format::GraphSon1, Format::GraphSon2, Format::GraphSon3, Format::GraphBinary] {
        let mut out = Vec::new();
        request.write(format, &mut out).unwrap();
        assert_eq!(Request::read(format, &out).unwrap(), request);
    }
}

#[test]
fn the_service_answers_without_types() {
    let text = written(&response(Some(vec![vertex("1", None), 5_i64.into()])), Format::GraphSon2Untyped);
    let wanted = format!(
        r#"{{"requestId":"{REQUEST_ID}","status":{{"message":"","code":200,"attributes":{{"x-ms-request-charge":2.5}}}},"result":{{"data":[{{"id":"1","label":"person","type":"vertex"}},5],"meta":{{}}}}}}"#
    );
    assert_eq!(String::from_utf8(text).unwrap(), wanted);
}

#[test]
fn graph_son_3_types_the_maps_and_the_list_of_an_answer() {
    let text = written(&response(Some(vec![])), Format::GraphSon3);
    let wanted = format!(
        r#"{{"requestId":"{REQUEST_ID}","status":{{"message":"","code":200,"attributes":{{"@type":"g:Map","@value":["x-ms-request-charge",{{"@type":"g:Double","@value":2.5}}]}}}},"result":{{"data":{{"@type":"g:List","@value":[]}},"meta":{{"@type":"g:Map","@value":[]}}}}}}"#
    );
    assert_eq!(String::from_utf8(text).unwrap(), wanted);
}

#[test]
fn an_answer_to_nobody_and_one_without_data_read_back() {
    for format in [Format::GraphSon1, Format::GraphSon2, Format::GraphSon3, Format::GraphBinary] {
        let answer = Response { request_id: None, ..response(None) };
        assert_eq!(Response::read(format, &written(&answer, format)).unwrap(), answer);
    }
}

#[test]
fn a_console_gets_texts() {
    let traverser = Traverser { bulk: 2, value: vertex(1, None) };
    let answer = response(Some(vec![vertex(1, None), GValue::Traverser(traverser.into()), GValue::list([1.into()])]));
    let read = Response::read(Format::GraphBinaryText, &written(&answer, Format::GraphBinaryText)).unwrap();
    let bulked = GValue::Traverser(Traverser { bulk: 2, value: "v[1]".into() }.into());
    assert_eq!(read.data, Some(vec!["v[1]".into(), bulked, "[1]".into()]));
}
