//! The constants of the language, by enumeration.

macro_rules! constants {
    ($(
        $(#[$doc:meta])*
        $name:ident as $spelled:literal, $kind:literal { $($(#[$member_doc:meta])* $member:ident = $text:literal,)+ }
    )+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum $name {
                $($(#[$member_doc])* $member,)+
            }

            impl $name {
                /// All of them.
                pub const ALL: &'static [$name] = &[$($name::$member),+];

                /// As the language spells it.
                pub fn name(self) -> &'static str {
                    match self {
                        $($name::$member => $text,)+
                    }
                }

                /// By its name.
                pub fn parse(text: &str) -> Option<Self> {
                    match text {
                        $($text => Some($name::$member),)+
                        _ => None,
                    }
                }
            }

            impl From<$name> for Constant {
                fn from(constant: $name) -> Self {
                    Constant::$name(constant)
                }
            }

            impl From<$name> for super::GValue {
                fn from(constant: $name) -> Self {
                    super::GValue::Constant(Constant::$name(constant))
                }
            }
        )+

        /// A constant of any enumeration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Constant {
            $($(#[$doc])* $name($name),)+
        }

        impl Constant {
            /// The name of its enumeration.
            pub fn enumeration(self) -> &'static str {
                match self {
                    $(Constant::$name(_) => $spelled,)+
                }
            }

            /// Its own name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Constant::$name(constant) => constant.name(),)+
                }
            }

            /// What it is, for messages.
            pub fn kind(self) -> &'static str {
                match self {
                    $(Constant::$name(_) => $kind,)+
                }
            }

            /// By the names of the enumeration and the constant; names of older versions too.
            pub fn parse(enumeration: &str, name: &str) -> Option<Self> {
                let name = match (enumeration, name) {
                    ("Order", "incr") => "asc",
                    ("Order", "decr") => "desc",
                    ("Direction", "from") => "OUT",
                    ("Direction", "to") => "IN",
                    _ => name,
                };
                match enumeration {
                    $($spelled => $name::parse(name).map(Constant::$name),)+
                    _ => None,
                }
            }

            /// By its own name, as texts may have it: no two enumerations share one.
            pub fn parse_bare(name: &str) -> Option<Self> {
                const ENUMERATIONS: &[&str] = &[$($spelled),+];
                ENUMERATIONS.iter().find_map(|enumeration| Self::parse(enumeration, name))
            }

            /// Whether there is an enumeration of this name.
            pub fn is_enumeration(name: &str) -> bool {
                matches!(name, $($spelled)|+)
            }

            /// All of all enumerations.
            pub fn all() -> impl Iterator<Item = Constant> {
                std::iter::empty()$(.chain($name::ALL.iter().copied().map(Constant::$name)))+
            }
        }
    };
}

constants! {
    /// Parts of an element other than its properties.
    T as "T", "a T" {
        /// The identity.
        Id = "id",
        /// The label.
        Label = "label",
        /// The key of a property.
        Key = "key",
        /// The value of a property.
        Value = "value",
    }

    /// Which way an edge is gone.
    Direction as "Direction", "a Direction" {
        /// From the vertex it leaves.
        Out = "OUT",
        /// From the vertex it enters.
        In = "IN",
        /// Either way.
        Both = "BOTH",
    }

    /// How results are ordered.
    Order as "Order", "an Order" {
        /// The smallest first.
        Asc = "asc",
        /// The largest first.
        Desc = "desc",
        /// At random.
        Shuffle = "shuffle",
    }

    /// What a step works on.
    Scope as "Scope", "a Scope" {
        /// Each object by itself.
        Local = "local",
        /// All of the stream.
        Global = "global",
    }

    /// Which of the objects under one label.
    Pop as "Pop", "a Pop" {
        /// The first.
        First = "first",
        /// The last.
        Last = "last",
        /// All, as a list.
        All = "all",
        /// One by itself, several as a list.
        Mixed = "mixed",
    }

    /// A part of a map's entries.
    Column as "Column", "a Column" {
        /// The keys.
        Keys = "keys",
        /// The values.
        Values = "values",
    }

    /// How many values a property of a vertex has.
    Cardinality as "Cardinality", "a Cardinality" {
        /// One.
        Single = "single",
        /// Any number.
        List = "list",
        /// Any number, but each only once.
        Set = "set",
    }

    /// Options of `mergeV()` and `mergeE()`, and stand-ins for vertices in the latter.
    Merge as "Merge", "a Merge" {
        /// When nothing is found.
        OnCreate = "onCreate",
        /// When something is.
        OnMatch = "onMatch",
        /// The vertex an edge leaves.
        OutV = "outV",
        /// The vertex an edge enters.
        InV = "inV",
    }

    /// What a barrier does to the stream.
    Barrier as "Barrier", "a Barrier" {
        /// Makes the sacks' sum 1.
        NormSack = "normSack",
    }

    /// Branches without a value of their own.
    Pick as "Pick", "a Pick" {
        /// Taken always.
        Any = "any",
        /// Taken if no other is.
        None = "none",
        /// Taken if there is nothing to choose by.
        Unproductive = "unproductive",
    }

    /// Functions of two values.
    Operator as "Operator", "an Operator" {
        /// Addition.
        Sum = "sum",
        /// Subtraction.
        Minus = "minus",
        /// Multiplication.
        Mult = "mult",
        /// Division.
        Div = "div",
        /// The smaller one.
        Min = "min",
        /// The larger one.
        Max = "max",
        /// The second one.
        Assign = "assign",
        /// Conjunction.
        And = "and",
        /// Disjunction.
        Or = "or",
        /// Puts collections together.
        AddAll = "addAll",
        /// Addition of longs.
        SumLong = "sumLong",
    }

    /// Units of `dateAdd()`: `DT`.
    DateUnit as "DT", "a DT" {
        /// A second.
        Second = "second",
        /// A minute.
        Minute = "minute",
        /// An hour.
        Hour = "hour",
        /// A day.
        Day = "day",
    }

    /// Classes of values.
    GType as "GType", "a GType" {
        /// 32-bit integers.
        Int = "INT",
        /// 64-bit integers.
        Long = "LONG",
        /// 64-bit floats.
        Double = "DOUBLE",
        /// 32-bit floats.
        Float = "FLOAT",
        /// 8-bit integers.
        Byte = "BYTE",
        /// 16-bit integers.
        Short = "SHORT",
        /// Integers of any size.
        BigInt = "BIGINT",
        /// Decimals of any size.
        BigDecimal = "BIGDECIMAL",
        /// Numbers of all classes.
        Number = "NUMBER",
        /// Strings.
        String = "STRING",
        /// Booleans.
        Boolean = "BOOLEAN",
        /// Characters.
        Char = "CHAR",
        /// UUIDs.
        Uuid = "UUID",
        /// Bytes.
        Binary = "BINARY",
        /// Dates.
        DateTime = "DATETIME",
        /// Durations.
        Duration = "DURATION",
        /// Lists.
        List = "LIST",
        /// Sets.
        Set = "SET",
        /// Maps.
        Map = "MAP",
        /// Null.
        Null = "NULL",
        /// Vertices.
        Vertex = "VERTEX",
        /// Edges.
        Edge = "EDGE",
        /// Properties.
        Property = "PROPERTY",
        /// Properties of vertices.
        VertexProperty = "VPROPERTY",
        /// Paths.
        Path = "PATH",
        /// Trees.
        Tree = "TREE",
        /// Graphs.
        Graph = "GRAPH",
    }
}

impl GType {
    /// Whether it is a class of numbers, or all of them.
    pub fn is_number(self) -> bool {
        matches!(
            self,
            GType::Int
                | GType::Long
                | GType::Double
                | GType::Float
                | GType::Byte
                | GType::Short
                | GType::BigInt
                | GType::BigDecimal
                | GType::Number
        )
    }
}

impl Direction {
    /// The other way.
    pub fn opposite(self) -> Self {
        match self {
            Direction::Out => Direction::In,
            Direction::In => Direction::Out,
            Direction::Both => Direction::Both,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_none_stands_in_two_enumerations() {
        for constant in Constant::all() {
            assert_eq!(Constant::parse(constant.enumeration(), constant.name()), Some(constant));
            assert_eq!(Constant::parse_bare(constant.name()), Some(constant), "{constant:?}");
        }
    }

    #[test]
    fn names_of_older_versions_are_known() {
        assert_eq!(Constant::parse("Order", "decr"), Some(Order::Desc.into()));
        assert_eq!(Constant::parse_bare("from"), Some(Direction::Out.into()));
        assert_eq!(Constant::parse("T", "incr"), None);
    }
}
