//! Shared access signatures: rights in the query of an address, signed with an account key.
//!
//! A signature for a table says what may be done to entities of that table, perhaps to those in a range of keys only; one for the
//! account says what may be done in its services. A table's may leave its terms to a policy that is stored with the table.

use std::borrow::Cow;
use std::net::IpAddr;

use orrery_table::DateTime;

use super::scheme::signature;
use super::{Key, KeyRole, Keys};

/// First version whose signatures cover address and protocol.
const VERSION_WITH_ADDRESS: &str = "2015-04-05";
/// First version of account signatures that cover the encryption scope.
const VERSION_WITH_SCOPE: &str = "2020-12-06";

/// A shared access signature as it came, not yet verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sas<'q> {
    kind: SasKind<'q>,
    signature: Cow<'q, str>,
    version: Cow<'q, str>,
    start: Option<Cow<'q, str>>,
    expiry: Option<Cow<'q, str>>,
    permissions: Option<Cow<'q, str>>,
    address: Option<Cow<'q, str>>,
    protocol: Option<Cow<'q, str>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SasKind<'q> {
    Account {
        services: Cow<'q, str>,
        resource_types: Cow<'q, str>,
        scope: Option<Cow<'q, str>>,
    },
    Table {
        table: Cow<'q, str>,
        policy: Option<Cow<'q, str>>,
        from: (Option<Cow<'q, str>>, Option<Cow<'q, str>>),
        until: (Option<Cow<'q, str>>, Option<Cow<'q, str>>),
    },
}

/// What a signature leaves to a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SasPolicy {
    /// From when on.
    pub start: Option<DateTime>,
    /// Until when.
    pub expiry: Option<DateTime>,
    /// What is allowed.
    pub permissions: Option<String>,
}

/// Who uses a signature, and when.
#[derive(Debug, Clone, Copy)]
pub struct SasUse {
    /// The server's clock.
    pub now: DateTime,
    /// The client's address.
    pub peer: IpAddr,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
}

/// What a valid signature allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SasGrant {
    /// Something in the account.
    Account {
        /// Letters of what may be done.
        permissions: String,
        /// Letters of the services: `t` for tables.
        services: String,
        /// Letters of what it may be done to: service, container, object.
        resource_types: String,
    },
    /// Something to the entities of one table.
    Table {
        /// The table's name in lower case.
        table: String,
        /// Letters of what may be done.
        permissions: String,
        /// The first keys that are allowed.
        from: Option<KeyBound>,
        /// The last keys that are allowed.
        until: Option<KeyBound>,
    },
}

/// One end of a range of keys. Without a row key it is all of the partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyBound {
    /// The logical partition.
    pub partition_key: String,
    /// The row within it.
    pub row_key: Option<String>,
}

/// Why a shared access signature allows nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SasError {
    /// A parameter is missing or wrong.
    #[error("the shared access signature is malformed: {why}")]
    Malformed {
        /// What is wrong with it.
        why: &'static str,
    },
    /// No account key makes this signature.
    #[error("the signature did not match; the server signed: '{payload}'")]
    SignatureMismatch {
        /// The text to sign with line feeds shown as `\n`.
        payload: String,
    },
    /// It names a policy that the table does not have.
    #[error("the table has no policy of that name")]
    UnknownPolicy,
    /// Its time has not begun or is over.
    #[error("the signature is not valid at the current time {now}")]
    OutsideValidity {
        /// The server's clock.
        now: String,
    },
    /// The client's address is not one that it allows.
    #[error("the address {peer} is not one that the signature allows")]
    AddressMismatch {
        /// The client's address.
        peer: IpAddr,
    },
    /// It wants an encrypted connection.
    #[error("the signature allows https only")]
    ProtocolMismatch,
}

impl<'q> Sas<'q> {
    /// Takes a signature out of the decoded parameters of a query; none if there is no `sig`. Of a parameter given twice the first
    /// counts.
    ///
    /// # Errors
    /// [`SasError::Malformed`].
    pub fn parse(parameters: &[(Cow<'q, str>, Cow<'q, str>)]) -> Result<Option<Self>, SasError> {
        let given = |name: &str| {
            let found = parameters.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.clone())
        };
        let Some(signature) = given("sig") else { return Ok(None) };
        let version = given("sv").filter(|version| is_version(version)).ok_or(malformed("'sv' is not a version"))?;
        let kind = match given("tn") {
            Some(table) => SasKind::Table {
                table,
                policy: given("si"),
                from: (given("spk"), given("srk")),
                until: (given("epk"), given("erk")),
            },
            None => SasKind::Account {
                services: given("ss").ok_or(malformed("it has neither 'tn' nor 'ss'"))?,
                resource_types: given("srt").ok_or(malformed("it has no 'srt'"))?,
                scope: given("ses"),
            },
        };
        Ok(Some(Sas {
            kind,
            signature,
            version,
            start: given("st"),
            expiry: given("se"),
            permissions: given("sp"),
            address: given("sip"),
            protocol: given("spr"),
        }))
    }

    /// Which of `keys` made the signature.
    ///
    /// # Errors
    /// [`SasError::Malformed`] if it is no signature, [`SasError::SignatureMismatch`].
    pub fn verify(&self, account: &str, keys: &Keys) -> Result<KeyRole, SasError> {
        let signature = signature(self.signature.trim()).ok_or(malformed("'sig' is not base64 of 32 bytes"))?;
        let text = self.text(account);
        let made_it = |key: &Key| key.verify(&[text.as_bytes()], &signature);
        let role = keys.each().find(|(_, key)| made_it(key)).map(|(role, _)| role);
        role.ok_or_else(|| SasError::SignatureMismatch { payload: text.replace('\n', "\\n") })
    }

    /// The table and the policy of it that says the rest, if there is one.
    pub fn policy(&self) -> Option<(&str, &str)> {
        match &self.kind {
            SasKind::Table { table, policy: Some(policy), .. } if !policy.is_empty() => Some((table, policy)),
            SasKind::Table { .. } | SasKind::Account { .. } => None,
        }
    }

    /// What it allows, after having been verified. `policy` is the one that it names, if it names one.
    ///
    /// # Errors
    /// [`SasError::OutsideValidity`], [`SasError::AddressMismatch`], [`SasError::ProtocolMismatch`] for its use,
    /// [`SasError::Malformed`] if terms are missing, wrong, or given twice.
    pub fn grant(&self, policy: Option<&SasPolicy>, used: &SasUse) -> Result<SasGrant, SasError> {
        let none = SasPolicy::default();
        let policy = policy.unwrap_or(&none);
        let start = one_of(time(&self.start)?, policy.start, "'st' is in the policy too")?;
        let expiry = one_of(time(&self.expiry)?, policy.expiry, "'se' is in the policy too")?;
        let own = self.permissions.as_deref().filter(|own| !own.is_empty()).map(str::to_owned);
        let theirs = policy.permissions.clone().filter(|theirs| !theirs.is_empty());
        let permissions = one_of(own, theirs, "'sp' is in the policy too")?.ok_or(malformed("it has no 'sp'"))?;
        let expiry = expiry.ok_or(malformed("it has no 'se'"))?;
        if start.is_some_and(|start| used.now < start) || used.now >= expiry {
            return Err(SasError::OutsideValidity { now: used.now.to_string() });
        }
        self.check_connection(used)?;
        match &self.kind {
            SasKind::Account { services, resource_types, .. } => Ok(SasGrant::Account {
                permissions,
                services: services.to_string(),
                resource_types: resource_types.to_string(),
            }),
            SasKind::Table { table, from, until, .. } => Ok(SasGrant::Table {
                table: table.to_lowercase(),
                permissions,
                from: bound(from, "'srk' goes with 'spk' only")?,
                until: bound(until, "'erk' goes with 'epk' only")?,
            }),
        }
    }

    fn check_connection(&self, used: &SasUse) -> Result<(), SasError> {
        match self.protocol.as_deref().unwrap_or_default() {
            "" | "https,http" | "http,https" => {}
            "https" if used.is_encrypted => {}
            "https" => return Err(SasError::ProtocolMismatch),
            _ => return Err(malformed("'spr' is neither https nor https,http")),
        }
        let Some(range) = self.address.as_deref().filter(|range| !range.is_empty()) else { return Ok(()) };
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let parse = |text: &str| {
            let address = text.trim().parse::<IpAddr>().map_err(|_| malformed("'sip' is not an address or a range"));
            address.map(|address| address.to_canonical())
        };
        let (first, last, peer) = (parse(first)?, parse(last)?, used.peer.to_canonical());
        let same_family = first.is_ipv4() == peer.is_ipv4() && last.is_ipv4() == peer.is_ipv4();
        if same_family && first <= peer && peer <= last { Ok(()) } else { Err(SasError::AddressMismatch { peer }) }
    }

    /// The text to sign. Values that are missing are empty lines.
    fn text(&self, account: &str) -> String {
        fn or_empty<'v>(value: &'v Option<Cow<'_, str>>) -> &'v str {
            value.as_deref().unwrap_or_default()
        }
        let (start, expiry) = (or_empty(&self.start), or_empty(&self.expiry));
        let (permissions, version) = (or_empty(&self.permissions), &*self.version);
        let (address, protocol) = (or_empty(&self.address), or_empty(&self.protocol));
        match &self.kind {
            SasKind::Account { services, resource_types, scope } => {
                let mut lines =
                    vec![account, permissions, services, resource_types, start, expiry, address, protocol, version];
                if version >= VERSION_WITH_SCOPE {
                    lines.push(or_empty(scope));
                }
                lines.push("");
                lines.join("\n")
            }
            SasKind::Table { table, policy, from, until } => {
                let resource = format!("/table/{account}/{}", table.to_lowercase());
                let mut lines = vec![permissions, start, expiry, &resource, or_empty(policy)];
                if version >= VERSION_WITH_ADDRESS {
                    lines.extend([address, protocol]);
                }
                lines.push(version);
                lines.extend([&from.0, &from.1, &until.0, &until.1].map(or_empty));
                lines.join("\n")
            }
        }
    }
}

fn is_version(text: &str) -> bool {
    let text = text.as_bytes();
    text.len() == 10
        && text
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
}

fn time(text: &Option<Cow<'_, str>>) -> Result<Option<DateTime>, SasError> {
    let Some(text) = text.as_deref().filter(|text| !text.is_empty()) else { return Ok(None) };
    DateTime::parse(text).map(Some).ok_or(malformed("'st' or 'se' is not a time"))
}

/// A term stands in the signature or in its policy, not in both.
fn one_of<T>(own: Option<T>, theirs: Option<T>, why: &'static str) -> Result<Option<T>, SasError> {
    if own.is_some() && theirs.is_some() { Err(malformed(why)) } else { Ok(own.or(theirs)) }
}

fn bound(
    (partition_key, row_key): &(Option<Cow<'_, str>>, Option<Cow<'_, str>>),
    why: &'static str,
) -> Result<Option<KeyBound>, SasError> {
    match (partition_key, row_key) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(malformed(why)),
        (Some(partition_key), row_key) => Ok(Some(KeyBound {
            partition_key: partition_key.to_string(),
            row_key: row_key.as_ref().map(|row_key| row_key.to_string()),
        })),
    }
}

fn malformed(why: &'static str) -> SasError {
    SasError::Malformed { why }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::super::EMULATOR_KEY;
    use super::*;

    fn keys() -> Keys {
        Keys::single(Key::from_base64(EMULATOR_KEY).unwrap())
    }

    fn sas(parameters: &[(&'static str, &'static str)], signed: &str) -> Sas<'static> {
        let signature = STANDARD.encode(keys().primary.sign(&[signed.as_bytes()]));
        let mut all: Vec<(Cow<'static, str>, Cow<'static, str>)> =
            parameters.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        all.push(("sig".into(), signature.into()));
        Sas::parse(&all).unwrap().unwrap()
    }

    fn used(now: &str) -> SasUse {
        SasUse { now: DateTime::parse(now).unwrap(), peer: [10, 0, 0, 7].into(), is_encrypted: false }
    }

    const TABLE: [(&str, &str); 5] =
        [("tn", "MyTable"), ("sv", "2019-02-02"), ("sp", "ra"), ("st", "2020-01-01"), ("se", "2020-02-01T00:00:00Z")];

    #[test]
    fn a_tables_signature_covers_its_terms() {
        let text = "ra\n2020-01-01\n2020-02-01T00:00:00Z\n/table/acc/mytable\n\n\n\n2019-02-02\n\n\n\n";
        let sas = sas(&TABLE, text);
        assert_eq!(sas.verify("acc", &keys()), Ok(KeyRole::Primary));
        assert!(matches!(sas.verify("other", &keys()), Err(SasError::SignatureMismatch { .. })));
        let grant = sas.grant(None, &used("2020-01-15")).unwrap();
        let expected = SasGrant::Table { table: "mytable".into(), permissions: "ra".into(), from: None, until: None };
        assert_eq!(grant, expected);
        for outside in ["2019-12-31", "2020-02-01", "2021-01-01"] {
            assert!(matches!(sas.grant(None, &used(outside)), Err(SasError::OutsideValidity { .. })), "{outside}");
        }
    }

    #[test]
    fn an_old_version_signs_neither_address_nor_protocol() {
        let parameters = [("tn", "t"), ("sv", "2012-02-12"), ("sp", "r"), ("se", "2020-02-01"), ("spk", "a")];
        let sas = sas(&parameters, "r\n\n2020-02-01\n/table/acc/t\n\n2012-02-12\na\n\n\n");
        assert_eq!(sas.verify("acc", &keys()), Ok(KeyRole::Primary));
        let grant = sas.grant(None, &used("2020-01-01")).unwrap();
        let from = Some(KeyBound { partition_key: "a".into(), row_key: None });
        assert_eq!(grant, SasGrant::Table { table: "t".into(), permissions: "r".into(), from, until: None });
    }

    #[test]
    fn an_accounts_signature_ends_with_a_line_feed() {
        let parameters = [("sv", "2019-02-02"), ("ss", "bt"), ("srt", "so"), ("sp", "rl"), ("se", "2020-02-01")];
        let old = sas(&parameters, "acc\nrl\nbt\nso\n\n2020-02-01\n\n\n2019-02-02\n");
        assert_eq!(old.verify("acc", &keys()), Ok(KeyRole::Primary));
        let grant = SasGrant::Account { permissions: "rl".into(), services: "bt".into(), resource_types: "so".into() };
        assert_eq!(old.grant(None, &used("2020-01-01")), Ok(grant));
        let mut parameters = parameters;
        parameters[0].1 = "2021-08-06";
        let new = sas(&parameters, "acc\nrl\nbt\nso\n\n2020-02-01\n\n\n2021-08-06\n\n");
        assert_eq!(new.verify("acc", &keys()), Ok(KeyRole::Primary));
    }

    #[test]
    fn a_policy_says_what_the_signature_leaves_out() {
        let sas = sas(&[("tn", "t"), ("sv", "2019-02-02"), ("si", "p"), ("se", "2020-02-01")], "");
        assert_eq!(sas.policy(), Some(("t", "p")));
        let policy = SasPolicy { permissions: Some("r".into()), ..SasPolicy::default() };
        assert!(sas.grant(Some(&policy), &used("2020-01-15")).is_ok());
        let twice = SasPolicy { expiry: DateTime::parse("2020-03-01"), ..policy };
        assert!(matches!(sas.grant(Some(&twice), &used("2020-01-15")), Err(SasError::Malformed { .. })));
        assert!(matches!(sas.grant(None, &used("2020-01-15")), Err(SasError::Malformed { .. })));
    }

    #[test]
    fn address_and_protocol_are_checked() {
        let with = |name, value| {
            let mut parameters = TABLE.to_vec();
            parameters.push((name, value));
            sas(&parameters, "").grant(None, &used("2020-01-15")).err()
        };
        assert_eq!(with("sip", "10.0.0.7"), None);
        assert_eq!(with("sip", "10.0.0.0-10.0.0.255"), None);
        assert_eq!(with("sip", "10.0.1.0-10.0.1.255"), Some(SasError::AddressMismatch { peer: [10, 0, 0, 7].into() }));
        assert!(matches!(with("sip", "here"), Some(SasError::Malformed { .. })));
        assert_eq!(with("spr", "https,http"), None);
        assert_eq!(with("spr", "https"), Some(SasError::ProtocolMismatch));
        assert!(matches!(with("spr", "gopher"), Some(SasError::Malformed { .. })));
        assert!(matches!(with("erk", "r"), Some(SasError::Malformed { .. })));
    }
}
