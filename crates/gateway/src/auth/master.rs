//! Signatures with an account key.

use std::time::{Duration, SystemTime};

use super::date::{parse_rfc1123, show, unix_seconds};
use super::error::echo;
use super::{AuthError, AuthScheme, Key, KeyRole, Keys, Signature};

/// How far a signed date may be from the server's clock, either way.
pub const CLOCK_WINDOW: Duration = Duration::from_secs(15 * 60);

/// Texts to sign up to this length are put together on the stack.
const INLINE_BYTES: usize = 512;

/// The parts of a request that its signature covers.
#[derive(Debug, Clone, Copy)]
pub struct SignedRequest<'a> {
    /// The HTTP method, in any case.
    pub verb: &'a str,
    /// See [`SignedResource`](super::SignedResource), which also makes the link.
    pub resource_type: &'a str,
    /// Percent-decoded, or a rid in lower case.
    pub resource_link: &'a str,
    /// The `x-ms-date` header.
    pub x_ms_date: Option<&'a str>,
    /// The `date` header.
    pub date: Option<&'a str>,
}

/// Checks signatures against the keys of the account.
#[derive(Debug, Clone)]
pub struct MasterKeyAuth {
    keys: Keys,
}

impl MasterKeyAuth {
    /// Accepts signatures of `keys`.
    pub fn new(keys: Keys) -> MasterKeyAuth {
        MasterKeyAuth { keys }
    }

    /// Parses `header`, which must be of type master, and verifies its signature.
    pub fn verify_header(
        &self,
        request: &SignedRequest<'_>,
        header: &str,
        now: SystemTime,
    ) -> Result<KeyRole, AuthError> {
        match AuthScheme::parse(header)? {
            AuthScheme::Master { signature } => self.verify(request, &signature, now),
            AuthScheme::Resource(_) | AuthScheme::Aad(_) => {
                Err(AuthError::Malformed { why: "this operation takes account keys only" })
            }
        }
    }

    /// Which key `text` is, in base64. Compares signatures of the keys rather than the keys: in constant time, and neither is at hand as bytes.
    pub fn key_role(&self, text: &str) -> Option<KeyRole> {
        const SAMPLE: &[u8] = b"is it the same key";
        let sample = Key::from_base64(text).ok()?.sign(&[SAMPLE]);
        self.keys.each().find(|(_, key)| key.verify(&[SAMPLE], &sample)).map(|(role, _)| role)
    }

    /// Which key made `signature`. Costs one HMAC per key tried, the primary first; each comparison takes
    /// constant time, so that only which key it was shows, never how close a guess came.
    pub fn verify(
        &self,
        request: &SignedRequest<'_>,
        signature: &Signature,
        now: SystemTime,
    ) -> Result<KeyRole, AuthError> {
        let dates = Dates::of(request)?;
        let role = self.signer(request, &dates, signature)?;
        check_clock(dates.effective(), now)?;
        Ok(role)
    }

    fn signer(
        &self,
        request: &SignedRequest<'_>,
        dates: &Dates<'_>,
        signature: &Signature,
    ) -> Result<KeyRole, AuthError> {
        let payload = Payload::new(request, dates.x_ms_date, dates.date);
        if let Some(role) = self.matching_key(&payload, signature) {
            return Ok(role);
        }
        if !dates.x_ms_date.is_empty() && !dates.date.is_empty() {
            // .NET leaves `date` out where both are sent; other clients sign what they send.
            let without_date = Payload::new(request, dates.x_ms_date, "");
            if let Some(role) = self.matching_key(&without_date, signature) {
                return Ok(role);
            }
        }
        Err(AuthError::SignatureMismatch { payload: payload.shown() })
    }

    fn matching_key(&self, payload: &Payload, signature: &Signature) -> Option<KeyRole> {
        let parts = [payload.as_bytes()];
        let matches = |key: &Key| key.verify(&parts, signature);
        self.keys.each().find(|(_, key)| matches(key)).map(|(role, _)| role)
    }
}

/// The two date headers, empty where absent; at least one is not.
struct Dates<'a> {
    x_ms_date: &'a str,
    date: &'a str,
}

impl<'a> Dates<'a> {
    fn of(request: &SignedRequest<'a>) -> Result<Dates<'a>, AuthError> {
        let dates = Dates {
            x_ms_date: request.x_ms_date.unwrap_or_default().trim(),
            date: request.date.unwrap_or_default().trim(),
        };
        match dates.effective() {
            "" => Err(AuthError::DateMissing),
            _ => Ok(dates),
        }
    }

    fn effective(&self) -> &'a str {
        if self.x_ms_date.is_empty() { self.date } else { self.x_ms_date }
    }
}

pub(super) fn check_clock(date: &str, now: SystemTime) -> Result<(), AuthError> {
    let signed = parse_rfc1123(date).ok_or_else(|| AuthError::DateMalformed { value: echo(date) })?;
    let now = unix_seconds(now);
    if signed.abs_diff(now) > CLOCK_WINDOW.as_secs() {
        return Err(AuthError::DateOutsideWindow { date: echo(date), server_date: show(now) });
    }
    Ok(())
}

/// `verb \n type \n link \n x-ms-date \n date \n`, all but the link in lower case.
struct Payload {
    inline: [u8; INLINE_BYTES],
    length: usize,
    /// Takes over when the text outgrows the array.
    spilled: Vec<u8>,
}

impl Payload {
    fn new(request: &SignedRequest<'_>, x_ms_date: &str, date: &str) -> Payload {
        let mut payload = Payload { inline: [0; INLINE_BYTES], length: 0, spilled: Vec::new() };
        payload.push_lower(request.verb);
        payload.push_lower(request.resource_type);
        payload.push(request.resource_link.as_bytes());
        payload.push_lower(x_ms_date);
        payload.push_lower(date);
        payload
    }

    /// Clients lower-case these fields with rules for all of Unicode, but each is ASCII where it is valid.
    fn push_lower(&mut self, text: &str) {
        let from = self.as_bytes().len();
        self.push(text.as_bytes());
        self.as_mut_bytes()[from..].make_ascii_lowercase();
    }

    fn push(&mut self, bytes: &[u8]) {
        let line = bytes.len() + 1;
        if self.spilled.is_empty() && self.length + line <= INLINE_BYTES {
            let room = &mut self.inline[self.length..self.length + line];
            room[..bytes.len()].copy_from_slice(bytes);
            room[bytes.len()] = b'\n';
            self.length += line;
            return;
        }
        if self.spilled.is_empty() {
            self.spilled.extend_from_slice(&self.inline[..self.length]);
        }
        self.spilled.extend_from_slice(bytes);
        self.spilled.push(b'\n');
    }

    fn as_bytes(&self) -> &[u8] {
        if self.spilled.is_empty() { &self.inline[..self.length] } else { &self.spilled }
    }

    fn as_mut_bytes(&mut self) -> &mut [u8] {
        if self.spilled.is_empty() { &mut self.inline[..self.length] } else { &mut self.spilled }
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(self.as_bytes()).replace('\n', "\\n")
    }
}
