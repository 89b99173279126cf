//! Golden files of query plans, and the properties that they all have.
//!
//! In `tests/golden_plans/*.txt` a case is a query, a line `----`, and the plan; a blank line ends it, and lines that begin with `#` say
//! what it shows. Before the query, `@key MultiHash /a /b` gives the partition key in place of `/pk`, `@with name json` a parameter, and
//! `@can list` what the client can do in place of everything. With `ORRERY_REWRITE_GOLDEN=1` the plans are written anew.

use std::fmt::Write as _;
use std::path::Path;

use orrery_engine::query::VectorMetric;
use orrery_sql::query_plan::{DistinctType, QueryInfo, QueryRange, Work};
use orrery_sql::{Context, Features, PlanError, PlanTarget, VectorEmbedding, compile, query_plan};
use orrery_value::{PartitionKeyDefinition, PropertyPath, Value};

/// What clients put in place of what is in braces.
const FILLED_IN: [(&str, &str); 6] = [
    ("{documentdb-formattableorderbyquery-filter}", "true"),
    ("{documentdb-formattablehybridsearchquery-totaldocumentcount}", "7"),
    ("{documentdb-formattablehybridsearchquery-totalwordcount-0}", "70"),
    ("{documentdb-formattablehybridsearchquery-hitcountsarray-0}", "[1,2]"),
    ("{documentdb-formattablehybridsearchquery-totalwordcount-1}", "80"),
    ("{documentdb-formattablehybridsearchquery-hitcountsarray-1}", "[3]"),
];

#[test]
fn queries_have_the_plans_in_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_plans");
    let rewrite = std::env::var_os("ORRERY_REWRITE_GOLDEN").is_some();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let written = std::fs::read_to_string(&path).unwrap();
        let (actual, count) = run(&written);
        cases += count;
        if rewrite {
            std::fs::write(&path, &actual).unwrap();
        }
        for (line, (expected, actual)) in written.lines().zip(actual.lines()).enumerate() {
            assert!(rewrite || actual == expected, "{}:{}\n{actual}\n{expected}", path.display(), line + 1);
        }
        assert!(rewrite || actual == written, "{}", path.display());
    }
    assert!(cases >= 60, "only {cases} cases were found");
}

/// A query to plan.
struct Case {
    text: String,
    key: PartitionKeyDefinition,
    parameters: Vec<(String, Value)>,
    features: Features,
}

impl Case {
    fn new() -> Case {
        Case { text: String::new(), key: key("Hash /pk"), parameters: Vec::new(), features: Features::all() }
    }

    fn directive(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap();
        match word {
            "@key" => self.key = key(rest),
            "@can" => self.features = Features::parse(rest),
            "@with" => {
                let (name, value) = rest.split_once(' ').unwrap();
                self.parameters.push((name.to_owned(), Value::parse(value.as_bytes()).unwrap()));
            }
            _ => panic!("{line}"),
        }
    }

    fn outcome(&self) -> String {
        let vector = VectorEmbedding { path: PropertyPath::parse("/near").unwrap(), metric: VectorMetric::Euclidean };
        let context = Context { vectors: vec![vector], ..Context::default() };
        let target = PlanTarget { partition_key: Some(&self.key), names_key: false };
        let plan = match query_plan(&self.text, &self.parameters, target, &self.features, &context) {
            Ok(plan) => plan,
            Err(PlanError::Query(error)) => return format!("wrong: {error}"),
            Err(error) => return format!("refused: {error}"),
        };
        let mut out = String::new();
        let mut sent = Vec::new();
        match &plan.work {
            Work::Merge(info) => {
                show(info, &mut out);
                sent.push(&info.rewritten_query);
            }
            Work::Hybrid(search) => {
                writeln!(out, "first {:?}: {}", search.requires_statistics, search.statistics_query).unwrap();
                sent.push(&search.statistics_query);
                for component in &search.components {
                    out.push_str("component ");
                    show(component, &mut out);
                    sent.push(&component.rewritten_query);
                }
                writeln!(out, "weights {:?} skip {:?} take {:?}", search.weights, search.skip, search.take).unwrap();
            }
        }
        for range in &plan.ranges {
            match range {
                QueryRange::Point(key) => writeln!(out, "at {key}").unwrap(),
                QueryRange::Span(min, max) => writeln!(out, "from {min} to {max}").unwrap(),
            }
        }
        for text in sent.into_iter().filter(|text| !text.is_empty()) {
            let text = FILLED_IN.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to));
            compile(&text, &self.parameters, &context).unwrap_or_else(|error| panic!("{text}\n{error}"));
        }
        out.trim_end().to_owned()
    }
}

fn key(definition: &str) -> PartitionKeyDefinition {
    let mut words = definition.split(' ');
    let kind = words.next().unwrap();
    let paths = words.map(|path| PropertyPath::parse(path).unwrap()).collect();
    PartitionKeyDefinition::try_new(kind, Some(2), paths).unwrap()
}

/// What clients have to do, without what is not there.
fn show(info: &QueryInfo, out: &mut String) {
    let mut words = Vec::new();
    if info.distinct != DistinctType::None {
        words.push(format!("distinct {:?}", info.distinct));
    }
    let counts = [("top", info.top), ("offset", info.offset), ("limit", info.limit)];
    words.extend(counts.iter().filter_map(|(name, count)| Some(format!("{name} {}", (*count)?))));
    words.extend(info.order_by.iter().map(|(text, direction)| format!("by {text} {direction:?}")));
    words.extend(info.group_by.iter().map(|text| format!("group {text}")));
    words.extend(info.aggregates.iter().map(|function| format!("aggregate {function:?}")));
    words.extend(info.group_aliases.iter().map(|(alias, function)| format!("{alias}={function:?}")));
    words.extend(info.distinct_count_alias.iter().map(|alias| format!("counts '{alias}'")));
    if info.has_select_value {
        words.push("value".to_owned());
    }
    if info.has_non_streaming_order_by {
        words.push("gathers".to_owned());
    }
    writeln!(out, "merge {}", words.join(", ")).unwrap();
    if !info.rewritten_query.is_empty() {
        writeln!(out, "{}", info.rewritten_query).unwrap();
    }
}

/// The file with its outputs computed, and how many cases it has.
fn run(file: &str) -> (String, usize) {
    let mut out = String::new();
    let mut case = Case::new();
    let (mut skipping, mut cases) = (false, 0);
    for line in file.lines() {
        match line {
            "----" => {
                cases += 1;
                skipping = true;
                writeln!(out, "----\n{}", std::mem::replace(&mut case, Case::new()).outcome()).unwrap();
            }
            "" => {
                skipping = false;
                out.push('\n');
            }
            _ if skipping => {}
            text => {
                writeln!(out, "{text}").unwrap();
                match text.as_bytes()[0] {
                    b'#' => {}
                    b'@' => case.directive(text),
                    _ => case.text.push_str(text),
                }
            }
        }
    }
    (out, cases)
}
