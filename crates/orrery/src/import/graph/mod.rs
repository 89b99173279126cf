//! Files of graphs: GraphML, GraphSON and CSV.
//!
//! Whatever its format, a record is JSON text, of which [`elements`] makes vertices and edges; GraphML is turned into the form that CSV has.
//! [`GraphBuilder`] makes them documents.

mod builder;
mod elements;
mod graphml;

pub(super) use builder::{GraphBuilder, Made};
use elements::{Element, elements};
pub(super) use graphml::GraphmlElements;
