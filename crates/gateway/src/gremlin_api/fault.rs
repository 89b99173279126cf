//! Failures, and how the two worlds that clients come from are told about them.
//!
//! Clients of the service read status attributes and a message in the service's layout; clients of TinkerPop read the status code and
//! compare the bare message. The layout goes to formats that only clients of the service use (GraphSON without types); its text contains the bare
//! message all the same. Codes, attributes and everything else are the same for all.

use std::time::Duration;

use orrery_gremlin::GremlinError;
use orrery_gremlin::graph::GraphError;
use orrery_gremlin::io::{DecodeError, EncodeError};
use orrery_gremlin::run::RunError;
use uuid::Uuid;

use super::limits::MAX_IN_FLIGHT_PER_CONNECTION;

/// How long a client that asks too much should wait.
pub(super) const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Why a request is not answered with results.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// The bytes are no request, or one for an operation that does not exist.
    Malformed { message: String },
    /// An argument is missing or wrong.
    InvalidArguments { message: String },
    /// Nobody proved who they are.
    Unauthorized { message: String },
    /// Who asks may not.
    Forbidden { message: String },
    /// The container does not exist.
    OwnerNotFound { message: String },
    /// A text or its bytecode is no traversal.
    Compile(GremlinError),
    /// A limit that the service has and this server applies when strict.
    ServiceLimit { message: String },
    /// The traversal ended early.
    Run(RunError),
    /// `next()` on nothing.
    NoSuchElement,
    /// The answer would hold more than a bound allows.
    TooMuch { message: String },
    /// Time ran out.
    Timeout { evaluation_timeout: Duration },
    /// More requests than may be in flight.
    TooManyRequests,
    /// A result has no form in the client's format.
    NotSerializable(EncodeError),
    /// A defect of this server.
    Panicked,
}

/// What a client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    /// TinkerPop's.
    pub code: u16,
    /// The service's.
    pub service_code: i32,
    /// The service's name of the failure, which clients look for in the message.
    pub exception_type: &'static str,
    /// What the service puts before its messages.
    pub prefix: &'static str,
    /// The Java class that clients of TinkerPop look for.
    pub class: &'static str,
}

/// How a traversal came, which decides the code of its failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Text,
    Bytecode,
}

impl Fault {
    pub fn malformed(message: impl Into<String>) -> Fault {
        Fault::Malformed { message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Fault {
        Fault::InvalidArguments { message: message.into() }
    }

    pub fn unauthorized(message: impl Into<String>) -> Fault {
        Fault::Unauthorized { message: message.into() }
    }

    pub fn forbidden(message: impl Into<String>) -> Fault {
        Fault::Forbidden { message: message.into() }
    }

    /// Codes and names, of both worlds.
    pub fn status(&self, source: Source) -> Status {
        const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";
        const ILLEGAL_STATE: &str = "java.lang.IllegalStateException";
        const TIMEOUT: &str = "java.util.concurrent.TimeoutException";
        let running = match source {
            Source::Text => 597,
            Source::Bytecode => 500,
        };
        let status = |code, service_code, exception_type, prefix, class| Status {
            code,
            service_code,
            exception_type,
            prefix,
            class,
        };
        let runtime = |service_code, class| {
            status(running, service_code, "GraphRuntimeException", "Gremlin Query Execution Error: ", class)
        };
        match self {
            Fault::Malformed { .. } => status(
                498,
                1004,
                "GraphMalformedException",
                "Gremlin Malformed Request: ",
                "org.apache.tinkerpop.gremlin.util.ser.SerializationException",
            ),
            Fault::InvalidArguments { .. } => {
                status(499, 1004, "InvalidRequestArgumentsException", "Gremlin Invalid Request: ", ILLEGAL_ARGUMENT)
            }
            Fault::Unauthorized { .. } => {
                status(401, 401, "UnauthorizedException", "", "javax.security.sasl.SaslException")
            }
            Fault::Forbidden { .. } => status(403, 403, "ForbiddenException", "", "java.lang.SecurityException"),
            Fault::OwnerNotFound { .. } => status(500, 404, "NotFoundException", "", ILLEGAL_ARGUMENT),
            Fault::Compile(GremlinError::Syntax { .. }) => status(
                597,
                1004,
                "GraphSyntaxException",
                "Gremlin Query Syntax Error: ",
                "org.apache.tinkerpop.gremlin.language.grammar.GremlinParserException",
            ),
            Fault::Compile(_) => {
                status(597, 1004, "GraphCompileException", "Gremlin Query Compilation Error: ", ILLEGAL_ARGUMENT)
            }
            Fault::ServiceLimit { .. } => {
                status(597, 429, "GraphCompileException", "Gremlin Query Compilation Error: ", ILLEGAL_ARGUMENT)
            }
            Fault::Run(error) => match error {
                RunError::Evaluation { .. } => runtime(1000, ILLEGAL_STATE),
                RunError::Verification { .. } => runtime(
                    1004,
                    "org.apache.tinkerpop.gremlin.process.traversal.strategy.verification.VerificationException",
                ),
                RunError::Fail { .. } => Status {
                    code: 595,
                    ..runtime(1000, "org.apache.tinkerpop.gremlin.process.traversal.step.util.Failure$FailException")
                },
                RunError::Timeout => Status { code: 598, ..runtime(1009, TIMEOUT) },
                RunError::Cancelled => runtime(1007, "java.util.concurrent.CancellationException"),
                RunError::OverBudget { .. } => runtime(1003, "java.lang.OutOfMemoryError"),
                RunError::Graph(error) => of_graph(error, running),
                // A kind of failure that the machine has learnt since.
                _ => runtime(500, ILLEGAL_STATE),
            },
            Fault::NoSuchElement => runtime(1000, "java.util.NoSuchElementException"),
            Fault::TooMuch { .. } => runtime(1003, ILLEGAL_STATE),
            Fault::Timeout { .. } => Status { code: 598, ..runtime(1009, TIMEOUT) },
            Fault::TooManyRequests => {
                status(429, 429, "RequestRateTooLargeException", "", "java.util.concurrent.RejectedExecutionException")
            }
            Fault::NotSerializable(_) => {
                Status { code: 599, ..runtime(1001, "org.apache.tinkerpop.gremlin.util.ser.SerializationException") }
            }
            Fault::Panicked => status(500, 500, "InternalServerException", "", "java.lang.RuntimeException"),
        }
    }

    /// What went wrong, in one clause.
    pub fn message(&self) -> String {
        match self {
            Fault::Malformed { message }
            | Fault::InvalidArguments { message }
            | Fault::Unauthorized { message }
            | Fault::Forbidden { message }
            | Fault::OwnerNotFound { message }
            | Fault::ServiceLimit { message }
            | Fault::TooMuch { message } => message.clone(),
            Fault::Compile(error) => error.to_string(),
            Fault::Run(RunError::Graph(GraphError::Conflict { message })) => {
                format!("Conflicting request to resource has been attempted. Retry to avoid conflicts. ({message})")
            }
            Fault::Run(error) => error.to_string(),
            Fault::NoSuchElement => "NoSuchElementException: the traversal has no result to give".to_owned(),
            Fault::Timeout { evaluation_timeout } => format!(
                "the request exceeded its 'evaluationTimeout' of {} ms; give it more time or narrow what it looks at",
                evaluation_timeout.as_millis()
            ),
            Fault::TooManyRequests => format!(
                "Request rate is large: at most {MAX_IN_FLIGHT_PER_CONNECTION} requests of a connection are in flight, and the server has a bound for all; retry later"
            ),
            Fault::NotSerializable(error) => error.to_string(),
            Fault::Panicked => {
                "the server failed on this request; its log has the details under the activity id".to_owned()
            }
        }
    }

    /// The message for a format: in the service's layout where `in_service_layout`.
    pub fn message_for(
        &self,
        in_service_layout: bool,
        request_id: Option<Uuid>,
        activity_id: Uuid,
        source: Source,
    ) -> String {
        let message = self.message();
        if !in_service_layout {
            return message;
        }
        let Status { exception_type, prefix, .. } = self.status(source);
        let interop = match exception_type {
            "GraphSyntaxException" => "GraphSyntaxError",
            "GraphCompileException" => "GraphCompileError",
            _ => "GraphRuntimeError",
        };
        let request_id = request_id.unwrap_or_default();
        format!(
            "\n\nActivityId : {activity_id}\nExceptionType : {exception_type}\nExceptionMessage :\n\t{prefix}{message}\nSource : orrery\n\t\
             GremlinRequestId : {request_id}\n\tContext : graphcompute\n\tScope : graphcomp-execquery\n\t\
             GraphInterOpStatusCode : {interop}\n\tHResult : 0x80131500\n"
        )
    }
}

fn of_graph(error: &GraphError, running: u16) -> Status {
    const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";
    let runtime = |code, service_code, exception_type| Status {
        code,
        service_code,
        exception_type,
        prefix: "Gremlin Query Execution Error: ",
        class: ILLEGAL_ARGUMENT,
    };
    match error {
        GraphError::Conflict { .. } => Status { prefix: "", ..runtime(500, 409, "ResourceConflictException") },
        GraphError::Precondition { .. } => runtime(500, 412, "PreconditionFailedException"),
        GraphError::NotFound { .. } => runtime(500, 404, "NotFoundException"),
        GraphError::Invalid { .. } => runtime(running, 1004, "GraphRuntimeException"),
        GraphError::OverBudget { .. } => runtime(running, 1003, "GraphRuntimeException"),
        GraphError::Unavailable { .. } => runtime(500, 500, "ServiceUnavailableException"),
        // A kind of failure that graphs have learnt since.
        _ => runtime(500, 500, "GraphRuntimeException"),
    }
}

impl From<GremlinError> for Fault {
    fn from(error: GremlinError) -> Fault {
        Fault::Compile(error)
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Fault {
        Fault::malformed(format!("the request is malformed: {error}"))
    }
}

impl From<EncodeError> for Fault {
    fn from(error: EncodeError) -> Fault {
        Fault::NotSerializable(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(message: &str) -> Fault {
        Fault::Run(RunError::Evaluation { message: message.into() })
    }

    #[test]
    fn texts_and_bytecode_fail_with_the_codes_of_their_operations() {
        assert_eq!(evaluation("x").status(Source::Text).code, 597);
        assert_eq!(evaluation("x").status(Source::Bytecode).code, 500);
        let fail = Fault::Run(RunError::Fail { message: "x".into() });
        assert_eq!(fail.status(Source::Text).code, 595);
        let conflict = Fault::Run(RunError::Graph(GraphError::Conflict { message: "id taken".into() }));
        let status = conflict.status(Source::Text);
        assert_eq!((status.code, status.service_code), (500, 409));
        assert!(conflict.message().starts_with("Conflicting request to resource has been attempted."));
    }

    #[test]
    fn the_services_layout_contains_what_clients_parse_and_the_bare_message() {
        let id = Uuid::nil();
        assert_eq!(evaluation("too bad").message_for(false, Some(id), id, Source::Text), "too bad");
        let text = evaluation("too bad").message_for(true, Some(id), id, Source::Text);
        assert!(text.starts_with("\n\nActivityId : 00000000-"), "{text}");
        for part in [
            "ExceptionType : GraphRuntimeException\n",
            "\tGremlin Query Execution Error: too bad\n",
            "\tHResult : 0x80131500",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let syntax = Fault::Compile(GremlinError::Syntax { message: "no".into(), at: Some(1) });
        assert!(
            syntax.message_for(true, None, id, Source::Text).contains("Gremlin Query Syntax Error: no at offset 1")
        );
    }
}
