//! Users, permissions, scripts and keys: small JSON bodies under a parent.

use bytes::Bytes;
use orrery_store::{KeyRange, Scan, Space, Visit, Visitor, scan};

use super::Engine;
use super::catalog_writes::check;
use super::put::CatalogChange;
use crate::Error;
use crate::catalog::{
    JsonMap, Parent, Resource, ResourceKind, ResourceRecord, check_resource_id, resource_key, resource_prefix, rid,
};
use crate::item::Condition;

/// Small resources of one kind under one parent.
pub const MAX_RESOURCES_PER_PARENT: usize = 10_000;

impl Engine {
    /// Stores a new resource.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the name is taken, [`Error::Invalid`] for a bad name or too many siblings,
    /// [`Error::OwnerNotFound`] if the parent was dropped meanwhile.
    pub async fn create_resource(
        &self,
        parent: &Parent,
        kind: ResourceKind,
        body: &JsonMap,
    ) -> Result<Resource, Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        let id = id_of(kind, body)?;
        self.check_parent(parent).await?;
        let siblings = self.resources(parent, kind).await?;
        if siblings.iter().any(|sibling| sibling.id() == id) {
            return Err(Error::Conflict { kind: kind.noun(), id });
        }
        if siblings.len() >= MAX_RESOURCES_PER_PARENT {
            return Err(Error::invalid(format!(
                "there are {MAX_RESOURCES_PER_PARENT} {}s here, which is the most there can be",
                kind.noun()
            )));
        }
        let rid = new_rid(parent, kind);
        let record = ResourceRecord { id, rid, kind, body: without_system(body), version: 1, ts: self.now() };
        self.put_resource(parent, record).await
    }

    /// Stores a resource, whether it exists or not; tells whether it is new.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a bad name.
    pub async fn upsert_resource(
        &self,
        parent: &Parent,
        kind: ResourceKind,
        body: &JsonMap,
    ) -> Result<(Resource, bool), Error> {
        let id = id_of(kind, body)?;
        match self.replace_resource(parent, kind, &id, body, &Condition::None).await {
            Ok(resource) => Ok((resource, false)),
            Err(Error::NotFound { .. }) => Ok((self.create_resource(parent, kind, body).await?, true)),
            Err(error) => Err(error),
        }
    }

    /// The resource with that name or rid.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn resource(&self, parent: &Parent, kind: ResourceKind, segment: &str) -> Result<Resource, Error> {
        let named = self.store().get(Space::Meta, &resource_key(parent, kind, segment)).await?;
        if let Some(bytes) = named {
            return Ok(Resource::new(parse(&bytes)?, parent));
        }
        let all = self.resources(parent, kind).await?;
        all.into_iter().find(|resource| resource.rid() == segment).ok_or_else(|| Error::not_found(kind.noun(), segment))
    }

    /// All resources of a kind under a parent, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the store cannot be read.
    pub async fn resources(&self, parent: &Parent, kind: ResourceKind) -> Result<Vec<Resource>, Error> {
        let range = KeyRange::prefix(&resource_key(parent, kind, ""));
        let request = Scan { space: Space::Meta, range, reverse: false };
        let found = scan(&*self.store().snapshot(), request, Values { values: Vec::new() }).await?.values;
        found.iter().map(|bytes| Ok(Resource::new(parse(bytes)?, parent))).collect()
    }

    /// Stores a new version of a resource. A user or permission may be renamed by it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::PreconditionFailed`], [`Error::Conflict`] if the new name is taken.
    pub async fn replace_resource(
        &self,
        parent: &Parent,
        kind: ResourceKind,
        segment: &str,
        body: &JsonMap,
        condition: &Condition,
    ) -> Result<Resource, Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        let current = self.resource(parent, kind, segment).await?;
        check(condition, &current.etag())?;
        let id = id_of(kind, body)?;
        let mut change = CatalogChange::default();
        if id != current.id() {
            if self.store().get(Space::Meta, &resource_key(parent, kind, &id)).await?.is_some() {
                return Err(Error::Conflict { kind: kind.noun(), id });
            }
            change = change.remove(resource_key(parent, kind, current.id()));
        }
        let old = current.record;
        let record = ResourceRecord {
            id,
            rid: old.rid,
            kind,
            body: without_system(body),
            version: old.version + 1,
            ts: self.now(),
        };
        change.put(resource_key(parent, kind, &record.id), &record)?.commit(self).await?;
        Ok(Resource::new(record, parent))
    }

    /// Removes a resource and what is below it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::PreconditionFailed`].
    pub async fn delete_resource(
        &self,
        parent: &Parent,
        kind: ResourceKind,
        segment: &str,
        condition: &Condition,
    ) -> Result<(), Error> {
        let _one_at_a_time = self.inner.catalog_writer.lock().await;
        let current = self.resource(parent, kind, segment).await?;
        check(condition, &current.etag())?;
        let change = CatalogChange::default().remove(resource_key(parent, kind, current.id()));
        change.remove_prefix(resource_prefix(&current.record.rid)).commit(self).await
    }

    /// A parent was looked up before the writers' lock was taken; nothing may be left behind below one that is gone.
    async fn check_parent(&self, parent: &Parent) -> Result<(), Error> {
        let database =
            Parent { rid: parent.rid.iter().copied().take(rid::DATABASE_RID_LEN).collect(), self_link: String::new() };
        let gone = |kind| Err(Error::OwnerNotFound { kind, id: rid::encode(&parent.rid) });
        if !self.inner.catalog.rid_is_taken(&database.rid) {
            return gone("database");
        }
        if parent.rid == database.rid || self.inner.catalog.rid_is_taken(&parent.rid) {
            return Ok(());
        }
        let users = self.resources(&database, ResourceKind::User).await?;
        if users.iter().any(|user| user.record.rid == parent.rid) { Ok(()) } else { gone("container or user") }
    }

    async fn put_resource(&self, parent: &Parent, record: ResourceRecord) -> Result<Resource, Error> {
        let key = resource_key(parent, record.kind, &record.id);
        CatalogChange::default().put(key, &record)?.commit(self).await?;
        Ok(Resource::new(record, parent))
    }
}

struct Values {
    values: Vec<Bytes>,
}

impl Visitor for Values {
    fn visit(&mut self, _key: &[u8], value: &Bytes) -> Visit {
        self.values.push(value.clone());
        Visit::Continue
    }
}

fn parse(bytes: &[u8]) -> Result<ResourceRecord, Error> {
    serde_json::from_slice(bytes)
        .map_err(|error| Error::Unavailable { reason: format!("a record of the catalog is damaged: {error}") })
}

fn id_of(kind: ResourceKind, body: &JsonMap) -> Result<String, Error> {
    let id = body.get("id").and_then(|id| id.as_str());
    let id = id.ok_or_else(|| {
        Error::invalid(format!("One of the specified inputs is invalid: a {} needs an 'id', a string", kind.noun()))
    })?;
    check_resource_id(kind.noun(), id)?;
    Ok(id.to_owned())
}

fn without_system(body: &JsonMap) -> JsonMap {
    const SYSTEM: [&str; 6] = ["_rid", "_self", "_etag", "_ts", "_permissions", "_token"];
    body.iter()
        .filter(|(name, _)| !SYSTEM.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// A random rid below the parent's: users have the top bit of their part clear, the others a type in the last byte.
fn new_rid(parent: &Parent, kind: ResourceKind) -> Vec<u8> {
    let random = *uuid::Uuid::new_v4().as_bytes();
    let mut rid = parent.rid.clone();
    if kind == ResourceKind::User {
        rid.extend_from_slice(&[random[0] & 0x7F, random[1], random[2], random[3]]);
        return rid;
    }
    while rid.len() < rid::CONTAINER_RID_LEN {
        rid.push(0);
    }
    rid.extend_from_slice(&random[..7]);
    rid.push((kind.rid_kind() as u8) << 4 | random[7] & 0x0F);
    rid
}
