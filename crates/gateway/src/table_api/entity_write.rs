//! Writing one entity, alone or as a part of a batch.

use std::sync::{Arc, OnceLock};

use http::StatusCode;
use orrery_engine::{
    Condition, Container, Error as EngineError, Item, ItemTest, NewItem, Operation, OperationKind, Target, Transform,
    Written,
};
use orrery_table::{
    Dialect, EntityBody, EntityKey, EntityWriter, Error, ErrorCode, IfMatch, Location, MetadataLevel, etag, merge,
};

use super::authorize::Access;
use super::entity_read::{partition, timestamp};
use super::error::ApiError;
use super::format::{Echo, metadata_level};
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;
use super::route::Change;

/// What the headers of a write say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WriteHeaders<'a> {
    pub if_match: Option<&'a str>,
    pub if_none_match: Option<&'a str>,
    pub prefer: Option<&'a str>,
    pub accept: Option<&'a str>,
    /// The query parameter that counts before `accept`.
    pub format: Option<&'a str>,
}

/// A write that was understood.
#[derive(Debug)]
pub(crate) struct EntityWrite {
    /// The entity.
    pub key: EntityKey,
    action: Action,
}

#[derive(Debug)]
enum Action {
    Insert { body: EntityBody, echo: Echo, level: MetadataLevel },
    Replace { body: EntityBody, if_match: Option<IfMatch> },
    Merge { body: EntityBody, if_match: Option<IfMatch> },
    Delete { if_match: IfMatch },
}

/// A write as the engine takes it.
pub(crate) struct Planned {
    pub operation: Operation,
    /// Why a merge did not happen, if it was not the engine that refused it.
    refusal: Arc<OnceLock<Error>>,
}

/// What a write answers.
#[derive(Debug)]
pub(crate) struct WriteReply {
    pub status: StatusCode,
    /// Names and values, all of them fit for a header.
    pub headers: Vec<(http::HeaderName, String)>,
    pub body: Vec<u8>,
}

impl<'a> WriteHeaders<'a> {
    /// The headers of a request that is no batch.
    pub fn of(cx: &'a RequestContext<'a>) -> Self {
        WriteHeaders {
            if_match: cx.header(&names::IF_MATCH),
            if_none_match: cx.header(&names::IF_NONE_MATCH),
            prefer: cx.header(&names::PREFER),
            accept: cx.header(&names::ACCEPT),
            format: cx.query.get("$format"),
        }
    }
}

impl EntityWrite {
    /// An insert. The body has the keys.
    ///
    /// # Errors
    /// 400 for a body that is no entity, 415 for a form of reply that there is not.
    pub fn insert(headers: &WriteHeaders<'_>, body: &[u8], dialect: Dialect) -> Result<Self, Error> {
        let level = metadata_level(headers.format, headers.accept)?;
        let mut body = EntityBody::parse(body, dialect)?;
        let key = body.take_key(dialect)?;
        Ok(EntityWrite { key, action: Action::Insert { body, echo: Echo::of(headers.prefer), level } })
    }

    /// A write of the entity with these keys; keys in the body do not count.
    ///
    /// # Errors
    /// 400 for conditions that there are not, and for a body that is no entity.
    pub fn change(
        change: Change,
        key: EntityKey,
        headers: &WriteHeaders<'_>,
        body: &[u8],
        dialect: Dialect,
    ) -> Result<Self, Error> {
        if headers.if_none_match.is_some() {
            return Err(Error::invalid_input("A write has no If-None-Match."));
        }
        let if_match = headers.if_match.map(IfMatch::parse).transpose()?;
        let action = match change {
            Change::Delete => {
                let missing = || Error::with_detail(ErrorCode::MissingRequiredHeader, "It is If-Match.");
                Action::Delete { if_match: if_match.ok_or_else(missing)? }
            }
            Change::Replace | Change::InsertOrReplace => {
                Action::Replace { body: EntityBody::parse_change(body, dialect)?, if_match }
            }
            Change::Merge | Change::InsertOrMerge => {
                Action::Merge { body: EntityBody::parse_change(body, dialect)?, if_match }
            }
        };
        key.check(dialect)?;
        Ok(EntityWrite { key, action })
    }

    /// The engine's operation for it.
    ///
    /// # Errors
    /// 400 if the entity is too large.
    pub fn plan(&self, table: &Arc<Container>, dialect: Dialect) -> Result<Planned, ApiError> {
        let key = partition(&self.key.partition_key);
        let target = Target::Id(self.key.row_key.clone());
        let refusal = Arc::default();
        let (kind, condition) = match &self.action {
            Action::Insert { body, .. } => {
                (OperationKind::Create(self.new_item(table, body, dialect)?), Condition::None)
            }
            Action::Replace { body, if_match: None } => {
                (OperationKind::Upsert(self.new_item(table, body, dialect)?), Condition::None)
            }
            Action::Replace { body, if_match: Some(if_match) } => {
                let item = self.new_item(table, body, dialect)?;
                (OperationKind::Replace { target, item }, condition(if_match))
            }
            Action::Merge { body, if_match } => {
                let merge = Merge {
                    table: table.clone(),
                    key: self.key.clone(),
                    body: body.clone(),
                    if_match: if_match.clone(),
                    dialect,
                    refusal: Arc::clone(&refusal),
                };
                let transform = Transform(Box::new(move |current| merge.run(current)));
                (OperationKind::Transform { id: self.key.row_key.clone(), transform }, Condition::None)
            }
            Action::Delete { if_match } => (OperationKind::Delete { target }, condition(if_match)),
        };
        Ok(Planned { operation: Operation { kind, key, condition }, refusal })
    }

    /// What the client is told once it is done.
    pub fn reply(&self, written: &Written, location: Location<'_>) -> WriteReply {
        let mut reply = WriteReply { status: StatusCode::NO_CONTENT, headers: Vec::new(), body: Vec::new() };
        let Some(item) = written.item() else { return reply };
        let timestamp = timestamp(item);
        reply.headers.push((names::ETAG, etag(timestamp)));
        let Action::Insert { echo, level, .. } = &self.action else { return reply };
        let mut address = format!("{}/{}", location.base, location.table);
        self.key.write_address(&mut address);
        reply.headers.push((names::LOCATION, address.clone()));
        reply.headers.push((names::DATA_SERVICE_ID, address));
        if let Some(applied) = echo.applied() {
            reply.headers.push((names::PREFERENCE_APPLIED, applied.to_owned()));
        }
        if *echo != Echo::None {
            reply.status = StatusCode::CREATED;
            reply.headers.push((names::CONTENT_TYPE, super::format::content_type(*level).to_owned()));
            reply.body.reserve(2 * item.size_bytes());
            EntityWriter { level: *level, location, select: None }.write_one(
                item.document(),
                timestamp,
                &mut reply.body,
            );
        }
        reply
    }

    fn new_item(&self, table: &Container, body: &EntityBody, dialect: Dialect) -> Result<NewItem, ApiError> {
        let document = body.to_document(&self.key, dialect)?;
        Ok(new_item(table, &document, &self.key)?)
    }
}

impl Planned {
    /// Why the engine did not do it, in the service's words.
    pub fn failure(refusal: &OnceLock<Error>, error: EngineError) -> ApiError {
        match refusal.get() {
            Some(refusal) => refusal.clone().into(),
            None => error.into(),
        }
    }

    /// The operation, and where a refusal of it will be found.
    pub fn into_parts(self) -> (Operation, Arc<OnceLock<Error>>) {
        (self.operation, self.refusal)
    }
}

/// Does a write that stands alone.
pub(crate) async fn write(
    cx: &RequestContext<'_>,
    access: &Access,
    table: &Arc<Container>,
    write: EntityWrite,
) -> Result<Reply, ApiError> {
    access.check_key(&write.key)?;
    let (operation, refusal) = write.plan(table, cx.dialect())?.into_parts();
    let done = cx.catalog().engine().write_one(table, operation).await;
    let (written, charge_ru) =
        done.map_err(|(error, charge_ru)| Planned::failure(&refusal, error).with_charge(charge_ru))?;
    let base = cx.base();
    let answer = write.reply(&written, Location { base: &base, account: cx.account(), table: table.id() });
    let mut reply = Reply::empty(answer.status).charge(charge_ru);
    reply.body = answer.body.into();
    Ok(answer.headers.into_iter().fold(reply, |reply, (name, value)| reply.text(name, &value)))
}

/// Lays a body over the entity there is. Runs in the transaction.
struct Merge {
    table: Arc<Container>,
    key: EntityKey,
    body: EntityBody,
    if_match: Option<IfMatch>,
    dialect: Dialect,
    refusal: Arc<OnceLock<Error>>,
}

impl Merge {
    fn run(&self, current: Option<&Item>) -> Result<NewItem, EngineError> {
        if let Some(if_match) = &self.if_match {
            let current =
                current.ok_or_else(|| EngineError::NotFound { kind: "item", id: self.key.row_key.clone() })?;
            if !if_match.names(timestamp(current)) {
                return Err(EngineError::PreconditionFailed { reason: "the entity has another tag".into() });
            }
        }
        let document = merge(&self.key, &self.body, current.map(Item::document), self.dialect).map_err(|refusal| {
            let message = refusal.to_string();
            // A second run of the transaction refuses it for the same reason.
            let _ = self.refusal.set(refusal);
            EngineError::Invalid { message }
        })?;
        new_item(&self.table, &document, &self.key)
    }
}

/// Keys are checked by the rules for tables, which are others than those for ids of documents.
fn new_item(table: &Container, document: &[u8], key: &EntityKey) -> Result<NewItem, EngineError> {
    NewItem::parse_with(table, document, Some(&partition(&key.partition_key)), |_| Ok(()))
}

fn condition(if_match: &IfMatch) -> Condition {
    match if_match.clone() {
        IfMatch::Any => Condition::None,
        if_match => Condition::If(ItemTest(Arc::new(move |item| if_match.names(timestamp(item))))),
    }
}
