//! The steps.

use std::sync::Arc;

use super::{
    Branching, Choice, Endpoint, MatchPattern, Merging, Names, Operand, PathRange, Projection, PropertyWrite, Repeat,
    Traversal,
};
use crate::value::{Column, DateUnit, Direction, GMap, GType, GValue, Operator, Order, P, Pop, Scope, T};

/// What a step does. `by` is empty where no `by()` was given.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// The beginning of a nested traversal that is labelled: passes the object on.
    Start,
    /// The beginning of a traversal in `where()`: goes to the object of this label. Without one in the path the condition fails.
    WhereStart(Arc<str>),
    /// The end of a traversal in `where()`: holds if the object equals that of this label.
    WhereEnd(Arc<str>),
    /// Vertices by id, or all. A list of two strings may be partition key and id.
    V(Vec<GValue>),
    /// Edges by id, or all.
    E(Vec<GValue>),
    /// Puts values before the others.
    Inject(Vec<GValue>),
    /// A new vertex. Its label is `vertex` unless given.
    AddV {
        /// The label.
        label: Option<Operand>,
        /// Without cardinality and meta properties; traversals run on the incoming object.
        properties: Vec<PropertyWrite>,
    },
    /// A new edge; a missing end is the incoming vertex.
    AddE {
        /// The label.
        label: Operand,
        /// Where it leaves.
        from: Option<Endpoint>,
        /// Where it enters.
        to: Option<Endpoint>,
        /// As in [`StepKind::AddV`].
        properties: Vec<PropertyWrite>,
    },
    /// Finds or creates vertices.
    MergeV(Box<Merging>),
    /// Finds or creates edges.
    MergeE(Box<Merging>),
    /// Writes a property.
    Property(Box<PropertyWrite>),
    /// Deletes what comes.
    Drop,
    /// Calls a service of the provider.
    Call {
        /// Its name; `--list` unless given.
        service: Arc<str>,
        /// Arguments known beforehand.
        parameters: Option<Arc<GMap>>,
        /// Yields a map of arguments.
        traversal: Option<Traversal>,
        /// `with(key, value)`.
        options: Vec<(Arc<str>, Operand)>,
    },

    /// `out`, `in`, `both`: along edges of some labels, or all where none is named.
    Vertices {
        /// Which way.
        direction: Direction,
        /// Of the edges.
        labels: Names,
    },
    /// `outE`, `inE`, `bothE`.
    Edges {
        /// Which way.
        direction: Direction,
        /// Of the edges.
        labels: Names,
    },
    /// `outV`, `inV`, `bothV`, `otherV`.
    EdgeVertices(EdgeEnd),

    /// Keeps elements whose property or token is like this. A multi-property needs one value that is.
    Has {
        /// What is looked at.
        key: HasKey,
        /// What it must be.
        condition: P,
    },
    /// Keeps elements that have the property. Null is no key.
    HasProperty(Option<Arc<str>>),
    /// Keeps elements that have not.
    HasNot(Option<Arc<str>>),
    /// Keeps objects that are like this.
    Is(P),
    /// Keeps traversers whose labelled objects compare; operands are labels or side effects.
    Where {
        /// The label of the object that is compared; the object itself without.
        start: Option<Arc<str>>,
        /// Its operands are labels.
        condition: P,
        /// In turn, for the object and each operand.
        by: Vec<Projection>,
    },
    /// Keeps objects with a result, by `where(traversal)`. See [`StepKind::WhereStart`].
    WhereTraversal(Traversal),
    /// Keeps objects with a result.
    Filter(Traversal),
    /// Keeps objects without a result.
    Not(Traversal),
    /// Keeps objects for which all of these have a result.
    And(Vec<Traversal>),
    /// Keeps objects for which one of these has a result.
    Or(Vec<Traversal>),
    /// `all`, `any`, `none`: keeps lists by their items.
    Items(Quantifier, P),
    /// Keeps with this probability.
    Coin(f64),
    /// Keeps so many at random.
    Sample {
        /// Of the stream or of each list.
        scope: Scope,
        /// How many.
        count: u64,
        /// The weight.
        by: Option<Projection>,
    },
    /// Keeps the first of equivalent ones.
    Dedup {
        /// Of the stream or of each list.
        scope: Scope,
        /// What is compared instead of the object; empty for the object.
        labels: Vec<Arc<str>>,
        /// What of it is compared.
        by: Option<Projection>,
    },
    /// `range`, `limit`, `skip`.
    Range {
        /// Of the stream or of each list.
        scope: Scope,
        /// How many are left out.
        low: u64,
        /// How many are through then; all without.
        high: Option<u64>,
    },
    /// Keeps the last.
    Tail {
        /// Of the stream or of each list.
        scope: Scope,
        /// How many.
        count: u64,
    },
    /// Ends the stream after so many milliseconds.
    TimeLimit(u64),
    /// Keeps paths without repetitions.
    SimplePath(PathRange),
    /// Keeps paths with repetitions.
    CyclicPath(PathRange),
    /// Keeps nothing.
    Discard,
    /// Fails with this message.
    Fail(Option<Arc<str>>),

    /// The first result for each.
    Map(Traversal),
    /// All results for each.
    FlatMap(Traversal),
    /// The same, for one object at a time.
    Local(Traversal),
    /// Runs, and passes the object on.
    SideEffect(Traversal),
    /// Passes the object on.
    Identity,
    /// This value.
    Constant(GValue),
    /// The id of an element.
    Id,
    /// The label of an element.
    Label,
    /// The key of a property.
    Key,
    /// The value of a property.
    Value,
    /// Whose property it is.
    Element,
    /// How often a repetition has run: the innermost, or the one of this name.
    Loops(Option<Arc<str>>),
    /// Values of properties.
    Values(Names),
    /// Properties.
    Properties(Names),
    /// Map of property values, in lists for vertices.
    ValueMap {
        /// All without any.
        keys: Names,
        /// What else is in it.
        tokens: Tokens,
        /// What becomes of each entry's value.
        by: Option<Projection>,
    },
    /// Map of properties.
    PropertyMap {
        /// All without any.
        keys: Names,
        /// What else is in it.
        tokens: Tokens,
        /// What becomes of each entry's value.
        by: Option<Projection>,
    },
    /// Map of tokens and single property values.
    ElementMap(Names),
    /// `count`, `sum`, `min`, `max`, `mean`: of the stream or of each list.
    Reduce(Reducer, Scope),
    /// A list of all.
    Fold,
    /// One value from all.
    FoldWith {
        /// The first left operand.
        seed: GValue,
        /// What is done.
        operator: Operator,
    },
    /// The items of lists, entries of maps and so on.
    Unfold,
    /// Collections by key.
    Group {
        /// The side effect that is written; without one the map is the result.
        side_effect: Option<Arc<str>>,
        /// The key.
        key: Projection,
        /// The value; without it the list of objects.
        value: Option<Projection>,
    },
    /// Counts by key.
    GroupCount {
        /// As in [`StepKind::Group`].
        side_effect: Option<Arc<str>>,
        /// The key.
        key: Projection,
    },
    /// Paths put together.
    Tree {
        /// As in [`StepKind::Group`].
        side_effect: Option<Arc<str>>,
        /// In turn.
        by: Vec<Projection>,
    },
    /// Sorts. Without `by` by the objects themselves.
    Order {
        /// The stream, or each list or map.
        scope: Scope,
        /// The first one that tells objects apart decides.
        by: Vec<(Projection, Order)>,
    },
    /// Objects by label.
    Select {
        /// `None` is the same as `last`, but takes what `mixed` takes of maps in `match()`.
        pop: Option<Pop>,
        /// What is selected.
        from: SelectSource,
        /// In turn.
        by: Vec<Projection>,
    },
    /// Keys or values of a map.
    SelectColumn(Column),
    /// A map of these keys.
    Project {
        /// Distinct.
        keys: Vec<Arc<str>>,
        /// In turn.
        by: Vec<Projection>,
    },
    /// The path.
    Path(PathRange),
    /// Arithmetic of doubles.
    Math {
        /// Over `_` or labels.
        expression: Arc<str>,
        /// In turn, for the variables in the order they appear.
        by: Vec<Projection>,
    },
    /// A text with `%{name}` and `%{_}` filled in.
    Format {
        /// The template.
        template: Arc<str>,
        /// In turn, for each `%{_}`.
        by: Vec<Projection>,
    },
    /// Texts put behind the object; null adds nothing.
    Concat(Vec<Operand>),
    /// `asString`, `length`, `toLower`, `toUpper`, `trim`, `lTrim`, `rTrim`: of the object, or of each item of a list.
    Text(TextFunction, Scope),
    /// Reverses a text or a list.
    Reverse,
    /// Replaces a text by another; null replaces nothing.
    Replace {
        /// The object or each item of a list.
        scope: Scope,
        /// What is replaced.
        old: Option<Arc<str>>,
        /// By what.
        new: Option<Arc<str>>,
    },
    /// Splits at a separator; null is white space.
    Split {
        /// The object or each item of a list.
        scope: Scope,
        /// Between the parts.
        separator: Option<Arc<str>>,
    },
    /// A part of a text; negative places count from the end.
    Substring {
        /// The object or each item of a list.
        scope: Scope,
        /// The first character.
        start: i64,
        /// The character behind the last.
        end: Option<i64>,
    },
    /// To a number, of a class if one is given.
    AsNumber(Option<GType>),
    /// To a boolean.
    AsBool,
    /// To a date.
    AsDate,
    /// A later date.
    DateAdd {
        /// Of the amount.
        unit: DateUnit,
        /// May be negative.
        amount: i64,
    },
    /// Milliseconds since a date.
    DateDiff(Operand),
    /// `combine` and others, of the object and a list.
    List(ListFunction, Operand),
    /// The items as text, with a separator.
    Conjoin(Arc<str>),
    /// Items with their places.
    Index(IndexForm),

    /// Collects into a side effect: global waits for all, local passes each on.
    Aggregate {
        /// Whether it is a barrier.
        scope: Scope,
        /// The side effect.
        key: Arc<str>,
        /// What is collected.
        by: Option<Projection>,
    },
    /// The side effects: one by itself, several in a map.
    Cap(Vec<Arc<str>>),
    /// Collects edges into a graph.
    Subgraph(Arc<str>),
    /// The sack.
    Sack,
    /// Puts a value to the sack.
    SackUpdate {
        /// How.
        operator: Operator,
        /// The value.
        by: Option<Projection>,
    },
    /// Waits for so many, or all.
    Barrier(Option<u64>),
    /// Waits for all and makes their sacks' sum 1.
    NormSackBarrier,
    /// Figures of the traversal: the result, or a side effect.
    Profile(Option<Arc<str>>),
    /// Figures of the traversal as the service gives them.
    ExecutionProfile,

    /// Runs over and over.
    Repeat(Box<Repeat>),
    /// Results of all of these.
    Union(Vec<Traversal>),
    /// Results of the first of these that has any.
    Coalesce(Vec<Traversal>),
    /// Results, or the object where there are none.
    Optional(Traversal),
    /// Results of one.
    Choose(Box<Choice>),
    /// Results of all that fit.
    Branch(Box<Branching>),
    /// Solves for variables.
    Match(Vec<MatchPattern>),
}

/// Vertices of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeEnd {
    /// Where it leaves.
    Out,
    /// Where it enters.
    In,
    /// Both, the one it leaves first.
    Both,
    /// Not the one the traverser comes from.
    Other,
}

/// What `has()` looks at.
#[derive(Clone, Debug, PartialEq)]
pub enum HasKey {
    /// Identity, label; of properties key and value.
    Token(T),
    /// A property.
    Name(Arc<str>),
}

/// How many items of a list must be like a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Every one.
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
}

/// Functions of many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reducer {
    /// How many.
    Count,
    /// Their sum.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The average.
    Mean,
}

/// Functions of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFunction {
    /// Anything as text.
    AsString,
    /// Number of characters.
    Length,
    /// Small letters.
    ToLower,
    /// Capitals.
    ToUpper,
    /// Without white space at either end.
    Trim,
    /// Without white space at the start.
    LTrim,
    /// Without white space at the end.
    RTrim,
}

/// Functions of two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFunction {
    /// One after the other.
    Combine,
    /// What the other has not.
    Difference,
    /// What one of them has, and not both.
    Disjunct,
    /// What both have.
    Intersect,
    /// What one of them has; of maps the entries.
    Merge,
    /// All pairs.
    Product,
}

/// What `index()` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexForm {
    /// Pairs of item and place.
    List,
    /// A map from place to item.
    Map,
}

/// What is selected.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectSource {
    /// One: its object. Several: a map.
    Labels(Vec<Arc<str>>),
    /// The label is the first result.
    Traversal(Traversal),
}

/// Which tokens are in a map beside the properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tokens {
    /// The id.
    pub id: bool,
    /// The label, of elements other than vertex properties.
    pub label: bool,
    /// The key of a property.
    pub key: bool,
    /// The value of a property.
    pub value: bool,
}
