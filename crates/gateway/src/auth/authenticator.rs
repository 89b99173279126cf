//! All schemes behind one door.

use std::time::SystemTime;

use super::{
    AadIdentity, AuthError, AuthScheme, Grant, KeyRole, Keys, MasterKeyAuth, SignedRequest, TokenSigner, bearer,
};

/// Checks the `authorization` header of a request, whatever its scheme.
#[derive(Debug, Clone)]
pub struct Authenticator {
    master: MasterKeyAuth,
    tokens: TokenSigner,
    aad: AadMode,
}

/// Whether identity tokens are taken, see [`bearer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AadMode {
    /// They are refused.
    #[default]
    Off,
    /// They are taken unchecked.
    AllowUnverified,
}

/// Who a request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// The holder of an account key.
    Key(KeyRole),
    /// The holder of a resource token. Whether the request stays inside the grant is for the adapter to check.
    Resource(Grant),
    /// The bearer of an identity token.
    Aad(AadIdentity),
}

impl Authenticator {
    /// Takes signatures of `keys` and tokens whose secret is derived from them.
    pub fn new(keys: Keys, aad: AadMode) -> Authenticator {
        Authenticator { tokens: TokenSigner::derived_from(&keys), master: MasterKeyAuth::new(keys), aad }
    }

    /// Issues and verifies this account's resource tokens.
    pub fn tokens(&self) -> &TokenSigner {
        &self.tokens
    }

    /// Which key `text` is, for protocols that send the key itself.
    pub fn key_role(&self, text: &str) -> Option<KeyRole> {
        self.master.key_role(text)
    }

    /// Who sent `request` with this `authorization` header, at `now`.
    pub fn authenticate(
        &self,
        request: &SignedRequest<'_>,
        header: Option<&str>,
        now: SystemTime,
    ) -> Result<Identity, AuthError> {
        match AuthScheme::parse(header.ok_or(AuthError::Missing)?)? {
            AuthScheme::Master { signature } => self.master.verify(request, &signature, now).map(Identity::Key),
            AuthScheme::Resource(token) => self.tokens.verify(&token, now).map(Identity::Resource),
            AuthScheme::Aad(token) => match self.aad {
                AadMode::Off => Err(AuthError::AadDisabled),
                AadMode::AllowUnverified => bearer::read_unverified(&token, now).map(Identity::Aad),
            },
        }
    }
}
