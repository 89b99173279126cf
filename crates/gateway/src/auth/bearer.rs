//! Identity tokens (Microsoft Entra ID, formerly Azure AD).
//!
//! A server on one's own machine has no way to ask who issued a token. So tokens are refused, unless
//! the operator says otherwise, and then any token of the right shape whose time is not over is taken: **its
//! signature is not checked**. That suits tests of code which signs in by token, and nothing else.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;

use super::AuthError;
use super::date::{show, unix_seconds};

/// Longer tokens are refused unread.
const MAX_TOKEN_BYTES: usize = 16 * 1024;
/// How far the issuer's clock may be off.
const CLOCK_SKEW: Duration = Duration::from_secs(5 * 60);

const URL_BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Whom an unchecked identity token names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AadIdentity {
    /// The principal: object id, else subject, else application id; empty if the token names none.
    pub principal: String,
}

#[derive(Deserialize)]
struct Claims {
    exp: Option<f64>,
    nbf: Option<f64>,
    oid: Option<String>,
    sub: Option<String>,
    appid: Option<String>,
}

/// Reads `token` (`header.claims.signature`) and checks its times, but not its signature.
pub fn read_unverified(token: &str, now: SystemTime) -> Result<AadIdentity, AuthError> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(malformed("it is too long"));
    }
    let mut parts = token.split('.');
    let (Some(header), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(malformed("it does not have three parts"));
    };
    let header = json_part(header)?;
    if !serde_json::from_slice::<serde_json::Value>(&header).is_ok_and(|json| json.is_object()) {
        return Err(malformed("its header is not a JSON object"));
    }
    let claims: Claims = serde_json::from_slice(&json_part(claims)?)
        .map_err(|_| malformed("its claims are not JSON of the expected types"))?;
    check_times(&claims, unix_seconds(now))?;
    let principal = claims.oid.or(claims.sub).or(claims.appid);
    Ok(AadIdentity { principal: principal.unwrap_or_default() })
}

/// [`read_unverified`] for the Table service: the token must also be one for the tables of `account`, of an issuer of the identity service.
///
/// # Errors
/// As [`read_unverified`].
pub fn read_unverified_for_tables(token: &str, account: &str, now: SystemTime) -> Result<AadIdentity, AuthError> {
    let identity = read_unverified(token, now)?;
    let claims = token.split('.').nth(1).unwrap_or_default();
    let target: Target =
        serde_json::from_slice(&json_part(claims)?).map_err(|_| malformed("its audience or issuer is not a string"))?;
    let audience = target.aud.trim_end_matches('/');
    let of_account = audience.strip_prefix("https://").and_then(|host| host.strip_prefix(account));
    let known = TABLE_AUDIENCES.contains(&audience) || of_account.is_some_and(|host| TABLE_HOSTS.contains(&host));
    if !known {
        return Err(malformed("its audience is not the Table service"));
    }
    if !ISSUERS.iter().any(|issuer| target.iss.starts_with(issuer)) {
        return Err(malformed("its issuer is not the identity service"));
    }
    Ok(identity)
}

/// Audiences of tokens for any storage account or any Cosmos DB account; the last one is the id of the storage services.
const TABLE_AUDIENCES: [&str; 3] =
    ["https://storage.azure.com", "https://cosmos.azure.com", "e406a681-f3d4-42a8-90b6-c2b029497af1"];
/// Host names of the service behind the account's name.
const TABLE_HOSTS: [&str; 2] = [".table.core.windows.net", ".table.cosmos.azure.com"];
const ISSUERS: [&str; 2] = ["https://sts.windows.net/", "https://login.microsoftonline.com/"];

#[derive(Deserialize)]
struct Target {
    #[serde(default)]
    aud: String,
    #[serde(default)]
    iss: String,
}

fn json_part(part: &str) -> Result<Vec<u8>, AuthError> {
    URL_BASE64.decode(part).map_err(|_| malformed("a part is not base64url"))
}

/// A token without an expiry is refused: every issuer sets one.
fn check_times(claims: &Claims, now: i64) -> Result<(), AuthError> {
    let expires = claims.exp.ok_or(malformed("it has no 'exp' claim"))?;
    let skew = CLOCK_SKEW.as_secs_f64();
    let server_time = now as f64;
    let begins = claims.nbf.unwrap_or(f64::NEG_INFINITY);
    if expires + skew < server_time || begins - skew > server_time {
        return Err(AuthError::AadOutsideValidity { server_date: show(now) });
    }
    Ok(())
}

fn malformed(why: &'static str) -> AuthError {
    AuthError::AadMalformed { why }
}
