//! Why a server did not do what it was asked.

use http::StatusCode;

/// Errors of a call, by what the user can do about them.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// Nothing answers there.
    #[error(
        "cannot connect to {endpoint}: {reason}. Is the server running (orrery serve)? --endpoint names another (--table-endpoint that of tables), --data-dir works on a folder without a server"
    )]
    Connect {
        /// The server.
        endpoint: String,
        /// What the system said.
        reason: String,
    },
    /// The server's certificate is not trusted, or what answers speaks no TLS.
    #[error(
        "no secure connection to {endpoint}: {reason}. --ca FILE trusts a certificate (cert.pem in the server's data folder), --insecure takes any on this machine"
    )]
    Tls {
        /// The server.
        endpoint: String,
        /// What the library said.
        reason: String,
    },
    /// The connection broke or went silent, and so did the ones after it.
    #[error("the connection to {endpoint} failed: {reason}")]
    Broken {
        /// The server.
        endpoint: String,
        /// What happened.
        reason: String,
    },
    /// The server said no.
    #[error("the server answered {}: {message}{}", status.as_u16(), hint(*status))]
    Refused {
        /// Its status.
        status: StatusCode,
        /// Its sub-status, 0 without one.
        sub_status: u32,
        /// What it said.
        message: String,
    },
    /// The server was asked again and again, and had no time.
    #[error("the server is too busy: it answered {} for {waited_s} s", status.as_u16())]
    Busy {
        /// Its last status.
        status: StatusCode,
        /// For how long it was asked.
        waited_s: u64,
    },
    /// The server's answer makes no sense.
    #[error("the answer of {endpoint} cannot be read: {reason}. Is it an orrery server?")]
    Reply {
        /// The server.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl RemoteError {
    /// Whether the addressed thing does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, RemoteError::Refused { status: StatusCode::NOT_FOUND, .. })
    }

    /// Whether the thing to be made exists already.
    pub fn is_conflict(&self) -> bool {
        matches!(self, RemoteError::Refused { status: StatusCode::CONFLICT, .. })
    }

    /// Whether a partition was split meanwhile, so that the ranges must be read again.
    pub fn is_range_gone(&self) -> bool {
        matches!(self, RemoteError::Refused { status: StatusCode::GONE, .. })
    }

    /// Whether the sent item, not the request, is what the server refused.
    pub fn is_item_fault(&self) -> bool {
        matches!(
            self,
            RemoteError::Refused {
                status: StatusCode::BAD_REQUEST
                    | StatusCode::CONFLICT
                    | StatusCode::PRECONDITION_FAILED
                    | StatusCode::PAYLOAD_TOO_LARGE,
                ..
            }
        )
    }
}

fn hint(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => ". --key or ORRERY_KEY must hold the account key the server was started with",
        StatusCode::FORBIDDEN => ". A read-only key cannot write, and the clocks must agree",
        _ => "",
    }
}
