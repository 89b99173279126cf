//! Who logs in: a user who names a graph, and an account key or a resource token.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orrery_engine::Container;

use super::fault::Fault;
use super::graph_name::GraphName;
use crate::auth::{AuthScheme, Authenticator, Grant, Identity, KeyRole, PermissionMode};

/// Longest message of a login; resource tokens are the longest passwords.
const MAX_SASL_BYTES: usize = 32 * 1024;

/// Who is logged in.
#[derive(Debug, Clone)]
pub(super) struct Principal {
    /// The graph that the user's name is, if it is one.
    pub graph: Option<GraphName>,
    rights: Rights,
}

#[derive(Debug, Clone)]
enum Rights {
    Key(KeyRole),
    Token(Box<Grant>),
    /// An identity token, which stands for the whole account.
    Account,
}

impl Principal {
    /// Reads a `PLAIN` message: `authorization-id NUL user NUL password`, in base64.
    ///
    /// # Errors
    /// If it is none, or the password is wrong.
    pub fn log_in(authenticator: &Authenticator, sasl: &str) -> Result<Principal, Fault> {
        let wrong = || Fault::unauthorized("the login is not a PLAIN message in base64");
        if sasl.len() > MAX_SASL_BYTES {
            return Err(wrong());
        }
        let message = STANDARD.decode(sasl.trim()).map_err(|_| wrong())?;
        let message = String::from_utf8(message).map_err(|_| wrong())?;
        let mut parts = message.splitn(3, '\0');
        let (Some(_), Some(user), Some(password)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        Principal::with_password(authenticator, user, password)
    }

    /// Checks a user's password: an account key in base64, or a resource token.
    ///
    /// # Errors
    /// If it is neither.
    pub fn with_password(authenticator: &Authenticator, user: &str, password: &str) -> Result<Principal, Fault> {
        let graph = GraphName::from_link(user);
        if password.trim_start().starts_with("type=") || password.trim_start().starts_with("type%3") {
            let token = match AuthScheme::parse(password) {
                Ok(AuthScheme::Resource(token)) => token,
                _ => return Err(Fault::unauthorized("Invalid credentials provided: the resource token is malformed")),
            };
            let grant = authenticator.tokens().verify(&token, SystemTime::now());
            let grant = grant.map_err(|error| Fault::unauthorized(format!("Invalid credentials provided: {error}")))?;
            return Ok(Principal { graph, rights: Rights::Token(Box::new(grant)) });
        }
        let role = authenticator.key_role(password).ok_or_else(|| {
            Fault::unauthorized("Invalid credentials provided: the password is no key of this account")
        })?;
        Ok(Principal { graph, rights: Rights::Key(role) })
    }

    /// Whoever sent a request over plain HTTP that is signed as those of the SQL API.
    pub fn of_identity(identity: Identity) -> Principal {
        let rights = match identity {
            Identity::Key(role) => Rights::Key(role),
            Identity::Resource(grant) => Rights::Token(Box::new(grant)),
            Identity::Aad(_) => Rights::Account,
        };
        Principal { graph: None, rights }
    }

    /// Whether writes are allowed.
    pub fn can_write(&self) -> bool {
        match &self.rights {
            Rights::Key(role) => role.can_write(),
            Rights::Token(grant) => grant.mode == PermissionMode::All,
            Rights::Account => true,
        }
    }

    /// Whether a container may be used at all.
    ///
    /// # Errors
    /// 403.
    pub fn check(&self, container: &Container) -> Result<(), Fault> {
        let Rights::Token(grant) = &self.rights else { return Ok(()) };
        let link = format!("dbs/{}/colls/{}", container.database().id(), container.id());
        let by_name = grant.resource_link.trim_matches('/') == link;
        // Not one of that name that was dropped since.
        let by_rid = grant.resource_rid == container.rid();
        if by_name && by_rid && grant.partition_key.is_none() {
            return Ok(());
        }
        let why = if grant.partition_key.is_some() {
            "a permission on one partition key does not reach a graph, whose edges lead into others"
        } else {
            "its permission is on another resource"
        };
        Err(Fault::forbidden(format!(
            "the resource token for '{}' does not allow this request: {why}",
            grant.resource_link
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{AadMode, EMULATOR_KEY, Key, Keys};

    fn authenticator() -> Authenticator {
        let primary = Key::from_base64(EMULATOR_KEY).unwrap();
        let reading = Key::from_bytes(b"a key that only reads");
        Authenticator::new(Keys { primary_readonly: Some(reading), ..Keys::single(primary) }, AadMode::Off)
    }

    fn log_in(text: &str) -> Result<Principal, Fault> {
        Principal::log_in(&authenticator(), &STANDARD.encode(text))
    }

    #[test]
    fn a_key_opens_the_account_and_the_user_names_the_graph() {
        let principal = log_in(&format!("\0/dbs/db/colls/people\0{EMULATOR_KEY}")).unwrap();
        assert_eq!(principal.graph, GraphName::from_link("/dbs/db/colls/people"));
        assert!(principal.can_write());
        assert!(log_in(&format!("\0someone\0{EMULATOR_KEY}")).unwrap().graph.is_none());
        let reading = STANDARD.encode("a key that only reads");
        assert!(!log_in(&format!("\0/dbs/db/colls/people\0{reading}")).unwrap().can_write());
    }

    #[test]
    fn whatever_else_comes_as_a_login_is_refused() {
        let wrong = STANDARD.encode("not the key of this account");
        for text in
            ["", "\0", "\0user\0", "\0user\0secret", &format!("\0user\0{wrong}"), "\0u\0type=resource&ver=1&sig=x;y;"]
        {
            assert!(matches!(log_in(text), Err(Fault::Unauthorized { .. })), "{text:?}");
        }
        assert!(Principal::log_in(&authenticator(), "%%%").is_err());
        assert!(Principal::log_in(&authenticator(), &"A".repeat(MAX_SASL_BYTES + 1)).is_err());
    }

    #[test]
    fn a_resource_token_is_read_only_if_its_permission_is() {
        let authenticator = authenticator();
        let grant = Grant {
            permission_rid: "p".into(),
            user_rid: "u".into(),
            resource_link: "dbs/db/colls/people".into(),
            resource_rid: "r".into(),
            mode: PermissionMode::Read,
            partition_key: None,
            expires: i64::MAX,
        };
        let token = authenticator.tokens().issue(&grant);
        let principal = Principal::with_password(&authenticator, "/dbs/db/colls/people", &token).unwrap();
        assert!(!principal.can_write());
        let over = authenticator.tokens().issue(&Grant { expires: 1, ..grant });
        assert!(Principal::with_password(&authenticator, "/dbs/db/colls/people", &over).is_err());
    }
}
