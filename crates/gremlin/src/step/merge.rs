//! `mergeV()` and `mergeE()`.

use std::sync::Arc;

use super::Traversal;
use crate::value::{Cardinality, GMap};

/// What is looked for, and what happens where it is found or not. Keys of the maps are strings, `T` and (of edges) `Direction`; values
/// may be [`crate::GValue::CardinalityValue`], and of directions the constants `Merge.outV` and `Merge.inV`.
#[derive(Clone, Debug, PartialEq)]
pub struct Merging {
    /// What an element must have to be found.
    pub criterion: MergeArgument,
    /// `option(onCreate, ..)`, with the cardinality of its properties.
    pub on_create: Option<(MergeArgument, Option<Cardinality>)>,
    /// `option(onMatch, ..)`, with the cardinality of its properties.
    pub on_match: Option<(MergeArgument, Option<Cardinality>)>,
    /// What `Merge.outV` stands for. Of edges only.
    pub out_vertex: Option<MergeArgument>,
    /// What `Merge.inV` stands for. Of edges only.
    pub in_vertex: Option<MergeArgument>,
}

/// A map, from one place or another.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeArgument {
    /// The incoming object is the map.
    Incoming,
    /// Given as it is.
    Map(Arc<GMap>),
    /// Given as null.
    Null,
    /// The first result of a traversal.
    Traversal(Traversal),
}
