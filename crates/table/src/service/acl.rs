//! Stored access policies.

use serde::{Deserialize, Serialize};

use super::xml::{Element, Writer, invalid};
use crate::{DateTime, Error};

/// Policies of one table.
pub const MAX_POLICIES: usize = 5;
/// Longest name of one.
const MAX_ID_CHARACTERS: usize = 64;

/// What signatures that name it grant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPolicy {
    /// Its name.
    pub id: String,
    /// From when on.
    pub start: Option<DateTime>,
    /// Until when.
    pub expiry: Option<DateTime>,
    /// What is allowed: letters of `raud`.
    pub permission: Option<String>,
}

impl StoredPolicy {
    /// Reads a document `SignedIdentifiers`. An empty one has no policies.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidXmlDocument`](crate::ErrorCode::InvalidXmlDocument)
    pub fn parse_all(xml: &[u8]) -> Result<Vec<StoredPolicy>, Error> {
        if xml.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let document = Element::parse(xml, "SignedIdentifiers")?;
        if document.children.len() > MAX_POLICIES {
            return Err(invalid(format_args!("A table may have {MAX_POLICIES} policies.")));
        }
        let policies: Vec<_> = document.children.iter().map(read_policy).collect::<Result<_, _>>()?;
        let repeated = policies
            .iter()
            .enumerate()
            .any(|(nth, policy)| policies[..nth].iter().any(|earlier| earlier.id == policy.id));
        if repeated { Err(invalid("Two policies have the same Id.")) } else { Ok(policies) }
    }

    /// Writes a document `SignedIdentifiers`.
    pub fn write_all(policies: &[StoredPolicy]) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.element("SignedIdentifiers", |writer| {
            for policy in policies {
                writer.element("SignedIdentifier", |writer| policy.write(writer));
            }
        });
        writer.finish()
    }

    fn write(&self, writer: &mut Writer) {
        writer.text("Id", &self.id);
        let StoredPolicy { start, expiry, permission, .. } = self;
        if start.is_none() && expiry.is_none() && permission.is_none() {
            return;
        }
        writer.element("AccessPolicy", |writer| {
            for (name, time) in [("Start", start), ("Expiry", expiry)] {
                if let Some(time) = time {
                    writer.text(name, &time.to_string());
                }
            }
            if let Some(permission) = permission {
                writer.text("Permission", permission);
            }
        });
    }
}

fn read_policy(element: &Element) -> Result<StoredPolicy, Error> {
    if element.name != "SignedIdentifier" {
        return Err(invalid(format_args!("SignedIdentifiers has {}.", element.name)));
    }
    let id = element.required("Id")?.text();
    if id.is_empty() || id.chars().count() > MAX_ID_CHARACTERS {
        return Err(invalid(format_args!("An Id has 1 to {MAX_ID_CHARACTERS} characters.")));
    }
    let mut policy = StoredPolicy { id: id.to_owned(), ..StoredPolicy::default() };
    let Some(access) = element.child("AccessPolicy") else { return Ok(policy) };
    let given = |name| access.child(name).map(Element::text).filter(|text| !text.is_empty());
    let time = |name| {
        given(name)
            .map(|text| DateTime::parse(text).ok_or_else(|| invalid(format_args!("{name} is no time."))))
            .transpose()
    };
    policy.start = time("Start")?;
    policy.expiry = time("Expiry")?;
    policy.permission = given("Permission").map(str::to_owned);
    match &policy.permission {
        Some(letters) if !are_permissions(letters) => {
            Err(invalid("Permission has the letters r, a, u and d, each once."))
        }
        _ => Ok(policy),
    }
}

fn are_permissions(letters: &str) -> bool {
    letters.char_indices().all(|(at, letter)| "raud".contains(letter) && !letters[..at].contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(id: &str) -> String {
        format!("<SignedIdentifier><Id>{id}</Id></SignedIdentifier>")
    }

    fn parsed(inner: &str) -> Result<Vec<StoredPolicy>, Error> {
        StoredPolicy::parse_all(format!("<SignedIdentifiers>{inner}</SignedIdentifiers>").as_bytes())
    }

    #[test]
    fn policies_are_written_as_they_are_read() {
        let access = "<AccessPolicy><Start>2020-01-01</Start><Expiry>2099-01-01T00:00Z</Expiry><Permission>dr</Permission></AccessPolicy>";
        let policies = parsed(&format!(
            "<SignedIdentifier><Id>a&amp;b</Id>{access}</SignedIdentifier>{}<SignedIdentifier><Id>c</Id><AccessPolicy><Start/></AccessPolicy></SignedIdentifier>",
            policy("b")
        ))
        .unwrap();
        assert_eq!(policies.len(), 3);
        assert_eq!(policies[0].permission.as_deref(), Some("dr"));
        assert_eq!(policies[2], StoredPolicy { id: "c".into(), ..StoredPolicy::default() });
        let xml = StoredPolicy::write_all(&policies);
        let text = std::str::from_utf8(&xml).unwrap();
        assert!(text.contains("<Id>a&amp;b</Id><AccessPolicy><Start>2020-01-01T00:00:00.0000000Z</Start>"), "{text}");
        assert_eq!(StoredPolicy::parse_all(&xml).as_ref(), Ok(&policies));
        let json = serde_json::to_string(&policies).unwrap();
        assert_eq!(serde_json::from_str::<Vec<StoredPolicy>>(&json).unwrap(), policies);
        assert_eq!(StoredPolicy::parse_all(b" "), Ok(Vec::new()));
    }

    #[test]
    fn what_breaks_the_rules_is_refused() {
        assert!(parsed(&(0..5).map(|n| policy(&n.to_string())).collect::<String>()).is_ok());
        let six: String = (0..6).map(|n| policy(&n.to_string())).collect();
        let access = |inner: &str| {
            format!("<SignedIdentifier><Id>a</Id><AccessPolicy>{inner}</AccessPolicy></SignedIdentifier>")
        };
        for bad in [
            six,
            policy("a") + &policy("a"),
            policy(""),
            policy(&"a".repeat(65)),
            "<Other/>".to_owned(),
            "<SignedIdentifier/>".to_owned(),
            access("<Start>soon</Start>"),
            access("<Permission>x</Permission>"),
            access("<Permission>rr</Permission>"),
        ] {
            assert_eq!(parsed(&bad).map_err(|error| error.code), Err(crate::ErrorCode::InvalidXmlDocument), "{bad}");
        }
    }
}
