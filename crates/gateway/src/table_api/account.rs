//! Which account a request addresses, and what path is left below it.

use http::request::Parts;
use orrery_table::Dialect;

use super::header_names as names;
use crate::auth::Keys;
use crate::listen::Scheme;

/// What the host or the path says behind the account's name if the read-only copy in the other region is meant.
const SECONDARY: &str = "-secondary";

/// The account that a port serves.
#[derive(Debug, Clone)]
pub struct TableAccount {
    /// Its name.
    pub name: String,
    /// The keys that requests may be signed with.
    pub keys: Keys,
    /// The rules for names and keys.
    pub dialect: Dialect,
}

/// Where a request's address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    /// The first segment of the path, if it names the account.
    pub account_segment: Option<&'a str>,
    /// The path below the account, as it was sent.
    pub path: &'a str,
    /// Whether the secondary is addressed.
    pub is_secondary: bool,
    host: &'a str,
}

impl TableAccount {
    /// The place that a head addresses. The account may be the first segment of the path, as emulators have it, or the first label of
    /// the host; an address with neither means the port's own account. None if there is no host at all.
    pub(crate) fn locate<'a>(&self, head: &'a Parts) -> Option<Place<'a>> {
        let host = match head.headers.get(names::HOST) {
            Some(host) => host.to_str().ok()?,
            None => head.uri.authority()?.as_str(),
        };
        let path = head.uri.path();
        if let (Some((segment, is_secondary)), path) = self.below(path) {
            return Some(Place { account_segment: Some(segment), path, is_secondary, host });
        }
        let label = host.split('.').next().filter(|label| label.len() < host.len());
        let is_secondary = label.and_then(|label| self.is_named_by(label)).unwrap_or(false);
        Some(Place { account_segment: None, path, is_secondary, host })
    }

    /// The first segment of a path and whether it means the secondary, if it names this account; and the path below it.
    pub(crate) fn below<'a>(&self, path: &'a str) -> (Option<(&'a str, bool)>, &'a str) {
        let below = path.strip_prefix('/').unwrap_or(path);
        let segment = below.split('/').next().unwrap_or(below);
        match self.is_named_by(segment) {
            Some(is_secondary) => {
                let rest = &below[segment.len()..];
                (Some((segment, is_secondary)), if rest.is_empty() { "/" } else { rest })
            }
            None => (None, path),
        }
    }

    /// Whether a word is this account's name, and whether it means the secondary.
    fn is_named_by(&self, word: &str) -> Option<bool> {
        if word == self.name {
            return Some(false);
        }
        (word.strip_suffix(SECONDARY) == Some(self.name.as_str())).then_some(true)
    }
}

impl Place<'_> {
    /// The address of the account, without a slash at its end.
    pub fn base(&self, scheme: Scheme) -> String {
        let Place { account_segment, host, .. } = self;
        match account_segment {
            Some(segment) => [scheme.as_str(), "://", host, "/", segment].concat(),
            None => [scheme.as_str(), "://", host].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{EMULATOR_KEY, Key};

    fn locate(host: &str, path: &str) -> (Option<String>, String, bool, String) {
        let account = TableAccount {
            name: "acc".into(),
            keys: Keys::single(Key::from_base64(EMULATOR_KEY).unwrap()),
            dialect: Dialect::Storage,
        };
        let (head, ()) = http::Request::get(path).header("host", host).body(()).unwrap().into_parts();
        let place = account.locate(&head).unwrap();
        let base = place.base(Scheme::Http);
        (place.account_segment.map(str::to_owned), place.path.to_owned(), place.is_secondary, base)
    }

    #[test]
    fn the_account_stands_in_the_path_or_in_the_host() {
        let some = |segment: &str| Some(segment.to_owned());
        let emulator =
            |segment, path: &str, secondary, base: &str| (segment, path.to_owned(), secondary, base.to_owned());
        assert_eq!(locate("127.0.0.1:1", "/acc/T()"), emulator(some("acc"), "/T()", false, "http://127.0.0.1:1/acc"));
        assert_eq!(locate("127.0.0.1:1", "/acc"), emulator(some("acc"), "/", false, "http://127.0.0.1:1/acc"));
        assert_eq!(
            locate("127.0.0.1:1", "/acc-secondary/T"),
            emulator(some("acc-secondary"), "/T", true, "http://127.0.0.1:1/acc-secondary")
        );
        assert_eq!(locate("127.0.0.1:1", "/T()"), emulator(None, "/T()", false, "http://127.0.0.1:1"));
        assert_eq!(locate("acc.table.local:1", "/T()"), emulator(None, "/T()", false, "http://acc.table.local:1"));
        assert_eq!(
            locate("acc-secondary.table.local", "/"),
            emulator(None, "/", true, "http://acc-secondary.table.local")
        );
        assert_eq!(locate("localhost:1", "/acc2/T"), emulator(None, "/acc2/T", false, "http://localhost:1"));
    }
}
