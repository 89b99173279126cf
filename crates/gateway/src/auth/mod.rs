//! Who a request comes from, and what that allows.
//!
//! The `authorization` header names one of three schemes ([`AuthScheme`]): a signature made with an account key
//! ([`MasterKeyAuth`]), a resource token issued for a permission ([`TokenSigner`]), or an identity token
//! ([`bearer`]). [`Authenticator`] checks all three. The storage services have schemes of their own: signatures over other parts of a
//! request ([`StorageScheme`]) and shared access signatures ([`Sas`]). Nothing in here knows of HTTP statuses.

mod authenticator;
pub mod bearer;
mod date;
mod error;
mod key;
mod master;
mod resource_token;
mod scheme;
mod shared_key;
mod signed_resource;
mod storage_sas;

pub use authenticator::{AadMode, Authenticator, Identity};
pub use bearer::AadIdentity;
pub use date::parse_rfc1123;
pub use error::AuthError;
pub use key::{EMULATOR_KEY, Key, KeyError, KeyRole, Keys, STORAGE_EMULATOR_ACCOUNT, STORAGE_EMULATOR_KEY};
pub use master::{CLOCK_WINDOW, MasterKeyAuth, SignedRequest};
pub use resource_token::{Grant, PermissionMode, TokenSigner};
pub use scheme::{AuthScheme, MAX_AUTHORIZATION_BYTES, Signature};
pub use shared_key::{SharedKeyForm, SignedTableRequest, StorageScheme};
pub use signed_resource::SignedResource;
pub use storage_sas::{KeyBound, Sas, SasError, SasGrant, SasPolicy, SasUse};
