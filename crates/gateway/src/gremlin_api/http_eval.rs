//! The same without a WebSocket: a text over plain HTTP, as Gremlin Server takes it, for scripts and `curl`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{Method, StatusCode, header};
use orrery_gremlin::io::{Format, Named, Request as GremlinRequest, read_value};
use orrery_gremlin::value::{GMap, GValue};
use percent_encoding::percent_decode_str;
use tokio::sync::mpsc;

use super::answer::Outlet;
use super::command::Command;
use super::credentials::Principal;
use super::envelope::{Envelope, Outgoing, Voice};
use super::fault::Fault;
use super::limits::MAX_BODY_BYTES;
use super::server::{Job, Operation, Server};
use crate::auth::{SignedRequest, SignedResource};
use crate::listen::{BodyError, Request, Response};
use crate::reply::{self, Reply};

/// Answers a GET or POST.
pub(super) async fn answer(server: &Arc<Server>, request: Request) -> Response {
    let Request { head, body, connection } = request;
    let format = format_of(&head);
    let voice = Voice { format, is_text: false };
    let host = format!("/{}", connection.peer()).into();
    let mut envelope = Envelope::new(Some(crate::activity_id::new()), voice, host);
    let principal = match log_in(server, &head) {
        Ok(principal) => principal,
        Err(fault) => return reply_to(&envelope.failure(&fault), format),
    };
    let answered = match read_arguments(&head, body).await {
        Ok(args) => run(server, principal, args, &envelope).await,
        Err(fault) => Err(fault),
    };
    let outgoing = answered.unwrap_or_else(|fault| envelope.failure(&fault));
    reply_to(&outgoing, format)
}

/// Tells the traversal when the client is gone: the listener drops what answers it.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

async fn run(server: &Arc<Server>, principal: Principal, args: Named, envelope: &Envelope) -> Result<Outgoing, Fault> {
    let id = envelope.request_id.unwrap_or_default();
    let request = GremlinRequest { id, op: "eval".to_owned(), processor: String::new(), args };
    let Command::Evaluate(evaluation) = Command::parse(request)? else {
        return Err(Fault::malformed("only texts are run over plain HTTP"));
    };
    let (out, mut answers) = mpsc::channel(1);
    let gone = Gone(Arc::default());
    let job = Box::new(Job {
        principal: Arc::new(principal),
        evaluation,
        operation: Operation::HttpEval,
        envelope: envelope.clone(),
        outlet: Outlet::Single(out),
        turn: None,
        _in_flight: server.admit(None)?,
        _unanswered: None,
        running: None,
        cancelled: gone.0.clone(),
    });
    server.clone().run(job).await;
    answers.recv().await.ok_or(Fault::Panicked)
}

/// Basic credentials are those of the WebSocket; anything else is what the SQL API takes.
fn log_in(server: &Server, head: &Parts) -> Result<Principal, Fault> {
    let text = |name: header::HeaderName| head.headers.get(name).and_then(|value| value.to_str().ok());
    let given = text(header::AUTHORIZATION);
    let basic =
        given.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"));
    if let Some((_, credentials)) = basic {
        let wrong = || Fault::unauthorized("the basic credentials are not user:password in base64");
        let credentials = STANDARD.decode(credentials.trim()).map_err(|_| wrong())?;
        let credentials = String::from_utf8(credentials).map_err(|_| wrong())?;
        let (user, password) = credentials.split_once(':').ok_or_else(wrong)?;
        return Principal::with_password(&server.authenticator, user, password);
    }
    let resource = SignedResource::from_path(head.uri.path());
    let signed = SignedRequest {
        verb: head.method.as_str(),
        resource_type: resource.resource_type,
        resource_link: &resource.link,
        x_ms_date: text(reply::names::DATE),
        date: text(header::DATE),
    };
    let identity = server.authenticator.authenticate(&signed, given, SystemTime::now());
    identity.map(Principal::of_identity).map_err(|error| Fault::unauthorized(error.to_string()))
}

async fn read_arguments(head: &Parts, body: crate::listen::RequestBody) -> Result<Named, Fault> {
    if head.method == Method::GET {
        return Ok(arguments_of_query(head.uri.query().unwrap_or_default()));
    }
    let body = body.collect(MAX_BODY_BYTES).await.map_err(|error| match error {
        BodyError::TooLarge { .. } => Fault::invalid(error.to_string()),
        other => Fault::malformed(other.to_string()),
    })?;
    match read_value(&body, Format::GraphSon3)? {
        GValue::Map(members) => {
            let named = Arc::unwrap_or_clone(members).into_iter().filter_map(|(name, value)| match name {
                GValue::String(name) => Some((name, value)),
                _ => None,
            });
            Ok(named.collect())
        }
        _ => Err(Fault::malformed("the body is a JSON object with a member 'gremlin'")),
    }
}

/// `gremlin=..`, `bindings.<name>=<JSON or text>`, `g=<graph>`, and settings.
fn arguments_of_query(query: &str) -> Named {
    let mut args = Named::default();
    let mut bindings = GMap::default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let text = percent_decode_str(&value.replace('+', " ")).decode_utf8_lossy().into_owned();
        let json = || read_value(text.as_bytes(), Format::GraphSon3).unwrap_or_else(|_| text.as_str().into());
        match (name, name.strip_prefix("bindings.")) {
            (_, Some(variable)) => drop(bindings.insert(variable.into(), json())),
            ("g", _) => drop(args.insert("aliases".into(), GValue::map([("g".into(), text.as_str().into())]))),
            ("gremlin" | "language" | "materializeProperties", _) => {
                drop(args.insert(name.into(), text.as_str().into()))
            }
            _ => drop(args.insert(name.into(), json())),
        }
    }
    if !bindings.is_empty() {
        args.insert("bindings".into(), GValue::Map(bindings.into()));
    }
    args
}

/// The first format of the `accept` header that there is.
fn format_of(head: &Parts) -> Format {
    let accepted = head.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').find_map(|one| Format::from_mime(one.trim())).unwrap_or(Voice::PLAIN.format)
}

fn reply_to(outgoing: &Outgoing, format: Format) -> Response {
    let status = match outgoing.service_code {
        1004 => StatusCode::BAD_REQUEST,
        code => u16::try_from(code)
            .ok()
            .and_then(|code| StatusCode::from_u16(code).ok())
            .filter(|code| code.as_u16() < 600)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    };
    let reply = Reply::new(status).facts(Operation::HttpEval.facts(0.0));
    let reply = if status == StatusCode::UNAUTHORIZED {
        reply.constant(header::WWW_AUTHENTICATE, "Basic realm=\"/dbs/<database>/colls/<graph> and the account key\"")
    } else {
        reply
    };
    let content_type = if format == Voice::PLAIN.format { "application/json" } else { format.mime() };
    reply.constant(header::CONTENT_TYPE, content_type).body(outgoing.bytes.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_string_holds_the_text_its_variables_and_settings() {
        let args = arguments_of_query(
            "gremlin=g.V(x)%2Ecount()&bindings.x=%22a%22&bindings.n=1&bindings.t=a+b&evaluationTimeout=5&g=db.graph",
        );
        assert_eq!(args["gremlin"], "g.V(x).count()".into());
        assert_eq!(args["evaluationTimeout"], 5.into());
        let bindings = GValue::map([("x".into(), "a".into()), ("n".into(), 1.into()), ("t".into(), "a b".into())]);
        assert_eq!(args["bindings"], bindings);
        assert_eq!(args["aliases"], GValue::map([("g".into(), "db.graph".into())]));
    }
}
