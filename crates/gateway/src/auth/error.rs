//! Why a request is not allowed.

/// Why a request could not be authenticated. The adapters map each to a status and a body of their API.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// No `authorization` header.
    #[error("required header 'authorization' is missing")]
    Missing,
    /// The header is not of the form `type=..&ver=..&sig=..`.
    #[error("the authorization header is malformed: {why}")]
    Malformed {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The header's `type` is none of master, resource, aad.
    #[error("authorization type '{scheme}' is not supported, use master, resource or aad")]
    UnknownScheme {
        /// The type as given, cut to a printable length.
        scheme: String,
    },
    /// A signed request carries neither `x-ms-date` nor `date`.
    #[error("one of the headers 'x-ms-date' and 'date' is required")]
    DateMissing,
    /// The date is not in the form of RFC 1123.
    #[error("the date header '{value}' is not of the form 'Tue, 01 Nov 1994 08:12:31 GMT'")]
    DateMalformed {
        /// The header's value, cut to a printable length.
        value: String,
    },
    /// The signed date is too far from the server's clock.
    #[error(
        "The authorization token is not valid at the current time. Please create another token and retry \
         (token start time: {date}, current server time: {server_date})."
    )]
    DateOutsideWindow {
        /// The signed date as given.
        date: String,
        /// The server's clock.
        server_date: String,
    },
    /// No account key makes the given signature of this request.
    #[error(
        "The input authorization token can't serve the request. Please check that the expected payload is \
         built as per the protocol, and check the key being used. Server used the following payload to \
         sign: '{payload}'"
    )]
    SignatureMismatch {
        /// The text to sign with line feeds shown as `\n`.
        payload: String,
    },
    /// The resource token was not issued by this server, or was changed.
    #[error("The input authorization token can't serve the request. The resource token is not one of this account.")]
    TokenInvalid,
    /// The resource token's time is over.
    #[error("The resource token expired at {expired}; read the permission again for a new one.")]
    TokenExpired {
        /// When, as RFC 1123.
        expired: String,
    },
    /// An identity token came to a server that does not take them.
    #[error(
        "Microsoft Entra ID tokens are not accepted, because this server cannot check who issued them; use an \
         account key, or start the server with --allow-aad to accept any unexpired token unchecked"
    )]
    AadDisabled,
    /// The identity token is no JSON Web Token.
    #[error("the identity token is malformed: {why}")]
    AadMalformed {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The identity token's time is over or has not begun.
    #[error("the identity token is not valid at the current server time {server_date}")]
    AadOutsideValidity {
        /// The server's clock.
        server_date: String,
    },
}

/// How much of a client's own value an error repeats.
const MAX_ECHO_CHARS: usize = 64;

/// `text` cut to a length that is fit to print.
pub(super) fn echo(text: &str) -> String {
    text.chars().take(MAX_ECHO_CHARS).collect()
}
