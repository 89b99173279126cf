//! Batches in the shapes that clients give them.

use orrery_table::batch::{MAX_BATCH_BYTES, MAX_OPERATIONS, failure_message};
use orrery_table::{Batch, BatchReply, ErrorCode, Part, PartMethod, PartReply};

const CONTENT_TYPE: &str = "multipart/mixed; boundary=batch_1";

/// A batch of one change set of requests.
fn changeset(requests: &[&str]) -> String {
    let parts: String = requests
        .iter()
        .map(|request| {
            format!("--changeset_2\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\n{request}\n")
        })
        .collect();
    format!("--batch_1\nContent-Type: multipart/mixed; boundary=changeset_2\n\n{parts}--changeset_2--\n--batch_1--\n")
}

fn writes(body: &str) -> Vec<Part<'_>> {
    match Batch::parse(CONTENT_TYPE, body.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{body}")) {
        Batch::ChangeSet(parts) => parts,
        Batch::Query(part) => panic!("{part:?}"),
    }
}

fn refusal(body: &str) -> ErrorCode {
    Batch::parse(CONTENT_TYPE, body.as_bytes()).expect_err(body).code
}

#[test]
fn parts_are_read_with_both_line_ends() {
    let text = changeset(&[
        "POST http://127.0.0.1:10002/acc/T?x=1 HTTP/1.1\ncontent-type: application/json\nContent-Length: 3\n\n{\"a\":\n1}\n",
        "DELETE /acc/T(PartitionKey='p',RowKey='r 1')\nIf-Match: *\n\n",
    ]);
    for body in [text.clone(), text.replace('\n', "\r\n")] {
        let parts = writes(&body);
        let [insert, delete] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!((insert.method, insert.path_and_query()), (PartMethod::Post, "/acc/T?x=1"));
        assert_eq!(insert.header("Content-Type"), Some("application/http"));
        assert!(insert.body.starts_with(b"{\"a\":") && insert.body.ends_with(b"1}"));
        assert_eq!(
            (delete.method, delete.path_and_query()),
            (PartMethod::Delete, "/acc/T(PartitionKey='p',RowKey='r 1')")
        );
        assert_eq!((delete.header("if-match"), delete.body), (Some("*"), &b""[..]));
    }
}

#[test]
fn much_is_tolerated() {
    let inner =
        "--c\nContent-ID: 7\n\n\n\nPUT /T(PartitionKey='p',RowKey='r') HTTP/1.1\n\n{}\n--c-not-a-boundary\n--c--";
    for body in [
        format!(
            "preamble\n--batch_1  \nCONTENT-TYPE: Multipart/Mixed; charset=x; Boundary=\"c\"\n\n{inner}\n--batch_1--\nepilogue"
        ),
        format!("--batch_1\nContent-Type: multipart/mixed;boundary=c\n\n{inner}"),
    ] {
        let parts = writes(&body);
        assert_eq!((parts.len(), parts[0].method, parts[0].content_id()), (1, PartMethod::Put, Some("7")), "{body}");
        assert_eq!(parts[0].body, b"{}\n--c-not-a-boundary");
    }
    assert!(Batch::parse("multipart/mixed; boundary=\"batch_1\"", changeset(&[]).as_bytes()).is_ok());
    assert_eq!(writes(&changeset(&[])), []);
    assert_eq!(writes("--batch_1--"), []);
    let bare = changeset(&["DELETE /T(PartitionKey='p',RowKey='r') HTTP/1.1\nIf-Match: *"]);
    assert_eq!(writes(&bare)[0].header("If-Match"), Some("*"));
}

#[test]
fn methods_may_be_tunnelled() {
    let method = |request: &str| {
        Batch::parse(CONTENT_TYPE, changeset(&[request]).as_bytes())
            .map(|batch| match batch {
                Batch::ChangeSet(parts) => parts[0].method,
                Batch::Query(part) => part.method,
            })
            .map_err(|error| error.code)
    };
    for (request, expected) in [
        ("PATCH /T HTTP/1.1", Ok(PartMethod::Merge)),
        ("MERGE /T HTTP/1.1", Ok(PartMethod::Merge)),
        ("POST /T HTTP/1.1\nx-http-method: MERGE", Ok(PartMethod::Merge)),
        ("POST /T HTTP/1.1\nX-HTTP-Method: DELETE", Ok(PartMethod::Delete)),
        ("POST /T HTTP/1.1\nX-HTTP-Method: GRAB", Err(ErrorCode::XMethodIncorrectValue)),
        ("POST /T HTTP/1.1\nX-HTTP-Method: GET", Err(ErrorCode::XMethodIncorrectValue)),
        ("PUT /T HTTP/1.1\nX-HTTP-Method: MERGE", Err(ErrorCode::XMethodNotUsingPost)),
        ("POST /T HTTP/1.1\nX-HTTP-Method: PUT\nX-HTTP-Method: PUT", Err(ErrorCode::XMethodIncorrectCount)),
        ("GRAB /T HTTP/1.1", Err(ErrorCode::InvalidHttpVerb)),
        ("GET /T HTTP/1.1", Err(ErrorCode::InvalidInput)),
    ] {
        assert_eq!(method(request), expected, "{request}");
    }
}

#[test]
fn a_query_stands_alone() {
    let body = "--batch_1\r\nContent-Type: application/http\r\n\r\nGET http://h/acc/T()?$filter=a%20eq%201 HTTP/1.1\r\nAccept: x\r\n\r\n\r\n--batch_1--\r\n";
    match Batch::parse(CONTENT_TYPE, body.as_bytes()) {
        Ok(Batch::Query(part)) => {
            assert_eq!((part.path_and_query(), part.header("Accept")), ("/acc/T()?$filter=a%20eq%201", Some("x")));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(refusal(&body.replace("GET", "DELETE")), ErrorCode::InvalidInput);
    let twice = body.replace("--batch_1--", body);
    assert_eq!(refusal(&twice), ErrorCode::InvalidInput);
}

#[test]
fn malformed_and_large_batches_are_refused() {
    for body in [
        "",
        "{}",
        "--other\n\nGET / HTTP/1.1\n",
        "--batch_1\n",
        "--batch_1\nContent-Type: application/http\n\n\n--batch_1--",
        "--batch_1\nno colon\n\nGET / HTTP/1.1\n--batch_1--",
        "--batch_1\n\nGET\n--batch_1--",
        "--batch_1\nContent-Type: multipart/mixed; boundary=c\n\nno boundary\n--batch_1--",
    ] {
        assert_eq!(refusal(body), ErrorCode::InvalidInput, "{body}");
    }
    for content_type in
        ["application/json", "multipart/mixed", "multipart/mixed; boundary=", "multipart/form-data; boundary=batch_1"]
    {
        assert!(Batch::parse(content_type, changeset(&[]).as_bytes()).is_err(), "{content_type}");
    }
    let request = "DELETE /T(PartitionKey='p',RowKey='r') HTTP/1.1\n";
    assert_eq!(writes(&changeset(&[request; MAX_OPERATIONS])).len(), MAX_OPERATIONS);
    assert_eq!(writes(&changeset(&[request; MAX_OPERATIONS + 1])).len(), MAX_OPERATIONS + 1);
    assert_eq!(writes(&changeset(&[request; MAX_OPERATIONS + 50])).len(), MAX_OPERATIONS + 1);
    assert_eq!(refusal(&" ".repeat(MAX_BATCH_BYTES + 1)), ErrorCode::RequestBodyTooLarge);
    let headers = format!("{request}{}", "A: b\n".repeat(65));
    assert_eq!(refusal(&changeset(&[&headers])), ErrorCode::InvalidInput);
    assert!(Batch::parse(CONTENT_TYPE, b"--batch_1\nA: \xff\n\nGET / HTTP/1.1\n--batch_1--").is_err());
}

#[test]
fn replies_have_a_part_for_each_request() {
    let mut reply = BatchReply::to_changeset("b", "c");
    reply.push(&PartReply {
        status: (204, "No Content"),
        headers: &[("Content-ID", "1\r\nEvil: x"), ("ETag", "W/\"x\"")],
        body: b"",
    });
    reply.push(&PartReply { status: (201, "Created"), headers: &[("Content-Type", "application/json")], body: b"{}" });
    let text = String::from_utf8(reply.finish()).unwrap();
    let expected = [
        "--batchresponse_b",
        "Content-Type: multipart/mixed; boundary=changesetresponse_c",
        "",
        "--changesetresponse_c",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        "HTTP/1.1 204 No Content",
        "Content-ID: 1Evil: x",
        "ETag: W/\"x\"",
        "",
        "",
        "--changesetresponse_c",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        "HTTP/1.1 201 Created",
        "Content-Type: application/json",
        "",
        "{}",
        "--changesetresponse_c--",
        "--batchresponse_b--",
        "",
    ];
    assert_eq!(text, expected.join("\r\n"));
    assert_eq!(BatchReply::content_type("b"), "multipart/mixed; boundary=batchresponse_b");
    let mut query = BatchReply::to_query("b");
    query.push(&PartReply { status: (200, "OK"), headers: &[], body: b"{}" });
    let text = String::from_utf8(query.finish()).unwrap();
    assert!(
        text.starts_with("--batchresponse_b\r\nContent-Type: application/http\r\n")
            && text.ends_with("\r\n\r\n{}\r\n--batchresponse_b--\r\n"),
        "{text}"
    );
    assert_eq!(failure_message(2, "It is gone."), "2:It is gone.");
}
