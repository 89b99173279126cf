//! Users, permissions, scripts and client encryption keys: stored, listed and handed back, all by the same rules.

use std::sync::Arc;

use http::StatusCode;
use orrery_engine::{Container, Error as EngineError, JsonMap, Parent, Resource, ResourceKind, request_charge};
use serde_json::Value as Json;

use super::error::ApiError;
use super::feed::{Entry, Feed};
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;
use super::route::{FeedVerb, ParentPath, ResourceVerb};
use super::{containers, encryption_keys, json_body, permissions, scripts};

/// The list of a kind under a parent: listed, queried or added to.
pub(crate) async fn feed(
    cx: &RequestContext<'_>,
    parent: &ParentPath<'_>,
    kind: ResourceKind,
    verb: FeedVerb,
    body: &[u8],
) -> Result<Reply, ApiError> {
    let owner = Owner::find(cx, parent).await?;
    let reply = match verb {
        FeedVerb::List => owner.feed(cx, kind).await?.list(cx)?,
        FeedVerb::Post if cx.is_query() => owner.feed(cx, kind).await?.query(cx, body)?,
        FeedVerb::Post => add(cx, &owner, kind, body).await?,
    };
    Ok(owner.mark(reply))
}

/// One resource of a kind under a parent.
pub(crate) async fn one(
    cx: &RequestContext<'_>,
    parent: &ParentPath<'_>,
    kind: ResourceKind,
    segment: &str,
    verb: ResourceVerb,
    body: &[u8],
) -> Result<Reply, ApiError> {
    let owner = Owner::find(cx, parent).await?;
    let engine = cx.engine();
    let reply = match verb {
        ResourceVerb::Read => {
            let resource = engine.resource(&owner.parent, kind, segment).await?;
            cx.check_not_modified(&resource.etag())?;
            owner.reply(cx, StatusCode::OK, kind, &resource)?
        }
        ResourceVerb::Replace => {
            let definition = checked(cx, kind, body)?;
            let condition = cx.condition()?;
            let resource = engine.replace_resource(&owner.parent, kind, segment, &definition, &condition).await?;
            owner.reply(cx, StatusCode::OK, kind, &resource)?.charge(request_charge::METADATA_WRITE_RU)
        }
        ResourceVerb::Delete => {
            engine.delete_resource(&owner.parent, kind, segment, &cx.condition()?).await?;
            Reply::empty(StatusCode::NO_CONTENT).charge(request_charge::METADATA_WRITE_RU)
        }
        ResourceVerb::Execute => return Err(scripts::execute(&engine.resource(&owner.parent, kind, segment).await?)),
    };
    Ok(owner.mark(reply))
}

async fn add(cx: &RequestContext<'_>, owner: &Owner, kind: ResourceKind, body: &[u8]) -> Result<Reply, ApiError> {
    let definition = checked(cx, kind, body)?;
    let (resource, is_new) = match cx.flag(&names::IS_UPSERT) {
        true => cx.engine().upsert_resource(&owner.parent, kind, &definition).await?,
        false => (cx.engine().create_resource(&owner.parent, kind, &definition).await?, true),
    };
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(owner.reply(cx, status, kind, &resource)?.charge(request_charge::METADATA_WRITE_RU))
}

/// The definition in `body`, if it is complete for its kind and the reply to it can be made.
fn checked(cx: &RequestContext<'_>, kind: ResourceKind, body: &[u8]) -> Result<JsonMap, ApiError> {
    let definition = json_body::object(body)?;
    json_body::id(&definition)?;
    match kind {
        ResourceKind::User | ResourceKind::Setting => {}
        ResourceKind::Permission => permissions::check(cx, &definition)?,
        ResourceKind::ClientEncryptionKey => encryption_keys::check(&definition)?,
        ResourceKind::StoredProcedure | ResourceKind::UserDefinedFunction => scripts::check_script(&definition)?,
        ResourceKind::Trigger => scripts::check_trigger(&definition)?,
    }
    Ok(definition)
}

/// What the resources belong to.
struct Owner {
    parent: Parent,
    rid: String,
    container: Option<Arc<Container>>,
}

impl Owner {
    /// 404/1003 if it is missing.
    async fn find(cx: &RequestContext<'_>, path: &ParentPath<'_>) -> Result<Owner, ApiError> {
        match path {
            ParentPath::Database(database) => {
                let database = containers::find_database(cx, database)?;
                Ok(Owner { parent: Parent::database(&database), rid: database.rid().to_owned(), container: None })
            }
            ParentPath::Container(place) => {
                let container = containers::find_owner(cx, place)?;
                let parent = Parent::container(&container);
                Ok(Owner { parent, rid: container.rid().to_owned(), container: Some(container) })
            }
            ParentPath::User { database, user } => {
                let database = Parent::database(&*containers::find_database(cx, database)?);
                let user = cx.engine().resource(&database, ResourceKind::User, user).await.map_err(as_owner)?;
                Ok(Owner { parent: Parent::user(&user), rid: user.rid(), container: None })
            }
        }
    }

    async fn feed(&self, cx: &RequestContext<'_>, kind: ResourceKind) -> Result<Feed<'_>, ApiError> {
        let resources = cx.engine().resources(&self.parent, kind).await?;
        let entry = |resource: &Resource| {
            Ok(Entry { position: resource.id().to_owned(), body: self.shown(cx, kind, resource)? })
        };
        let entries = resources.iter().map(entry).collect::<Result<_, ApiError>>()?;
        Ok(Feed { owner_rid: &self.rid, plural: plural(kind), entries })
    }

    fn reply(
        &self,
        cx: &RequestContext<'_>,
        status: StatusCode,
        kind: ResourceKind,
        resource: &Resource,
    ) -> Result<Reply, ApiError> {
        let body = Json::Object(self.shown(cx, kind, resource)?);
        Ok(Reply::json(status, &body).etag(&resource.etag()))
    }

    /// The resource as clients see it; a permission comes with a token.
    fn shown(&self, cx: &RequestContext<'_>, kind: ResourceKind, resource: &Resource) -> Result<JsonMap, ApiError> {
        let mut body = resource.to_json();
        if kind == ResourceKind::Permission {
            body.insert("_token".into(), permissions::token(cx, resource, &self.rid)?.into());
        }
        Ok(body)
    }

    fn mark(&self, reply: Reply) -> Reply {
        match &self.container {
            Some(container) => reply.container_paths(container),
            None => reply,
        }
    }
}

fn as_owner(error: EngineError) -> EngineError {
    match error {
        EngineError::NotFound { kind, id } => EngineError::OwnerNotFound { kind, id },
        error => error,
    }
}

fn plural(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::User => "Users",
        ResourceKind::Permission => "Permissions",
        ResourceKind::ClientEncryptionKey => "ClientEncryptionKeys",
        ResourceKind::StoredProcedure => "StoredProcedures",
        ResourceKind::Trigger => "Triggers",
        ResourceKind::UserDefinedFunction => "UserDefinedFunctions",
        ResourceKind::Setting => "Settings",
    }
}
