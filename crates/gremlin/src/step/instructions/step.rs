//! One step with its modulators.

use std::sync::Arc;

use super::writer::{
    Writer, all_nested, condition, count, integer, names, nested, operand, optional, predicate, projection, scope,
    string, string_or_null, strings,
};
use crate::step::build::{INDEXER, VALUE_MAP_TOKENS};
use crate::step::{
    Branching, Choice, EdgeEnd, Endpoint, HasKey, IndexForm, ListFunction, MatchPattern, MergeArgument, Merging, Names,
    OptionKey, Projection, PropertyKey, PropertyWrite, Quantifier, Reducer, Repeat, RepeatCondition, SelectSource,
    Step, StepKind, TextFunction, Tokens, Traversal, Until,
};
use crate::value::{Barrier, Cardinality, Comparison, Direction, GValue, Merge, P, Pick, Scope, T};

pub(super) fn write(step: &Step, writer: &mut Writer) {
    let mut labels = strings(&step.labels);
    match &step.kind {
        // Their name is in the label.
        StepKind::Start => {}
        StepKind::WhereStart(label) | StepKind::WhereEnd(label) => labels.insert(0, string(label)),
        kind => kind_of(kind, writer),
    }
    if !labels.is_empty() {
        writer.put("as", labels);
    }
}

/// Arguments after a scope.
fn scoped(of: Scope, arguments: impl IntoIterator<Item = GValue>) -> Vec<GValue> {
    scope(of).into_iter().chain(arguments).collect()
}

fn kind_of(kind: &StepKind, writer: &mut Writer) {
    match kind {
        StepKind::Start | StepKind::WhereStart(_) | StepKind::WhereEnd(_) => {}
        StepKind::V(ids) => writer.put("V", ids.clone()),
        StepKind::E(ids) => writer.put("E", ids.clone()),
        StepKind::Inject(values) => writer.put("inject", values.clone()),
        StepKind::AddV { label, properties } => {
            writer.put("addV", label.iter().map(operand).collect());
            properties.iter().for_each(|write| property(write, writer));
        }
        StepKind::AddE { label, from, to, properties } => {
            writer.put("addE", vec![operand(label)]);
            endpoint("from", from, writer);
            endpoint("to", to, writer);
            properties.iter().for_each(|write| property(write, writer));
        }
        StepKind::MergeV(merging) => merge("mergeV", merging, writer),
        StepKind::MergeE(merging) => merge("mergeE", merging, writer),
        StepKind::Property(write) => property(write, writer),
        StepKind::Drop => writer.put("drop", Vec::new()),
        StepKind::Call { service, parameters, traversal, options } => {
            let parameters = parameters.iter().map(|map| GValue::Map(Arc::clone(map)));
            let traversal = traversal.iter().map(nested);
            writer.put("call", std::iter::once(string(service)).chain(parameters).chain(traversal).collect());
            for (key, value) in options {
                writer.put("with", vec![string(key), operand(value)]);
            }
        }
        StepKind::Vertices { direction, labels } => movement(["out", "in", "both"], *direction, labels, writer),
        StepKind::Edges { direction, labels } => movement(["outE", "inE", "bothE"], *direction, labels, writer),
        StepKind::EdgeVertices(end) => {
            let name = match end {
                EdgeEnd::Out => "outV",
                EdgeEnd::In => "inV",
                EdgeEnd::Both => "bothV",
                EdgeEnd::Other => "otherV",
            };
            writer.put(name, Vec::new());
        }
        StepKind::Has { key, condition } => has(key, condition, writer),
        StepKind::HasProperty(key) => writer.put("has", vec![string_or_null(key)]),
        StepKind::HasNot(key) => writer.put("hasNot", vec![string_or_null(key)]),
        StepKind::Is(is) => writer.put("is", vec![condition(is)]),
        StepKind::Where { start, condition, by } => {
            writer.put("where", start.iter().map(string).chain([predicate(condition)]).collect());
            writer.by(by);
        }
        StepKind::WhereTraversal(traversal) => writer.put("where", vec![nested(traversal)]),
        StepKind::Filter(traversal) => writer.put("filter", vec![nested(traversal)]),
        StepKind::Not(traversal) => writer.put("not", vec![nested(traversal)]),
        StepKind::And(traversals) => writer.put("and", all_nested(traversals)),
        StepKind::Or(traversals) => writer.put("or", all_nested(traversals)),
        StepKind::Items(quantifier, is) => {
            let name = match quantifier {
                Quantifier::All => "all",
                Quantifier::Any => "any",
                Quantifier::None => "none",
            };
            writer.put(name, vec![predicate(is)]);
        }
        StepKind::Coin(probability) => writer.put("coin", vec![GValue::Double(*probability)]),
        StepKind::Sample { scope, count: number, by } => {
            writer.put("sample", scoped(*scope, [count(*number)]));
            writer.by(by);
        }
        StepKind::Dedup { scope, labels, by } => {
            writer.put("dedup", scoped(*scope, strings(labels)));
            writer.by(by);
        }
        StepKind::Range { scope, low, high } => range(*scope, *low, *high, writer),
        StepKind::Tail { scope, count: number } => writer.put("tail", scoped(*scope, [count(*number)])),
        StepKind::TimeLimit(ms) => writer.put("timeLimit", vec![count(*ms)]),
        StepKind::SimplePath(path) => {
            writer.put("simplePath", Vec::new());
            writer.path_range(path);
        }
        StepKind::CyclicPath(path) => {
            writer.put("cyclicPath", Vec::new());
            writer.path_range(path);
        }
        StepKind::Discard => writer.put("discard", Vec::new()),
        StepKind::Fail(message) => writer.put("fail", optional(message)),
        StepKind::Map(traversal) => writer.put("map", vec![nested(traversal)]),
        StepKind::FlatMap(traversal) => writer.put("flatMap", vec![nested(traversal)]),
        StepKind::Local(traversal) => writer.put("local", vec![nested(traversal)]),
        StepKind::SideEffect(traversal) => writer.put("sideEffect", vec![nested(traversal)]),
        StepKind::Identity => writer.put("identity", Vec::new()),
        StepKind::Constant(value) => writer.put("constant", vec![value.clone()]),
        StepKind::Id => writer.put("id", Vec::new()),
        StepKind::Label => writer.put("label", Vec::new()),
        StepKind::Key => writer.put("key", Vec::new()),
        StepKind::Value => writer.put("value", Vec::new()),
        StepKind::Element => writer.put("element", Vec::new()),
        StepKind::Loops(name) => writer.put("loops", optional(name)),
        StepKind::Values(keys) => writer.put("values", names(keys)),
        StepKind::Properties(keys) => writer.put("properties", names(keys)),
        StepKind::ValueMap { keys, tokens, by } => map_of_properties("valueMap", keys, *tokens, by, writer),
        StepKind::PropertyMap { keys, tokens, by } => map_of_properties("propertyMap", keys, *tokens, by, writer),
        StepKind::ElementMap(keys) => writer.put("elementMap", names(keys)),
        StepKind::Reduce(reducer, of) => {
            let name = match reducer {
                Reducer::Count => "count",
                Reducer::Sum => "sum",
                Reducer::Min => "min",
                Reducer::Max => "max",
                Reducer::Mean => "mean",
            };
            writer.put(name, scope(*of));
        }
        StepKind::Fold => writer.put("fold", Vec::new()),
        StepKind::FoldWith { seed, operator } => writer.put("fold", vec![seed.clone(), (*operator).into()]),
        StepKind::Unfold => writer.put("unfold", Vec::new()),
        StepKind::Group { side_effect, key, value } => {
            writer.put("group", optional(side_effect));
            if *key != Projection::Identity || value.is_some() {
                writer.by([key]);
            }
            writer.by(value);
        }
        StepKind::GroupCount { side_effect, key } => {
            writer.put("groupCount", optional(side_effect));
            if *key != Projection::Identity {
                writer.by([key]);
            }
        }
        StepKind::Tree { side_effect, by } => {
            writer.put("tree", optional(side_effect));
            writer.by(by);
        }
        StepKind::Order { scope: of, by } => {
            writer.put("order", scope(*of));
            for (by, order) in by {
                let mut arguments = projection(by);
                arguments.push((*order).into());
                writer.put("by", arguments);
            }
        }
        StepKind::Select { pop, from, by } => {
            let mut arguments: Vec<GValue> = pop.iter().map(|pop| GValue::from(*pop)).collect();
            match from {
                SelectSource::Labels(labels) => arguments.extend(strings(labels)),
                SelectSource::Traversal(traversal) => arguments.push(nested(traversal)),
            }
            writer.put("select", arguments);
            writer.by(by);
        }
        StepKind::SelectColumn(column) => writer.put("select", vec![(*column).into()]),
        StepKind::Project { keys, by } => {
            writer.put("project", strings(keys));
            writer.by(by);
        }
        StepKind::Path(path) => {
            writer.put("path", Vec::new());
            writer.path_range(path);
        }
        StepKind::Math { expression, by } => {
            writer.put("math", vec![string(expression)]);
            writer.by(by);
        }
        StepKind::Format { template, by } => {
            writer.put("format", vec![string(template)]);
            writer.by(by);
        }
        StepKind::Concat(parts) => writer.put("concat", parts.iter().map(operand).collect()),
        StepKind::Text(function, of) => {
            let name = match function {
                TextFunction::AsString => "asString",
                TextFunction::Length => "length",
                TextFunction::ToLower => "toLower",
                TextFunction::ToUpper => "toUpper",
                TextFunction::Trim => "trim",
                TextFunction::LTrim => "lTrim",
                TextFunction::RTrim => "rTrim",
            };
            writer.put(name, scope(*of));
        }
        StepKind::Reverse => writer.put("reverse", Vec::new()),
        StepKind::Replace { scope, old, new } => {
            writer.put("replace", scoped(*scope, [string_or_null(old), string_or_null(new)]));
        }
        StepKind::Split { scope, separator } => writer.put("split", scoped(*scope, [string_or_null(separator)])),
        StepKind::Substring { scope, start, end } => {
            let places = std::iter::once(*start).chain(*end).map(integer);
            writer.put("substring", scoped(*scope, places));
        }
        StepKind::AsNumber(gtype) => writer.put("asNumber", gtype.iter().map(|gtype| GValue::from(*gtype)).collect()),
        StepKind::AsBool => writer.put("asBool", Vec::new()),
        StepKind::AsDate => writer.put("asDate", Vec::new()),
        StepKind::DateAdd { unit, amount } => writer.put("dateAdd", vec![(*unit).into(), integer(*amount)]),
        StepKind::DateDiff(date) => writer.put("dateDiff", vec![operand(date)]),
        StepKind::List(function, list) => {
            let name = match function {
                ListFunction::Combine => "combine",
                ListFunction::Difference => "difference",
                ListFunction::Disjunct => "disjunct",
                ListFunction::Intersect => "intersect",
                ListFunction::Merge => "merge",
                ListFunction::Product => "product",
            };
            writer.put(name, vec![operand(list)]);
        }
        StepKind::Conjoin(separator) => writer.put("conjoin", vec![string(separator)]),
        StepKind::Index(form) => {
            writer.put("index", Vec::new());
            if *form == IndexForm::Map {
                writer.put("with", vec![GValue::from(INDEXER), GValue::Int(1)]);
            }
        }
        StepKind::Aggregate { scope, key, by } => {
            writer.put("aggregate", scoped(*scope, [string(key)]));
            writer.by(by);
        }
        StepKind::Cap(keys) => writer.put("cap", strings(keys)),
        StepKind::Subgraph(key) => writer.put("subgraph", vec![string(key)]),
        StepKind::Sack => writer.put("sack", Vec::new()),
        StepKind::SackUpdate { operator, by } => {
            writer.put("sack", vec![(*operator).into()]);
            writer.by(by);
        }
        StepKind::Barrier(size) => writer.put("barrier", size.iter().map(|size| count(*size)).collect()),
        StepKind::NormSackBarrier => writer.put("barrier", vec![Barrier::NormSack.into()]),
        StepKind::Profile(key) => writer.put("profile", optional(key)),
        StepKind::ExecutionProfile => writer.put("executionProfile", vec![]),
        StepKind::Repeat(repeat) => repetition(repeat, writer),
        StepKind::Union(branches) => writer.put("union", all_nested(branches)),
        StepKind::Coalesce(branches) => writer.put("coalesce", all_nested(branches)),
        StepKind::Optional(traversal) => writer.put("optional", vec![nested(traversal)]),
        StepKind::Choose(choice) => match &**choice {
            Choice::Case(branching) => branches("choose", branching, writer),
            Choice::If { condition, then, otherwise } => {
                let mut arguments = repeat_condition(condition);
                arguments.push(nested(then));
                arguments.extend(otherwise.iter().map(nested));
                writer.put("choose", arguments);
            }
        },
        StepKind::Branch(branching) => branches("branch", branching, writer),
        StepKind::Match(patterns) => writer.put("match", patterns.iter().map(pattern).collect()),
    }
}

fn property(write: &PropertyWrite, writer: &mut Writer) {
    let mut arguments: Vec<GValue> = write.cardinality.iter().map(|cardinality| GValue::from(*cardinality)).collect();
    arguments.extend([property_key(&write.key), operand(&write.value)]);
    for (key, value) in &write.meta {
        arguments.extend([property_key(key), operand(value)]);
    }
    writer.put("property", arguments);
}

fn property_key(key: &PropertyKey) -> GValue {
    match key {
        PropertyKey::Token(token) => (*token).into(),
        PropertyKey::Name(name) => string(name),
        PropertyKey::Traversal(traversal) => nested(traversal),
    }
}

fn endpoint(name: &str, endpoint: &Option<Endpoint>, writer: &mut Writer) {
    let argument = match endpoint {
        None => return,
        Some(Endpoint::Label(label)) => string(label),
        Some(Endpoint::Traversal(traversal)) => nested(traversal),
        Some(Endpoint::Value(value)) => value.clone(),
    };
    writer.put(name, vec![argument]);
}

fn merge(name: &str, merging: &Merging, writer: &mut Writer) {
    writer.put(name, merge_argument(&merging.criterion));
    for (merge, action) in [(Merge::OnCreate, &merging.on_create), (Merge::OnMatch, &merging.on_match)] {
        if let Some((argument, cardinality)) = action {
            option(merge, argument, *cardinality, writer);
        }
    }
    for (merge, argument) in [(Merge::OutV, &merging.out_vertex), (Merge::InV, &merging.in_vertex)] {
        if let Some(argument) = argument {
            option(merge, argument, None, writer);
        }
    }
}

fn option(merge: Merge, argument: &MergeArgument, cardinality: Option<Cardinality>, writer: &mut Writer) {
    let mut arguments = vec![merge.into()];
    arguments.extend(merge_argument(argument));
    arguments.extend(cardinality.map(GValue::from));
    writer.put("option", arguments);
}

fn merge_argument(argument: &MergeArgument) -> Vec<GValue> {
    match argument {
        MergeArgument::Incoming => Vec::new(),
        MergeArgument::Map(map) => vec![GValue::Map(Arc::clone(map))],
        MergeArgument::Null => vec![GValue::Null],
        MergeArgument::Traversal(traversal) => vec![nested(traversal)],
    }
}

fn movement(names_of: [&str; 3], direction: Direction, labels: &Names, writer: &mut Writer) {
    let name = match direction {
        Direction::Out => names_of[0],
        Direction::In => names_of[1],
        Direction::Both => names_of[2],
    };
    writer.put(name, names(labels));
}

fn has(key: &HasKey, is: &P, writer: &mut Writer) {
    match (key, is) {
        (HasKey::Token(T::Label), P::Compare(Comparison::Equal, label @ GValue::String(_))) => {
            writer.put("hasLabel", vec![label.clone()]);
        }
        (HasKey::Token(token), _) => writer.put("has", vec![(*token).into(), condition(is)]),
        (HasKey::Name(name), _) => writer.put("has", vec![string(name), condition(is)]),
    }
}

fn range(scope: Scope, low: u64, high: Option<u64>, writer: &mut Writer) {
    match (low, high) {
        (0, Some(high)) => writer.put("limit", scoped(scope, [count(high)])),
        (_, Some(high)) => writer.put("range", scoped(scope, [count(low), count(high)])),
        (_, None) => writer.put("skip", scoped(scope, [count(low)])),
    }
}

fn map_of_properties(name: &str, keys: &Names, tokens: Tokens, by: &Option<Projection>, writer: &mut Writer) {
    writer.put(name, names(keys));
    let bits = [(tokens.id, 1), (tokens.label, 2), (tokens.key, 4), (tokens.value, 8)];
    let bits: i32 = bits.into_iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum();
    if bits != 0 {
        writer.put("with", vec![GValue::from(VALUE_MAP_TOKENS), GValue::Int(bits)]);
    }
    writer.by(by);
}

fn repetition(repeat: &Repeat, writer: &mut Writer) {
    let until = |writer: &mut Writer| match &repeat.until {
        None => {}
        Some(Until::Times(times)) => writer.put("times", vec![count(*times)]),
        Some(Until::Condition(condition)) => writer.put("until", repeat_condition(condition)),
    };
    let emit = |writer: &mut Writer| match &repeat.emit {
        None => {}
        Some(condition) => writer.put("emit", repeat_condition(condition)),
    };
    if repeat.is_until_first {
        until(writer);
    }
    if repeat.is_emit_first {
        emit(writer);
    }
    writer.put("repeat", repeat.name.iter().map(string).chain([nested(&repeat.body)]).collect());
    if !repeat.is_until_first {
        until(writer);
    }
    if !repeat.is_emit_first {
        emit(writer);
    }
}

fn repeat_condition(condition: &RepeatCondition) -> Vec<GValue> {
    match condition {
        RepeatCondition::Always => Vec::new(),
        RepeatCondition::Predicate(is) => vec![predicate(is)],
        RepeatCondition::Traversal(traversal) => vec![nested(traversal)],
    }
}

fn branches(name: &str, branching: &Branching, writer: &mut Writer) {
    writer.put(name, projection(&branching.on));
    for option in &branching.options {
        let key = match &option.key {
            OptionKey::Any => Pick::Any.into(),
            OptionKey::None => Pick::None.into(),
            OptionKey::Unproductive => Pick::Unproductive.into(),
            OptionKey::Value(value) => value.clone(),
            OptionKey::Predicate(is) => predicate(is),
            OptionKey::Traversal(traversal) => nested(traversal),
        };
        writer.put("option", vec![key, nested(&option.then)]);
    }
}

fn pattern(pattern: &MatchPattern) -> GValue {
    let connective = |name: &str, parts: Vec<GValue>| {
        let mut writer = Writer::default();
        writer.put(name, parts);
        GValue::Bytecode(Arc::new(crate::value::Bytecode { source: Vec::new(), steps: writer.instructions }))
    };
    match pattern {
        MatchPattern::Where(traversal) => nested(traversal),
        MatchPattern::And(parts) => connective("and", parts.iter().map(self::pattern).collect()),
        MatchPattern::Or(parts) => connective("or", parts.iter().map(self::pattern).collect()),
        MatchPattern::Not(part) => connective("not", vec![self::pattern(part)]),
        MatchPattern::Path { start, steps, end } => {
            let mut whole = Traversal { steps: vec![Step { kind: StepKind::Start, labels: vec![Arc::clone(start)] }] };
            whole.steps.extend(steps.steps.iter().cloned());
            if let (Some(end), Some(last)) = (end, whole.steps.last_mut()) {
                last.labels.push(Arc::clone(end));
            }
            nested(&whole)
        }
    }
}
