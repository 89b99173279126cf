//! Who a request comes from, and what that allows.
//!
//! The `authorization` header names one of three schemes ([`AuthScheme`]): a signature made with an account key
//! ([`MasterKeyAuth`]), a resource token issued for a permission ([`TokenSigner`]), or an identity token
//! ([`bearer`]). [`Authenticator`] checks all three; nothing in here knows of HTTP statuses.

mod authenticator;
pub mod bearer;
mod date;
mod error;
mod key;
mod master;
mod resource_token;
mod scheme;
mod signed_resource;

pub use authenticator::{AadMode, Authenticator, Identity};
pub use bearer::AadIdentity;
pub use date::parse_rfc1123;
pub use error::AuthError;
pub use key::{EMULATOR_KEY, Key, KeyError, KeyRole, Keys};
pub use master::{CLOCK_WINDOW, MasterKeyAuth, SignedRequest};
pub use resource_token::{Grant, PermissionMode, TokenSigner};
pub use scheme::{AuthScheme, MAX_AUTHORIZATION_BYTES, Signature};
pub use signed_resource::SignedResource;
