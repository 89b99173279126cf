//! `PartitionStrategy`: parts of one graph, told by the value of a property.

use std::sync::Arc;

use super::super::RunError;
use super::{replace_steps, traversal};
use crate::step::{
    Choice, HasKey, ListFunction, MergeArgument, Merging, Names, Operand, PropertyKey, PropertyWrite, RepeatCondition,
    Step, StepKind, Traversal,
};
use crate::value::{GMap, GType, GValue, P};

/// Which parts are read, and which is written.
pub(super) struct Partition<'s> {
    pub key: &'s Arc<str>,
    pub write: Option<&'s Arc<str>>,
    pub read: &'s [Arc<str>],
    pub includes_meta: bool,
}

impl Partition<'_> {
    pub fn apply(&self, whole: &mut Traversal) -> Result<(), RunError> {
        replace_steps(whole, &mut |step| self.replace(step))?;
        self.filter(whole);
        Ok(())
    }

    /// Puts the condition behind the steps that reach elements, and behind the conditions that follow them.
    fn filter(&self, whole: &mut Traversal) {
        let mut steps = Vec::with_capacity(whole.steps.len());
        let mut is_open = false;
        for mut step in std::mem::take(&mut whole.steps) {
            super::walk::children_mut(&mut step.kind, &mut |child| self.filter(child));
            if is_open && !matches!(step.kind, StepKind::Has { .. }) {
                steps.push(Step::from(self.condition()));
                is_open = false;
            }
            is_open |= reaches_elements(&step.kind);
            steps.push(step);
        }
        steps.extend(is_open.then(|| Step::from(self.condition())));
        whole.steps = steps;
    }

    fn condition(&self) -> StepKind {
        let members = self.read.iter().map(|value| GValue::String(Arc::clone(value))).collect();
        StepKind::Has { key: HasKey::Name(Arc::clone(self.key)), condition: P::Within(members) }
    }

    /// Steps that write, and with meta properties those that read properties.
    fn replace(&self, mut step: Step) -> Result<Vec<Step>, RunError> {
        match &mut step.kind {
            StepKind::AddV { properties, .. } => {
                properties.iter_mut().for_each(|write| self.mark(write));
                properties.extend(self.property());
            }
            StepKind::AddE { properties, .. } => properties.extend(self.property()),
            StepKind::Property(write) => self.mark(write),
            StepKind::MergeV(merging) | StepKind::MergeE(merging) => self.merge(merging),
            StepKind::Properties(names) if self.includes_meta => {
                self.check_names(names)?;
                let labels = std::mem::take(&mut step.labels);
                let [within, mut shown] = self.shown_properties().map(Step::from);
                shown.labels = labels;
                return Ok(vec![step, within, shown]);
            }
            StepKind::Values(names) if self.includes_meta => {
                self.check_names(names)?;
                let [within, shown] = self.shown_properties().map(Step::from);
                let values = Step { kind: StepKind::Value, labels: std::mem::take(&mut step.labels) };
                return Ok(vec![StepKind::Properties(std::mem::take(names)).into(), within, shown, values]);
            }
            StepKind::ValueMap { .. } | StepKind::PropertyMap { .. } | StepKind::ElementMap(_)
                if self.includes_meta =>
            {
                let message =
                    "PartitionStrategy with includeMetaProperties has no maps of properties; use properties()";
                return Err(RunError::Verification { message: message.to_owned() });
            }
            _ => {}
        }
        Ok(vec![step])
    }

    fn property(&self) -> Option<PropertyWrite> {
        let value = Operand::Value(GValue::String(Arc::clone(self.write?)));
        Some(PropertyWrite { cardinality: None, key: PropertyKey::Name(Arc::clone(self.key)), value, meta: Vec::new() })
    }

    /// Puts the part to a property's own properties. Tokens have none.
    fn mark(&self, write: &mut PropertyWrite) {
        if self.includes_meta
            && !matches!(write.key, PropertyKey::Token(_))
            && let Some(own) = self.property()
        {
            write.meta.push((own.key, own.value));
        }
    }

    /// Looks for what is in the part that is written, and creates it there.
    fn merge(&self, merging: &mut Merging) {
        let Some(value) = self.write else { return };
        let (key, value) = (GValue::String(Arc::clone(self.key)), GValue::String(Arc::clone(value)));
        let own = GValue::map([(key.clone(), value.clone())]);
        let with_own = |mut steps: Vec<Step>| {
            steps.push(Step::from(StepKind::List(ListFunction::Merge, Operand::Value(own))));
            MergeArgument::Traversal(Traversal { steps })
        };
        merging.criterion = match std::mem::replace(&mut merging.criterion, MergeArgument::Null) {
            MergeArgument::Map(map) => {
                let mut map = GMap::clone(&map);
                map.insert(key, value);
                MergeArgument::Map(Arc::new(map))
            }
            MergeArgument::Null => MergeArgument::Map(Arc::new(GMap::from([(key, value)]))),
            MergeArgument::Incoming => with_own(Vec::new()),
            MergeArgument::Traversal(inner) => with_own(inner.steps),
        };
    }

    /// Keeps vertex properties of the parts that are read, and hides the property that tells the parts.
    fn shown_properties(&self) -> [StepKind; 2] {
        let is_vertex_property = RepeatCondition::Predicate(P::TypeOf(GType::VertexProperty));
        let within = Choice::If { condition: is_vertex_property, then: traversal([self.condition()]), otherwise: None };
        let own = StepKind::Is(P::equal(GValue::String(Arc::clone(self.key))));
        [StepKind::Choose(Box::new(within)), StepKind::Not(traversal([StepKind::Key, own]))]
    }

    fn check_names(&self, names: &Names) -> Result<(), RunError> {
        if names.iter().flatten().any(|name| name == self.key) {
            let message = "Cannot explicitly request the partitionKey in the traversal".to_owned();
            return Err(RunError::Verification { message });
        }
        Ok(())
    }
}

fn reaches_elements(kind: &StepKind) -> bool {
    matches!(
        kind,
        StepKind::V(_)
            | StepKind::E(_)
            | StepKind::Vertices { .. }
            | StepKind::Edges { .. }
            | StepKind::EdgeVertices(_)
    )
}
