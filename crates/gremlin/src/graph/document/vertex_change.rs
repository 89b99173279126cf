//! Changes of a vertex's document.

use std::sync::Arc;

use super::collection::check_value;
use super::names::TIME_TO_LIVE;
use super::vertex::{Member, PropertyValue, Slot, scalar_id};
use super::{Layout, StoredValue, VertexDocument, check_key, fresh_id, invalid};
use crate::graph::{GraphError, PropertyChange};
use crate::value::{Cardinality, GValue};

impl VertexDocument {
    /// The document of a new vertex.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for reserved names, values that cannot be stored, and a partition property that is missing, null or not single.
    pub fn create(
        layout: &Layout,
        id: Arc<str>,
        label: Arc<str>,
        properties: &[PropertyChange],
    ) -> Result<Self, GraphError> {
        super::check_label(&label)?;
        let mut document = VertexDocument::new(id, label);
        for change in properties {
            if layout.is_partition_property(&change.key) {
                check_no_meta(change)?;
                document.place(&change.key, &change.value)?;
            } else {
                document.change(layout, change)?;
            }
        }
        document.check_placed(layout)?;
        Ok(document)
    }

    /// Changes a property.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for reserved names, values that cannot be stored, and another value of the partition property.
    pub fn change(&mut self, layout: &Layout, change: &PropertyChange) -> Result<(), GraphError> {
        let PropertyChange { key, value, cardinality, meta } = change;
        check_key(key)?;
        if layout.is_partition_property(key) {
            check_no_meta(change)?;
            if *cardinality == Some(Cardinality::List) {
                return Err(invalid("Partition property must be single-valued"));
            }
            return self.check_stays(key, value);
        }
        let cardinality = cardinality.unwrap_or(Cardinality::Single);
        if matches!(value, GValue::Null) {
            self.members.retain(|(name, _)| name != key);
            return Ok(());
        }
        if &**key == TIME_TO_LIVE {
            check_no_meta(change)?;
            return self.set_time_to_live(value);
        }
        check_value(value)?;
        let mut new = PropertyValue { id: fresh_id(), value: value.clone(), meta: Vec::new() };
        set_meta(&mut new.meta, meta)?;
        match cardinality {
            Cardinality::Single => match self.member(key) {
                Some(member) => *member = Member::Values(vec![Slot::Value(new)]),
                None => self.push(key, new),
            },
            Cardinality::List => self.push(key, new),
            Cardinality::Set => match self.values(key).iter_mut().find_map(|slot| slot.of_value(value)) {
                Some(present) => set_meta(&mut present.meta, meta)?,
                None => self.push(key, new),
            },
        }
        Ok(())
    }

    /// Changes properties of a value of a property. `false`: there is no such value.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for values that cannot be stored, and for properties that have no properties.
    pub fn change_meta(
        &mut self,
        layout: &Layout,
        key: &str,
        id: &str,
        changes: &[PropertyChange],
    ) -> Result<bool, GraphError> {
        if layout.is_partition_property(key) || key == TIME_TO_LIVE {
            return Err(invalid(format!("the property '{key}' cannot have properties")));
        }
        let Some(found) = self.values(key).iter_mut().find_map(|slot| slot.of_id(id)) else { return Ok(false) };
        for change in changes {
            set_meta(&mut found.meta, &[(change.key.clone(), change.value.clone())])?;
        }
        Ok(true)
    }

    /// Removes a value of a property, if it is there.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for the partition property.
    pub fn remove_value(&mut self, layout: &Layout, key: &str, id: &str) -> Result<(), GraphError> {
        if layout.is_partition_property(key) {
            return Err(unchangeable(key));
        }
        let is_scalar = matches!(self.member(key), Some(Member::Scalar(_)));
        if is_scalar && *scalar_id(&self.id, key) != *id {
            return Ok(());
        }
        if let Some(Member::Values(slots)) = self.member(key) {
            slots.retain_mut(|slot| slot.of_id(id).is_none());
            if !slots.is_empty() {
                return Ok(());
            }
        }
        self.members.retain(|(name, _)| &**name != key);
        Ok(())
    }

    /// Gives the partition property its value.
    pub(super) fn place(&mut self, key: &Arc<str>, value: &GValue) -> Result<(), GraphError> {
        if matches!(value, GValue::Null) {
            return Err(no_partition());
        }
        StoredValue::encode(value)?;
        match &self.partition {
            Some(placed) if is_same(placed, value) => {}
            Some(_) => return Err(invalid("Partition property must be single-valued")),
            None => {
                self.partition = Some(value.clone());
                self.members.push((key.clone(), Member::Scalar(value.clone())));
            }
        }
        Ok(())
    }

    pub(super) fn check_placed(&self, layout: &Layout) -> Result<(), GraphError> {
        match (layout.partition_property(), &self.partition) {
            (Some(_), None) => Err(no_partition()),
            _ => Ok(()),
        }
    }

    pub(super) fn set_time_to_live(&mut self, value: &GValue) -> Result<(), GraphError> {
        StoredValue::encode(value)?;
        let scalar = Member::Scalar(value.clone());
        match self.member(TIME_TO_LIVE) {
            Some(member) => *member = scalar,
            None => self.members.push((TIME_TO_LIVE.into(), scalar)),
        }
        Ok(())
    }

    /// Adds a value to those there are.
    pub(super) fn push(&mut self, key: &Arc<str>, value: PropertyValue) {
        match self.member(key) {
            Some(_) => self.values(key).push(Slot::Value(value)),
            None => self.members.push((key.clone(), Member::Values(vec![Slot::Value(value)]))),
        }
    }

    /// The values of a property as an array, which a scalar becomes by this.
    fn values(&mut self, key: &str) -> &mut Vec<Slot> {
        let id = scalar_id(&self.id, key);
        let at = match self.members.iter().position(|(name, _)| &**name == key) {
            Some(at) => at,
            None => {
                self.members.push((key.into(), Member::Values(Vec::new())));
                self.members.len() - 1
            }
        };
        let member = &mut self.members[at].1;
        match member {
            Member::Scalar(value) => {
                let only = PropertyValue { id, value: value.clone(), meta: Vec::new() };
                *member = Member::Values(vec![Slot::Value(only)]);
            }
            Member::Other(_) => *member = Member::Values(Vec::new()),
            Member::Values(_) => {}
        }
        match member {
            Member::Values(slots) => slots,
            Member::Scalar(_) | Member::Other(_) => unreachable!("it was made an array above"),
        }
    }

    fn check_stays(&self, key: &str, value: &GValue) -> Result<(), GraphError> {
        let is_same = self.partition.as_ref().is_some_and(|placed| is_same(placed, value));
        if is_same { Ok(()) } else { Err(unchangeable(key)) }
    }
}

impl Slot {
    fn of_value(&mut self, value: &GValue) -> Option<&mut PropertyValue> {
        match self {
            Slot::Value(one) if one.value == *value => Some(one),
            Slot::Value(_) | Slot::Other(_) => None,
        }
    }

    fn of_id(&mut self, id: &str) -> Option<&mut PropertyValue> {
        match self {
            Slot::Value(one) if *one.id == *id => Some(one),
            Slot::Value(_) | Slot::Other(_) => None,
        }
    }
}

/// Sets, replaces and, for null, removes properties.
fn set_meta(meta: &mut Vec<(Arc<str>, GValue)>, changes: &[(Arc<str>, GValue)]) -> Result<(), GraphError> {
    for (key, value) in changes {
        if key.is_empty() {
            return Err(invalid("Property key can not be the empty string"));
        }
        if matches!(value, GValue::Null) {
            meta.retain(|(name, _)| name != key);
            continue;
        }
        check_value(value)?;
        match meta.iter_mut().find(|(name, _)| name == key) {
            Some((_, present)) => *present = value.clone(),
            None => meta.push((key.clone(), value.clone())),
        }
    }
    Ok(())
}

fn check_no_meta(change: &PropertyChange) -> Result<(), GraphError> {
    if change.meta.is_empty() {
        return Ok(());
    }
    Err(invalid(format!("the property '{}' cannot have properties", change.key)))
}

/// Whether two values place in the same partition.
pub(super) fn is_same(one: &GValue, two: &GValue) -> bool {
    match (StoredValue::encode(one), StoredValue::encode(two)) {
        (Ok(one), Ok(two)) => one.plain.agrees_with(&two.plain),
        _ => false,
    }
}

fn no_partition() -> GraphError {
    invalid("Cannot add a vertex where the partition key property has value 'null'")
}

fn unchangeable(key: &str) -> GraphError {
    invalid(format!("the partition property '{key}' cannot be changed"))
}
