//! The transaction behind every write of a client: operations in order, each with its preconditions.

use std::sync::Arc;

use orrery_store::{Error as StoreError, Space, Transaction, Verdict, View};
use orrery_value::PartitionKey;

use super::key::{self, Side};
use super::writer::{Current, Done, Failure, Writer, rest_of};
use super::{
    Condition, Counters, Item, NewItem, Operation, OperationKind, OperationOutcome, Patch, Target, Transform,
    WriteMode, Written, etag,
};
use crate::Error;
use crate::catalog::{Container, rid};
use crate::clock::Clock;
use crate::request_charge;

/// The operations of one request on one container.
pub(crate) struct WriteItems {
    pub container: Arc<Container>,
    pub clock: Arc<dyn Clock>,
    pub mode: WriteMode,
    pub operations: Vec<Operation>,
    pub outcomes: Vec<OperationOutcome>,
    /// The container's counters after the transaction, if it wrote.
    pub counters: Option<Counters>,
    /// The container was dropped before the transaction ran; then there are no outcomes.
    pub container_is_gone: bool,
}

impl Transaction for WriteItems {
    fn run(&mut self, view: &mut dyn View) -> Result<Verdict, StoreError> {
        let container = self.container.clone();
        self.outcomes.clear();
        self.counters = None;
        let begun = Writer::begin(&container, &*self.clock, view)?;
        self.container_is_gone = begun.is_none();
        let Some(mut writer) = begun else { return Ok(Verdict::Abort) };
        let before = writer.counters;
        let mut failed = None;
        for (operation, index) in self.operations.iter_mut().zip(0..) {
            let (result, charge_ru) = match writer.apply(operation) {
                Ok((written, charge_ru)) => (Ok(written), charge_ru),
                Err(Failure::Refused(error)) => (Err(error), request_charge::refused_write()),
                Err(Failure::Store(error)) => return Err(error),
            };
            let stop = result.is_err() && self.mode != WriteMode::Independent;
            self.outcomes.push(OperationOutcome { result, charge_ru });
            if stop {
                failed = Some(index);
                break;
            }
        }
        let taken_back = failed.is_some() && self.mode == WriteMode::Atomic;
        if writer.counters != before && !taken_back {
            self.counters = Some(writer.finish());
        }
        if let Some(culprit) = failed {
            self.mark_dependents(culprit);
        }
        Ok(if self.counters.is_some() { Verdict::Commit } else { Verdict::Abort })
    }
}

impl WriteItems {
    /// After a failure the operations behind the culprit were not tried; in an atomic batch those before it did not happen either.
    fn mark_dependents(&mut self, culprit: usize) {
        let dependent = || OperationOutcome { result: Err(Error::DependencyFailed), charge_ru: 0.0 };
        if self.mode == WriteMode::Atomic {
            for outcome in &mut self.outcomes[..culprit] {
                *outcome = dependent();
            }
        }
        self.outcomes.resize_with(self.operations.len(), dependent);
    }
}

impl Writer<'_> {
    fn apply(&mut self, operation: &mut Operation) -> Result<Done, Failure> {
        let Operation { kind, key, condition } = operation;
        match kind {
            OperationKind::Create(item) => self.create(item, condition),
            OperationKind::Upsert(item) => self.upsert(item, condition),
            OperationKind::Replace { target, item } => {
                let current = self.existing(target, key, condition)?;
                if current.rest != rest_of(item) {
                    return self.rename(item, &current);
                }
                self.replace(item, &current)
            }
            OperationKind::Patch { target, patch } => self.patch(target, key, patch, condition),
            OperationKind::Transform { id, transform } => self.transform(id, key, transform, condition),
            OperationKind::Delete { target } => {
                let current = self.existing(target, key, condition)?;
                self.remove(&current)?;
                Ok((Written::Deleted, request_charge::delete()))
            }
            OperationKind::Read { target } => {
                let current = self.existing(target, key, &Condition::None)?;
                if let Condition::IfNoneMatch(header) = condition
                    && etag::matches(header, current.item.etag())
                {
                    return Err(Error::NotModified.into());
                }
                let charge_ru = request_charge::point_read(current.item.size_bytes());
                Ok((Written::Read(current.item), charge_ru))
            }
        }
    }

    fn create(&mut self, item: &mut NewItem, condition: &Condition) -> Result<Done, Failure> {
        // The search for an item that is not there is a quarter of what this thread does for each new one.
        let taken = if item.id_is_random() { None } else { self.read(rest_of(item))? };
        if let Some(current) = taken {
            if !self.is_expired(&current) {
                return Err(match condition {
                    Condition::IfNoneMatch(header) if etag::matches(header, current.item.etag()) => {
                        Error::PreconditionFailed { reason: format!("an item with id '{}' exists", item.id()) }
                    }
                    _ => Error::Conflict { kind: "item", id: item.id().to_owned() },
                }
                .into());
            }
            self.remove(&current)?;
        }
        self.insert(item)
    }

    fn upsert(&mut self, item: &mut NewItem, condition: &Condition) -> Result<Done, Failure> {
        match self.read(rest_of(item))? {
            Some(current) if !self.is_expired(&current) => {
                check(condition, &current.item)?;
                self.replace(item, &current)
            }
            absent => {
                if let Condition::IfMatch(_) | Condition::If(_) = condition {
                    return Err(Error::PreconditionFailed {
                        reason: format!("there is no item with id '{}' to match", item.id()),
                    }
                    .into());
                }
                if let Some(expired) = absent {
                    self.remove(&expired)?;
                }
                self.insert(item)
            }
        }
    }

    fn patch(
        &mut self,
        target: &Target,
        key: &PartitionKey,
        patch: &Patch,
        condition: &Condition,
    ) -> Result<Done, Failure> {
        let current = self.existing(target, key, condition)?;
        let patched = patch.apply(current.item.document())?;
        let mut item = NewItem::from_value(self.container, &patched, key)?;
        if current.rest != rest_of(&item) {
            return Err(Error::invalid("a patch cannot change the item's id or partition key").into());
        }
        self.replace(&mut item, &current)
    }

    fn transform(
        &mut self,
        id: &str,
        key: &PartitionKey,
        transform: &Transform,
        condition: &Condition,
    ) -> Result<Done, Failure> {
        let mut rest = key::partition(&self.settings.partition_key, key);
        rest.extend_from_slice(id.as_bytes());
        let stored = self.read(rest.clone())?;
        let current = stored.as_ref().filter(|current| !self.is_expired(current));
        let mut item = (transform.0)(current.map(|current| &current.item))?;
        if rest_of(&item) != rest {
            return Err(Error::invalid("a write cannot change the item's id or partition key").into());
        }
        match (current, &stored) {
            (Some(current), _) => {
                check(condition, &current.item)?;
                self.replace(&mut item, current)
            }
            (None, Some(expired)) => {
                self.remove(expired)?;
                self.insert(&mut item)
            }
            (None, None) => self.insert(&mut item),
        }
    }

    /// The item that `target` names, which must exist and meet the condition.
    fn existing(
        &mut self,
        target: &Target,
        partition: &PartitionKey,
        condition: &Condition,
    ) -> Result<Current, Failure> {
        let missing = || Failure::Refused(Error::not_found("item", target.name()));
        let rest = match target {
            Target::Id(id) => {
                let mut rest = key::partition(&self.settings.partition_key, partition);
                rest.extend_from_slice(id.as_bytes());
                rest
            }
            Target::Rid(text) => {
                let number = rid::document_number(self.container.rid_bytes(), text).ok_or_else(missing)?;
                let rest = self.rest_of_rid(number, partition)?.ok_or_else(missing)?;
                // A feed record also exists for the number of each later version, which is no item's rid.
                let current = self.read(rest)?.filter(|current| current.item.document_number() == number);
                current.ok_or_else(missing)?.rest
            }
        };
        let current = self.read(rest)?.filter(|current| !self.is_expired(current)).ok_or_else(missing)?;
        check(condition, &current.item)?;
        Ok(current)
    }

    /// Where the item with that number in its rid can be, if that is in the named logical partition.
    fn rest_of_rid(&mut self, number: u64, partition: &PartitionKey) -> Result<Option<Vec<u8>>, Failure> {
        let container = self.container.number();
        let moved = self.view.get(Space::Side, &key::side(container, Side::Rid, &number.to_be_bytes()))?;
        let rest = match moved {
            Some(rest) => Some(rest.to_vec()),
            None => self
                .view
                .get(Space::Feed, &key::feed(container, number))?
                .and_then(|record| record.get(4..).map(<[u8]>::to_vec)),
        };
        let expected = key::partition(&self.settings.partition_key, partition);
        Ok(rest.filter(|rest| rest.starts_with(&expected)))
    }
}

/// Checks the precondition of a write on an item that exists.
fn check(condition: &Condition, current: &Item) -> Result<(), Error> {
    let holds = match condition {
        Condition::None => true,
        Condition::IfMatch(header) => etag::matches(header, current.etag()),
        Condition::IfNoneMatch(header) => !etag::matches(header, current.etag()),
        Condition::If(test) => (test.0)(current),
    };
    if holds {
        Ok(())
    } else {
        Err(Error::PreconditionFailed { reason: format!("the item's _etag is now \"{}\"", current.etag()) })
    }
}
