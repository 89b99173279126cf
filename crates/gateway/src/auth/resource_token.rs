//! Resource tokens: what a permission lets its holder do, signed by this server.
//!
//! ```text
//! type=resource&ver=1&sig=<base64 HMAC-SHA256 of the claims text>;<base64 of the claims>;
//! ```
//! The claims are compact JSON. The server keeps no list of tokens: deleting a permission ends its
//! tokens at their expiry, as with the service.

use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::date::{show, unix_seconds};
use super::key::LENIENT_BASE64;
use super::scheme::signature;
use super::{AuthError, Key, Keys};

/// Separates the token key from the account key it is derived from.
const KEY_PURPOSE: &[u8] = b"orrery resource token v1";
/// Longer tokens are refused unread; a partition key of 2 KiB and names of 255 characters fit.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// Issues and verifies resource tokens.
#[derive(Debug, Clone)]
pub struct TokenSigner {
    key: Key,
}

/// What a permission grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The permission's rid.
    #[serde(rename = "p")]
    pub permission_rid: String,
    /// The rid of the permission's user.
    #[serde(rename = "u")]
    pub user_rid: String,
    /// The name link of the granted subtree: `dbs/x/colls/y`.
    #[serde(rename = "l")]
    pub resource_link: String,
    /// The rid of the granted resource, so that a recreated one of the same name is not granted.
    #[serde(rename = "r")]
    pub resource_rid: String,
    /// Reads only, or everything.
    #[serde(rename = "m")]
    pub mode: PermissionMode,
    /// The one logical partition that is granted, as a JSON array; all if `None`.
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<String>,
    /// Seconds since 1970 at which the token ends.
    #[serde(rename = "e")]
    pub expires: i64,
}

/// What a permission allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PermissionMode {
    /// Reads and queries.
    Read,
    /// Reads and writes.
    All,
}

impl TokenSigner {
    /// Signs with a secret of its own.
    pub fn new(key: Key) -> TokenSigner {
        TokenSigner { key }
    }

    /// Signs with a secret made from the primary key: tokens survive a restart, and end when that key is replaced.
    pub fn derived_from(keys: &Keys) -> TokenSigner {
        TokenSigner::new(Key::from_bytes(&keys.primary.sign(&[KEY_PURPOSE])))
    }

    /// The token text for a permission's `_token`.
    pub fn issue(&self, grant: &Grant) -> String {
        let claims = serde_json::to_string(grant).expect("strings and numbers always serialise");
        let claims = STANDARD.encode(claims);
        let mac = STANDARD.encode(self.key.sign(&[claims.as_bytes()]));
        format!("type=resource&ver=1&sig={mac};{claims};")
    }

    /// What the token grants; `token` is the text after `sig=`, see [`AuthScheme`](super::AuthScheme).
    pub fn verify(&self, token: &str, now: SystemTime) -> Result<Grant, AuthError> {
        let grant = self.open(token).ok_or(AuthError::TokenInvalid)?;
        if unix_seconds(now) >= grant.expires {
            return Err(AuthError::TokenExpired { expired: show(grant.expires) });
        }
        Ok(grant)
    }

    fn open(&self, token: &str) -> Option<Grant> {
        if token.len() > MAX_TOKEN_BYTES {
            return None;
        }
        let (mac, claims) = token.split_once(';')?;
        let claims = claims.strip_suffix(';').unwrap_or(claims);
        // Nothing of the claims is read before the signature has been found right.
        if !self.key.verify(&[claims.as_bytes()], &signature(mac)?) {
            return None;
        }
        let claims = LENIENT_BASE64.decode(claims).ok()?;
        serde_json::from_slice(&claims).ok()
    }
}
