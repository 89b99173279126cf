//! Who may do what: account keys by their role, shared access signatures by what they grant, identity tokens by configuration.

use std::time::SystemTime;

use orrery_engine::query::Expr;
use orrery_table::{EntityKey, ErrorCode, StoredPolicy, not_after, not_before};

use super::error::{ApiError, now};
use super::header_names as names;
use super::request::RequestContext;
use super::route::{Change, Route};
use crate::auth::{
    AadMode, AuthError, KeyBound, Sas, SasError, SasGrant, SasPolicy, SasUse, SignedTableRequest, StorageScheme, bearer,
};
use crate::listen::Scheme;

/// The first version of the protocol whose anonymous requests are told where to sign in.
const CHALLENGE_VERSION: &str = "2019-12-12";
/// Where to sign in, and for what. The tenant stands for any.
const CHALLENGE: &str = "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com";
/// The service's letter in signatures for an account.
const TABLE_SERVICE: char = 't';

/// What the sender of a request may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everything.
    Full,
    /// Everything that changes nothing.
    ReadOnly,
    /// What a shared access signature grants.
    Sas(SasGrant),
}

/// What is done to entities, as far as rights are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntityUse {
    Read,
    Insert,
    Change(Change),
}

/// Finds out who sent a request.
///
/// # Errors
/// 401 or 403 if that is not proven, 400 if the proof is malformed.
pub(crate) async fn authenticate(cx: &RequestContext<'_>) -> Result<Access, ApiError> {
    if let Some(header) = cx.header(&names::AUTHORIZATION) {
        return by_header(cx, header);
    }
    match Sas::parse(cx.query.all())? {
        Some(sas) => by_sas(cx, &sas).await.map(Access::Sas),
        None => Err(no_credentials(cx)),
    }
}

fn by_header(cx: &RequestContext<'_>, header: &str) -> Result<Access, ApiError> {
    let clock = SystemTime::now();
    match StorageScheme::parse(header)? {
        StorageScheme::SharedKey { account, signature, form } => {
            let own = cx.account();
            if account != own {
                let wrong = format_args!("The account of this address is '{own}'.");
                return Err(ApiError::with_detail(ErrorCode::AuthenticationFailed, wrong));
            }
            let text = |name| cx.header(name).unwrap_or_default();
            let request = SignedTableRequest {
                verb: cx.head.method.as_str(),
                content_md5: text(&names::CONTENT_MD5),
                content_type: text(&names::CONTENT_TYPE),
                x_ms_date: text(&names::DATE),
                date: text(&names::HTTP_DATE),
                account: own,
                path: cx.head.uri.path(),
                account_segment: cx.place.account_segment,
                comp: cx.query.get("comp"),
            };
            let role = request.verify(&signature, form, &cx.api.account.keys, clock)?;
            Ok(if role.can_write() { Access::Full } else { Access::ReadOnly })
        }
        StorageScheme::Bearer(token) => {
            let identity = match cx.api.aad {
                AadMode::Off => Err(AuthError::AadDisabled),
                AadMode::AllowUnverified => bearer::read_unverified_for_tables(token, cx.account(), clock),
            };
            match identity {
                Ok(_) => Ok(Access::Full),
                Err(error) => Err(ApiError { challenge: Some(CHALLENGE.to_owned()), ..error.into() }),
            }
        }
    }
}

async fn by_sas(cx: &RequestContext<'_>, sas: &Sas<'_>) -> Result<SasGrant, ApiError> {
    let role = sas.verify(cx.account(), &cx.api.account.keys)?;
    if !role.can_write() {
        return Err(ApiError::with_detail(ErrorCode::AuthenticationFailed, "The key that signed it is read-only."));
    }
    let policy = match sas.policy() {
        Some((table, policy)) => Some(stored_policy(cx, table, policy).await?),
        None => None,
    };
    let used =
        SasUse { now: now(), peer: cx.connection.peer().ip(), is_encrypted: cx.connection.scheme() == Scheme::Https };
    Ok(sas.grant(policy.as_ref(), &used)?)
}

async fn stored_policy(cx: &RequestContext<'_>, table: &str, name: &str) -> Result<SasPolicy, ApiError> {
    let table = cx.catalog().table(table, cx.dialect()).map_err(|_| SasError::UnknownPolicy)?;
    let policies = cx.catalog().policies(&table).await?;
    let found = policies.into_iter().find(|policy| policy.id == name).ok_or(SasError::UnknownPolicy)?;
    let StoredPolicy { start, expiry, permission, .. } = found;
    Ok(SasPolicy { start, expiry, permissions: permission })
}

fn no_credentials(cx: &RequestContext<'_>) -> ApiError {
    let version = cx.header(&names::VERSION).unwrap_or_default();
    if version < CHALLENGE_VERSION {
        return ApiError::with_detail(ErrorCode::AuthenticationFailed, AuthError::Missing);
    }
    let error = ApiError::new(ErrorCode::NoAuthenticationInformation);
    ApiError { challenge: Some(CHALLENGE.to_owned()), ..error }
}

impl Access {
    /// Whether a request may take its route. Batches are looked at part by part, and keys that stand in a body once it is read.
    ///
    /// # Errors
    /// 403.
    pub fn check(&self, route: &Route) -> Result<(), ApiError> {
        match route {
            Route::TableList => self.check_tables("l", false),
            Route::TableRead(_) => self.check_tables("lr", false),
            Route::TableCreate => self.check_tables("cw", true),
            Route::TableDelete(_) => self.check_tables("d", true),
            Route::AclRead(_) => self.check_tables("r", false),
            Route::AclWrite(_) => self.check_tables("w", true),
            Route::PropertiesRead | Route::Stats => self.check_account('s', "r", false),
            Route::PropertiesWrite => self.check_account('s', "w", true),
            Route::EntityQuery(table) | Route::BelowTable(table) => self.check_entities(table, EntityUse::Read, None),
            Route::EntityRead(table, key) => self.check_entities(table, EntityUse::Read, Some(key)),
            Route::EntityInsert(table) => self.check_entities(table, EntityUse::Insert, None),
            Route::EntityWrite(table, key, change) => self.check_entities(table, EntityUse::Change(*change), Some(key)),
            Route::Batch => Ok(()),
        }
    }

    /// Whether entities of a table may be used so, and the one with these keys if they are known.
    ///
    /// # Errors
    /// 403.
    pub fn check_entities(&self, table: &str, usage: EntityUse, key: Option<&EntityKey>) -> Result<(), ApiError> {
        let needed = match usage {
            EntityUse::Read => "r",
            EntityUse::Insert => "a",
            EntityUse::Change(Change::Replace | Change::Merge) => "u",
            EntityUse::Change(Change::InsertOrReplace | Change::InsertOrMerge) => "au",
            EntityUse::Change(Change::Delete) => "d",
        };
        match self {
            Access::Full => Ok(()),
            Access::ReadOnly => check_changes_nothing(usage != EntityUse::Read),
            Access::Sas(SasGrant::Account { permissions, services, resource_types }) => {
                check_reach(services, resource_types, 'o')?;
                check_all(permissions, needed)
            }
            Access::Sas(SasGrant::Table { table: granted, permissions, .. }) => {
                if *granted != table.to_lowercase() {
                    let other = "The signature is one for another table.";
                    return Err(ApiError::with_detail(ErrorCode::AuthorizationFailure, other));
                }
                check_all(permissions, needed)?;
                key.map_or(Ok(()), |key| self.check_key(key))
            }
        }
    }

    /// Whether an entity with these keys is in reach.
    ///
    /// # Errors
    /// 403.
    pub fn check_key(&self, key: &EntityKey) -> Result<(), ApiError> {
        let Access::Sas(SasGrant::Table { from, until, .. }) = self else { return Ok(()) };
        let place = (&*key.partition_key, &*key.row_key);
        let is_before = |bound: &KeyBound| match &bound.row_key {
            Some(row_key) => place < (&*bound.partition_key, &**row_key),
            None => place.0 < &*bound.partition_key,
        };
        let is_behind = |bound: &KeyBound| match &bound.row_key {
            Some(row_key) => place > (&*bound.partition_key, &**row_key),
            None => place.0 > &*bound.partition_key,
        };
        if from.as_ref().is_some_and(is_before) || until.as_ref().is_some_and(is_behind) {
            let outside = "The keys are outside of the signature's range.";
            return Err(ApiError::with_detail(ErrorCode::AuthorizationFailure, outside));
        }
        Ok(())
    }

    /// Conditions that keep a query within reach.
    pub fn bounds(&self) -> Vec<Expr> {
        let Access::Sas(SasGrant::Table { from, until, .. }) = self else { return Vec::new() };
        let from = from.as_ref().map(|bound| not_before(&bound.partition_key, bound.row_key.as_deref()));
        let until = until.as_ref().map(|bound| not_after(&bound.partition_key, bound.row_key.as_deref()));
        from.into_iter().chain(until).collect()
    }

    fn check_tables(&self, one_of: &str, changes: bool) -> Result<(), ApiError> {
        self.check_account('c', one_of, changes)
    }

    /// Whether something of the account may be used that no signature for a table reaches.
    fn check_account(&self, resource_type: char, one_of: &str, changes: bool) -> Result<(), ApiError> {
        match self {
            Access::Full => Ok(()),
            Access::ReadOnly => check_changes_nothing(changes),
            Access::Sas(SasGrant::Account { permissions, services, resource_types }) => {
                check_reach(services, resource_types, resource_type)?;
                match permissions.contains(|letter| one_of.contains(letter)) {
                    true => Ok(()),
                    false => Err(ApiError::new(ErrorCode::AuthorizationPermissionMismatch)),
                }
            }
            Access::Sas(SasGrant::Table { .. }) => Err(ApiError::new(ErrorCode::AuthorizationResourceTypeMismatch)),
        }
    }
}

fn check_changes_nothing(changes: bool) -> Result<(), ApiError> {
    if changes {
        return Err(ApiError::with_detail(ErrorCode::AuthorizationFailure, "The key that signed it is read-only."));
    }
    Ok(())
}

fn check_reach(services: &str, resource_types: &str, resource_type: char) -> Result<(), ApiError> {
    if !services.contains(TABLE_SERVICE) {
        return Err(ApiError::new(ErrorCode::AuthorizationServiceMismatch));
    }
    if !resource_types.contains(resource_type) {
        return Err(ApiError::new(ErrorCode::AuthorizationResourceTypeMismatch));
    }
    Ok(())
}

fn check_all(permissions: &str, needed: &str) -> Result<(), ApiError> {
    match needed.chars().all(|letter| permissions.contains(letter)) {
        true => Ok(()),
        false => Err(ApiError::new(ErrorCode::AuthorizationPermissionMismatch)),
    }
}
