//! What a traversal takes as argument and gives as result.
//!
//! Values are cheap to clone: what is large is shared. `==` and hashing are Gremlin's *equivalence*, which tells `1` from `1L` and
//! takes NaN for equal to itself; so values serve as keys of maps and members of sets.

mod bulk;
mod constant;
mod date_time;
mod decimal;
mod element;
mod equivalence;
mod instruction;
mod limits;
mod metrics;
mod predicate;
mod strategy;

use std::sync::Arc;

use bytes::Bytes;
use indexmap::{IndexMap, IndexSet};
pub use num_bigint::BigInt;
pub use uuid::Uuid;

pub use bulk::{BulkSet, Traverser, Tree};
pub use constant::{
    Barrier, Cardinality, Column, Constant, DateUnit, Direction, GType, Merge, Operator, Order, Pick, Pop, Scope, T,
};
pub use date_time::{Calendar, DateTime, Duration};
pub use decimal::BigDecimal;
pub use element::{Edge, Graph, Path, Property, Vertex, VertexProperty, VertexReference};
pub use instruction::{Binding, Bytecode, Instruction, Lambda};
pub use limits::{MAX_DECIMAL_SCALE, MAX_NESTING, MAX_NUMBER_DIGITS};
pub use metrics::{Metrics, TraversalMetrics};
pub use predicate::{Comparison, Interval, P, TextComparison};
pub use strategy::Strategy;

/// An ordered map with keys of any kind.
pub type GMap = IndexMap<GValue, GValue>;

/// A set that keeps the order of insertion.
pub type GSet = IndexSet<GValue>;

/// A value of Gremlin, with the class it has in the language.
#[derive(Clone, Debug, Default)]
pub enum GValue {
    #[default]
    /// No value, which is one.
    Null,
    /// A truth value.
    Bool(bool),
    /// 8 bits.
    Byte(i8),
    /// 16 bits.
    Short(i16),
    /// 32 bits.
    Int(i32),
    /// 64 bits.
    Long(i64),
    /// An integer of any size.
    BigInteger(Arc<BigInt>),
    /// 32 bits.
    Float(f32),
    /// 64 bits.
    Double(f64),
    /// A decimal of any size.
    BigDecimal(Arc<BigDecimal>),
    /// A text.
    String(Arc<str>),
    /// A character.
    Char(char),
    /// An id of 128 bits.
    Uuid(Uuid),
    /// Milliseconds since 1970, UTC: `Date` and `Timestamp`.
    Date(i64),
    /// A point in time with the offset it was given in: `OffsetDateTime`.
    DateTime(DateTime),
    /// A length of time.
    Duration(Duration),
    /// Bytes.
    Binary(Bytes),
    /// Values in order.
    List(Arc<Vec<GValue>>),
    /// Distinct values.
    Set(Arc<GSet>),
    /// Values by keys.
    Map(Arc<GMap>),
    /// A key and its value, as `unfold()` makes them of a map; to a client it is a map of one.
    Entry(Arc<(GValue, GValue)>),
    /// A list that counts equal neighbours instead of repeating them.
    BulkSet(Arc<BulkSet>),
    /// A vertex.
    Vertex(Arc<Vertex>),
    /// An edge.
    Edge(Arc<Edge>),
    /// A property of a vertex.
    VertexProperty(Arc<VertexProperty>),
    /// A property of an edge or of a property.
    Property(Arc<Property>),
    /// The way of a traverser.
    Path(Arc<Path>),
    /// Ways with shared beginnings.
    Tree(Arc<Tree>),
    /// A part of a graph, as `subgraph()` makes one.
    Graph(Arc<Graph>),
    /// A constant of one of the enumerations.
    Constant(Constant),
    /// The name of a class. Of a strategy it is the part behind the last dot that counts.
    Class(Arc<str>),
    /// A condition.
    Predicate(Arc<P>),
    /// `Cardinality.set(value)`.
    CardinalityValue(Cardinality, Arc<GValue>),
    /// A value and how many times.
    Traverser(Arc<Traverser>),
    /// A traversal as instructions, which nobody has checked.
    Bytecode(Arc<Bytecode>),
    /// A variable and its value.
    Binding(Arc<Binding>),
    /// A strategy and its settings.
    Strategy(Arc<Strategy>),
    /// Code in another language, which is refused wherever it is used.
    Lambda(Arc<Lambda>),
    /// Figures of a step.
    Metrics(Arc<Metrics>),
    /// Figures of all steps.
    TraversalMetrics(Arc<TraversalMetrics>),
}

impl GValue {
    /// A string.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        GValue::String(text.into())
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = GValue>) -> Self {
        GValue::List(Arc::new(items.into_iter().collect()))
    }

    /// A set; of equivalent members the first stays.
    pub fn set(members: impl IntoIterator<Item = GValue>) -> Self {
        GValue::Set(Arc::new(members.into_iter().collect()))
    }

    /// A map; of entries with equivalent keys the last value stays.
    pub fn map(entries: impl IntoIterator<Item = (GValue, GValue)>) -> Self {
        GValue::Map(Arc::new(entries.into_iter().collect()))
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            GValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            GValue::Null => "null",
            GValue::Bool(_) => "a boolean",
            GValue::Byte(_) => "a byte",
            GValue::Short(_) => "a short",
            GValue::Int(_) => "an int",
            GValue::Long(_) => "a long",
            GValue::BigInteger(_) => "a big integer",
            GValue::Float(_) => "a float",
            GValue::Double(_) => "a double",
            GValue::BigDecimal(_) => "a big decimal",
            GValue::String(_) => "a string",
            GValue::Char(_) => "a character",
            GValue::Uuid(_) => "a UUID",
            GValue::Date(_) | GValue::DateTime(_) => "a date",
            GValue::Duration(_) => "a duration",
            GValue::Binary(_) => "bytes",
            GValue::List(_) => "a list",
            GValue::Set(_) => "a set",
            GValue::Map(_) => "a map",
            GValue::Entry(_) => "an entry of a map",
            GValue::BulkSet(_) => "a bulk set",
            GValue::Vertex(_) => "a vertex",
            GValue::Edge(_) => "an edge",
            GValue::VertexProperty(_) => "a vertex property",
            GValue::Property(_) => "a property",
            GValue::Path(_) => "a path",
            GValue::Tree(_) => "a tree",
            GValue::Graph(_) => "a graph",
            GValue::Constant(constant) => constant.kind(),
            GValue::Class(_) => "a class",
            GValue::Predicate(_) => "a predicate",
            GValue::CardinalityValue(..) => "a value with cardinality",
            GValue::Traverser(_) => "a traverser",
            GValue::Bytecode(_) => "a traversal",
            GValue::Binding(_) => "a binding",
            GValue::Strategy(_) => "a strategy",
            GValue::Lambda(_) => "a lambda",
            GValue::Metrics(_) | GValue::TraversalMetrics(_) => "metrics",
        }
    }

    /// The number as a 64-bit integer, if it is an integer of that size.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            GValue::Byte(number) => Some(i64::from(*number)),
            GValue::Short(number) => Some(i64::from(*number)),
            GValue::Int(number) => Some(i64::from(*number)),
            GValue::Long(number) => Some(*number),
            GValue::BigInteger(number) => i64::try_from(&**number).ok(),
            _ => None,
        }
    }

    /// Whether this is a number of any class.
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            GValue::Byte(_)
                | GValue::Short(_)
                | GValue::Int(_)
                | GValue::Long(_)
                | GValue::BigInteger(_)
                | GValue::Float(_)
                | GValue::Double(_)
                | GValue::BigDecimal(_)
        )
    }
}

impl From<&str> for GValue {
    fn from(text: &str) -> Self {
        GValue::String(text.into())
    }
}

impl From<i32> for GValue {
    fn from(number: i32) -> Self {
        GValue::Int(number)
    }
}

impl From<i64> for GValue {
    fn from(number: i64) -> Self {
        GValue::Long(number)
    }
}

impl From<f32> for GValue {
    fn from(number: f32) -> Self {
        GValue::Float(number)
    }
}

impl From<f64> for GValue {
    fn from(number: f64) -> Self {
        GValue::Double(number)
    }
}

impl From<bool> for GValue {
    fn from(truth: bool) -> Self {
        GValue::Bool(truth)
    }
}
