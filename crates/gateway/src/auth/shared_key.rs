//! Signatures with an account key as the storage services have them: Shared Key and Shared Key Lite of the Table service.

use std::time::SystemTime;

use percent_encoding::percent_decode_str;

use super::master::check_clock;
use super::scheme::{MAX_AUTHORIZATION_BYTES, signature};
use super::{AuthError, KeyRole, Keys, Signature};

/// An `Authorization` header of the storage services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageScheme<'a> {
    /// `SharedKey account:signature`, or `SharedKeyLite`.
    SharedKey {
        /// Whose key signed.
        account: &'a str,
        /// The signature.
        signature: Signature,
        /// What is signed.
        form: SharedKeyForm,
    },
    /// `Bearer token`
    Bearer(&'a str),
}

/// What a signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedKeyForm {
    /// Verb, digest and type of the body, date, resource.
    Full,
    /// Date and resource.
    Lite,
}

impl<'a> StorageScheme<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`AuthError::Malformed`], [`AuthError::UnknownScheme`].
    pub fn parse(header: &'a str) -> Result<Self, AuthError> {
        let malformed = |why| AuthError::Malformed { why };
        if header.len() > MAX_AUTHORIZATION_BYTES {
            return Err(malformed("it is too long"));
        }
        let (scheme, rest) = header.trim().split_once(' ').ok_or(malformed("it does not have two parts"))?;
        let rest = rest.trim();
        if scheme.eq_ignore_ascii_case("bearer") {
            return Ok(StorageScheme::Bearer(rest));
        }
        let form = if scheme.eq_ignore_ascii_case("sharedkey") {
            SharedKeyForm::Full
        } else if scheme.eq_ignore_ascii_case("sharedkeylite") {
            SharedKeyForm::Lite
        } else {
            return Err(AuthError::UnknownScheme { scheme: super::error::echo(scheme) });
        };
        let (account, text) = rest.split_once(':').ok_or(malformed("it does not name an account and a signature"))?;
        let signature = signature(text.trim()).ok_or(malformed("the signature is not base64 of 32 bytes"))?;
        Ok(StorageScheme::SharedKey { account: account.trim(), signature, form })
    }
}

/// The parts of a request to the Table service that its signature covers. Headers that are absent are empty.
#[derive(Debug, Clone, Copy)]
pub struct SignedTableRequest<'a> {
    /// The method as sent, whatever a header makes of it.
    pub verb: &'a str,
    /// `Content-MD5`
    pub content_md5: &'a str,
    /// `Content-Type`
    pub content_type: &'a str,
    /// `x-ms-date`, which counts before `date`.
    pub x_ms_date: &'a str,
    /// `Date`
    pub date: &'a str,
    /// The account's name.
    pub account: &'a str,
    /// The path as it stands on the wire.
    pub path: &'a str,
    /// The segment of the path that names the account, where the address does so.
    pub account_segment: Option<&'a str>,
    /// The query parameter `comp`, the only one that is signed.
    pub comp: Option<&'a str>,
}

impl SignedTableRequest<'_> {
    /// Which of `keys` made `signature` over this request.
    ///
    /// Clients encode a path that they sign otherwise than the one that they send, so that several spellings are tried; the one that
    /// was sent comes first and is right nearly always.
    ///
    /// # Errors
    /// [`AuthError::DateMissing`], [`AuthError::SignatureMismatch`], [`AuthError::DateMalformed`], [`AuthError::DateOutsideWindow`].
    pub fn verify(
        &self,
        signature: &Signature,
        form: SharedKeyForm,
        keys: &Keys,
        now: SystemTime,
    ) -> Result<KeyRole, AuthError> {
        let date = self.signed_date();
        if date.is_empty() {
            return Err(AuthError::DateMissing);
        }
        let sent = self.text(form, &["/", self.account, self.path].concat());
        let role = match matching_key(keys, &sent, signature) {
            Some(role) => role,
            None => self
                .other_resources()
                .iter()
                .find_map(|resource| matching_key(keys, &self.text(form, resource), signature))
                .ok_or_else(|| AuthError::SignatureMismatch { payload: sent.replace('\n', "\\n") })?,
        };
        check_clock(date, now)?;
        Ok(role)
    }

    fn signed_date(&self) -> &str {
        let x_ms_date = self.x_ms_date.trim();
        if x_ms_date.is_empty() { self.date.trim() } else { x_ms_date }
    }

    fn text(&self, form: SharedKeyForm, resource: &str) -> String {
        let (question, comp) = self.comp.map_or(("", ""), |comp| ("?comp=", comp));
        let date = self.signed_date();
        match form {
            SharedKeyForm::Full => {
                [self.verb, "\n", self.content_md5, "\n", self.content_type, "\n", date, "\n", resource, question, comp]
                    .concat()
            }
            SharedKeyForm::Lite => [date, "\n", resource, question, comp].concat(),
        }
    }

    /// The resource in other spellings of the path, and with the account's segment left out or without the mark of the secondary.
    fn other_resources(&self) -> Vec<String> {
        let mut paths = vec![self.path.to_owned()];
        if let Some(segment) = self.account_segment
            && let Some(below) = self.path.strip_prefix('/').and_then(|path| path.strip_prefix(segment))
        {
            paths.push(if below.is_empty() { "/".to_owned() } else { below.to_owned() });
            paths.push(["/", self.account, below].concat());
        }
        let mut resources: Vec<String> = Vec::new();
        for path in &paths {
            let spellings =
                [path.clone(), replace_marks(path, &MARKS[..1]), replace_marks(path, &MARKS), with_plain_marks(path)];
            let decoded = percent_decode_str(path).decode_utf8().ok().map(|path| path.into_owned());
            for spelling in spellings.into_iter().chain(decoded) {
                let resource = ["/", self.account, &spelling].concat();
                if !resources.contains(&resource) {
                    resources.push(resource);
                }
            }
        }
        resources
    }
}

/// Marks that clients encode or leave as they are, as they like.
const MARKS: [(&str, &str); 5] = [("'", "%27"), ("(", "%28"), (")", "%29"), (",", "%2C"), ("=", "%3D")];

fn replace_marks(path: &str, marks: &[(&str, &str)]) -> String {
    marks.iter().fold(path.to_owned(), |path, (plain, encoded)| path.replace(plain, encoded))
}

fn with_plain_marks(path: &str) -> String {
    MARKS.iter().fold(path.to_owned(), |path, (plain, encoded)| {
        path.replace(encoded, plain).replace(&encoded.to_ascii_lowercase(), plain)
    })
}

fn matching_key(keys: &Keys, text: &str, signature: &Signature) -> Option<KeyRole> {
    keys.each().find(|(_, key)| key.verify(&[text.as_bytes()], signature)).map(|(role, _)| role)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::super::{CLOCK_WINDOW, EMULATOR_KEY, Key};
    use super::*;
    use crate::auth::parse_rfc1123;

    const DATE: &str = "Thu, 27 Apr 2017 00:51:12 GMT";

    fn request(path: &'static str, segment: Option<&'static str>) -> SignedTableRequest<'static> {
        SignedTableRequest {
            verb: "GET",
            content_md5: "",
            content_type: "",
            x_ms_date: DATE,
            date: "",
            account: "acc",
            path,
            account_segment: segment,
            comp: None,
        }
    }

    fn now() -> SystemTime {
        let seconds = parse_rfc1123(DATE).unwrap();
        SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds as u64)
    }

    fn accepts(request: &SignedTableRequest<'_>, form: SharedKeyForm, text: &str) -> bool {
        let keys = Keys::single(Key::from_base64(EMULATOR_KEY).unwrap());
        let signature = keys.primary.sign(&[text.as_bytes()]);
        request.verify(&signature, form, &keys, now()).is_ok()
    }

    #[test]
    fn headers_name_scheme_account_and_signature() {
        let signature = STANDARD.encode([7; 32]);
        let header = format!("SharedKeyLite acc:{signature}");
        let parsed = StorageScheme::parse(&header).unwrap();
        let expected = StorageScheme::SharedKey { account: "acc", signature: [7; 32], form: SharedKeyForm::Lite };
        assert_eq!(parsed, expected);
        assert_eq!(StorageScheme::parse("bearer a.b.c"), Ok(StorageScheme::Bearer("a.b.c")));
        for bad in ["", "SharedKey", "SharedKey nonsense", "SharedKey acc:***", "SharedKey acc:AAAA", "Basic eHg6eQ=="]
        {
            assert!(StorageScheme::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_signature_covers_what_the_form_says() {
        let full = SignedTableRequest {
            verb: "POST",
            content_md5: "md5",
            content_type: "application/json",
            comp: Some("acl"),
            ..request("/acc/T()", Some("acc"))
        };
        let text = format!("POST\nmd5\napplication/json\n{DATE}\n/acc/acc/T()?comp=acl");
        assert!(accepts(&full, SharedKeyForm::Full, &text));
        assert!(!accepts(&full, SharedKeyForm::Lite, &text));
        assert!(accepts(&full, SharedKeyForm::Lite, &format!("{DATE}\n/acc/acc/T()?comp=acl")));
        assert!(!accepts(&full, SharedKeyForm::Full, &text.replace("POST", "GET")));
        assert!(!accepts(&full, SharedKeyForm::Full, &text.replace("/T", "/U")));
    }

    #[test]
    fn paths_may_be_signed_in_other_spellings_than_they_are_sent_in() {
        let lite = |path, segment, signed: &str| {
            accepts(&request(path, segment), SharedKeyForm::Lite, &format!("{DATE}\n{signed}"))
        };
        let sent = "/acc/T(PartitionKey=%27p%2Fq%27,RowKey='r')";
        assert!(lite(sent, Some("acc"), "/acc/acc/T(PartitionKey=%27p%2Fq%27,RowKey='r')"));
        assert!(lite(sent, Some("acc"), "/acc/acc/T(PartitionKey='p%2Fq',RowKey='r')"));
        assert!(lite(sent, Some("acc"), "/acc/acc/T(PartitionKey=%27p%2Fq%27,RowKey=%27r%27)"));
        assert!(lite(sent, Some("acc"), "/acc/acc/T%28PartitionKey%3D%27p%2Fq%27%2CRowKey%3D%27r%27%29"));
        assert!(lite(sent, Some("acc"), "/acc/T(PartitionKey='p%2Fq',RowKey='r')"));
        assert!(lite("/acc-secondary/T()", Some("acc-secondary"), "/acc/acc-secondary/T()"));
        assert!(lite("/acc-secondary/T()", Some("acc-secondary"), "/acc/acc/T()"));
        assert!(lite("/T()", None, "/acc/T()"));
        assert!(!lite("/T()", None, "/acc/U()"));
        assert!(!lite(sent, Some("acc"), "/acc/acc/T(PartitionKey='p',RowKey='r')"));
    }

    #[test]
    fn the_date_must_be_there_and_near() {
        let keys = Keys::single(Key::from_base64(EMULATOR_KEY).unwrap());
        let request = request("/T()", None);
        let signature = keys.primary.sign(&[format!("{DATE}\n/acc/T()").as_bytes()]);
        let verify =
            |request: &SignedTableRequest<'_>, now| request.verify(&signature, SharedKeyForm::Lite, &keys, now);
        assert_eq!(verify(&request, now()), Ok(KeyRole::Primary));
        let late = now() + CLOCK_WINDOW + std::time::Duration::from_secs(1);
        assert!(matches!(verify(&request, late), Err(AuthError::DateOutsideWindow { .. })));
        let dateless = SignedTableRequest { x_ms_date: "", ..request };
        assert_eq!(verify(&dateless, now()), Err(AuthError::DateMissing));
        let by_date = SignedTableRequest { x_ms_date: "", date: DATE, ..request };
        assert_eq!(verify(&by_date, now()), Ok(KeyRole::Primary));
    }
}
