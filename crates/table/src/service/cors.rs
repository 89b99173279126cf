//! Rules for scripts of other origins.

use serde::{Deserialize, Serialize};

use super::xml::{Element, Writer, invalid};
use crate::Error;

/// Rules of one account.
pub const MAX_CORS_RULES: usize = 5;
/// Entries of one list of a rule.
const MAX_ENTRIES: usize = 64;
/// Longest entry.
const MAX_ENTRY_BYTES: usize = 256;
const METHODS: &[&str] = &["CONNECT", "DELETE", "GET", "HEAD", "MERGE", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];

/// What scripts of some origins may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorsRule {
    /// Origins, or `*`.
    pub allowed_origins: Vec<String>,
    /// Methods in capitals.
    pub allowed_methods: Vec<String>,
    /// Names of request headers; a `*` at the end stands for anything.
    pub allowed_headers: Vec<String>,
    /// Names of response headers.
    pub exposed_headers: Vec<String>,
    /// How long the answer to a preflight may be kept.
    pub max_age_seconds: u32,
}

impl CorsRule {
    /// Whether a request of this origin with this method and these headers is allowed.
    pub fn allows<'h>(&self, origin: &str, method: &str, headers: impl IntoIterator<Item = &'h str>) -> bool {
        self.allowed_origins.iter().any(|allowed| allowed == "*" || allowed == origin)
            && self.allowed_methods.iter().any(|allowed| allowed == method)
            && headers.into_iter().all(|header| self.allowed_headers.iter().any(|allowed| matches(allowed, header)))
    }

    /// Whether any origin is allowed, so that the answer does not depend on it.
    pub fn allows_any_origin(&self) -> bool {
        self.allowed_origins.iter().any(|origin| origin == "*")
    }

    pub(super) fn read_all(cors: &Element) -> Result<Vec<CorsRule>, Error> {
        if cors.children.len() > MAX_CORS_RULES {
            return Err(invalid(format_args!("There may be {MAX_CORS_RULES} CORS rules.")));
        }
        cors.children.iter().map(CorsRule::read).collect()
    }

    fn read(element: &Element) -> Result<CorsRule, Error> {
        if element.name != "CorsRule" {
            return Err(invalid(format_args!("Cors has {}.", element.name)));
        }
        let max_age = element.required("MaxAgeInSeconds")?.text().parse();
        let rule = CorsRule {
            allowed_origins: list(element.required("AllowedOrigins")?)?,
            allowed_methods: list(element.required("AllowedMethods")?)?,
            allowed_headers: element.child("AllowedHeaders").map_or(Ok(Vec::new()), list)?,
            exposed_headers: element.child("ExposedHeaders").map_or(Ok(Vec::new()), list)?,
            max_age_seconds: max_age.map_err(|_| invalid("MaxAgeInSeconds is no number of seconds."))?,
        };
        if rule.allowed_origins.is_empty() || rule.allowed_methods.is_empty() {
            return Err(invalid("A CORS rule needs origins and methods."));
        }
        match rule.allowed_methods.iter().find(|method| !METHODS.contains(&method.as_str())) {
            Some(method) => Err(invalid(format_args!("'{method}' is not a method."))),
            None => Ok(rule),
        }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.element("CorsRule", |writer| {
            for (name, entries) in [
                ("AllowedOrigins", &self.allowed_origins),
                ("AllowedMethods", &self.allowed_methods),
                ("AllowedHeaders", &self.allowed_headers),
                ("ExposedHeaders", &self.exposed_headers),
            ] {
                writer.text(name, &entries.join(","));
            }
            writer.text("MaxAgeInSeconds", &self.max_age_seconds.to_string());
        });
    }
}

/// Whether a pattern, which may end in a `*`, matches a header's name.
fn matches(pattern: &str, header: &str) -> bool {
    let header = header.trim();
    match pattern.strip_suffix('*') {
        Some(prefix) => header.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)),
        None => header.eq_ignore_ascii_case(pattern),
    }
}

/// The entries of a list with commas.
fn list(element: &Element) -> Result<Vec<String>, Error> {
    let entries: Vec<_> =
        element.text().split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect();
    if entries.len() > MAX_ENTRIES || entries.iter().any(|entry| entry.len() > MAX_ENTRY_BYTES) {
        return Err(invalid(format_args!("{} is too long.", element.name)));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_allows_what_it_lists() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let rule = CorsRule {
            allowed_origins: words("http://a.example http://b.example"),
            allowed_methods: words("GET PUT"),
            allowed_headers: words("x-ms-meta-* content-type"),
            ..CorsRule::default()
        };
        assert!(rule.allows("http://a.example", "GET", []));
        assert!(rule.allows("http://b.example", "PUT", ["X-MS-Meta-abc", " Content-Type"]));
        assert!(!rule.allows("http://c.example", "GET", []) && !rule.allows("http://a.example", "POST", []));
        assert!(!rule.allows("http://a.example", "GET", ["accept"]) && !rule.allows_any_origin());
        let any = CorsRule { allowed_origins: words("*"), allowed_headers: words("*"), ..rule };
        assert!(any.allows("null", "GET", ["é", "anything"]) && any.allows_any_origin());
    }
}
