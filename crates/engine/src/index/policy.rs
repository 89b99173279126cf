//! A container's indexing policy in the form that deciding about paths needs.

use serde_json::Value as Json;

use super::path::{IndexPath, MAX_PATH_STEPS, Step};
use crate::catalog::JsonMap;

/// Properties that the server sets and no index serves: they are found otherwise, or differ for every version.
const NEVER_INDEXED: [&str; 4] = ["_rid", "_self", "_etag", "_attachments"];

/// Properties that are indexed whatever the policy says of them, as on the service.
const ALWAYS_INDEXED: [&str; 2] = ["id", "_ts"];

/// Which paths are indexed, and which together.
#[derive(Clone, Debug, Default)]
pub struct IndexPolicy {
    source: JsonMap,
    /// Absent if nothing is indexed.
    rules: Option<Vec<Rule>>,
    composites: Vec<Composite>,
}

/// Policies that index the same are equal.
impl PartialEq for IndexPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules && self.composites == other.composites
    }
}

/// One of the included or excluded paths.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    path: IndexPath,
    /// `/*`: what is below the path as well; `/?`: the value there alone.
    subtree: bool,
    included: bool,
}

/// Paths that are indexed together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Composite {
    /// Each path, and whether it descends.
    pub paths: Vec<(IndexPath, bool)>,
}

/// What a policy says of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Values at the path are indexed.
    pub value: bool,
    /// Some path below may be indexed.
    pub below: bool,
}

impl IndexPolicy {
    /// Compiles a policy whose shape was checked and whose defaults were filled in.
    pub(crate) fn compile(policy: &JsonMap) -> Self {
        if policy.get("indexingMode").and_then(Json::as_str) == Some("none") {
            return IndexPolicy { source: policy.clone(), ..IndexPolicy::default() };
        }
        let list = |name: &str, included: bool| {
            let paths = policy.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            let rules = paths.iter().filter_map(move |entry| Rule::parse(entry.get("path")?.as_str()?, included));
            rules.collect::<Vec<_>>()
        };
        let rules = [list("excludedPaths", false), list("includedPaths", true)].concat();
        let composites = policy.get("compositeIndexes").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let composites = composites.iter().filter_map(Composite::parse).collect();
        IndexPolicy { source: policy.clone(), rules: Some(rules), composites }
    }

    /// What it was compiled from.
    pub(super) fn source(&self) -> &JsonMap {
        &self.source
    }

    /// Whether there is an index at all.
    pub fn is_active(&self) -> bool {
        self.rules.is_some()
    }

    /// The composite indexes, without those that lead through arrays, which have none.
    pub fn composites(&self) -> &[Composite] {
        &self.composites
    }

    /// Whether values at a path are indexed.
    pub fn covers(&self, path: &IndexPath) -> bool {
        self.verdict(path.steps()).value
    }

    /// The rule with most steps decides; of two as long, the one for the value alone; of two alike, the exclusion.
    pub(super) fn verdict(&self, steps: &[Step]) -> Verdict {
        let Some(rules) = self.rules.as_ref().filter(|_| steps.len() <= MAX_PATH_STEPS) else {
            return Verdict { value: false, below: false };
        };
        if let [Step::Name(name)] = steps {
            if NEVER_INDEXED.contains(&&**name) {
                return Verdict { value: false, below: false };
            }
            if ALWAYS_INDEXED.contains(&&**name) {
                return Verdict { value: true, below: false };
            }
        }
        let mut value: Option<&Rule> = None;
        let mut subtree: Option<&Rule> = None;
        let mut below = false;
        for rule in rules {
            let path = rule.path.steps();
            if path.starts_with(steps) && rule.included && (rule.subtree || path.len() > steps.len()) {
                below = true;
            }
            if rule.subtree && steps.starts_with(path) {
                // The exclusions come first, so that one stands against an inclusion of the same path.
                if subtree.is_none_or(|best| path.len() > best.path.steps().len()) {
                    subtree = Some(rule);
                }
            }
            let matches = if rule.subtree { steps.starts_with(path) } else { steps == path };
            let rank = |rule: &Rule| (rule.path.steps().len(), !rule.subtree);
            if matches && value.is_none_or(|best| rank(rule) > rank(best)) {
                value = Some(rule);
            }
        }
        let inherits = subtree.is_some_and(|rule| rule.included);
        Verdict { value: value.is_some_and(|rule| rule.included), below: below || inherits }
    }
}

impl Rule {
    /// `None` for a path that no document can have.
    fn parse(text: &str, included: bool) -> Option<Rule> {
        let (path, subtree) = match (text.strip_suffix("/?"), text.strip_suffix("/*")) {
            (Some(path), _) => (path, false),
            (None, Some(path)) => (path, true),
            (None, None) => (text.trim_end_matches(['/', '*']), true),
        };
        Some(Rule { path: IndexPath::parse(path)?, subtree, included })
    }
}

impl Composite {
    fn parse(index: &Json) -> Option<Composite> {
        let entry = |entry: &Json| {
            let path = entry.get("path")?.as_str()?;
            let path = IndexPath::parse(path.strip_suffix("/?").unwrap_or(path))?;
            let descends =
                entry.get("order").and_then(Json::as_str).is_some_and(|order| order.eq_ignore_ascii_case("descending"));
            (!path.has_elements()).then_some((path, descends))
        };
        Some(Composite { paths: index.as_array()?.iter().map(entry).collect::<Option<_>>()? })
    }

    /// Whether each path descends.
    pub fn descending(&self) -> Vec<bool> {
        self.paths.iter().map(|(_, descends)| *descends).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(included: &[&str], excluded: &[&str]) -> IndexPolicy {
        let list = |paths: &[&str]| paths.iter().map(|path| json!({"path": path})).collect::<Vec<_>>();
        let body =
            json!({"indexingMode": "consistent", "includedPaths": list(included), "excludedPaths": list(excluded)});
        IndexPolicy::compile(body.as_object().unwrap())
    }

    fn check(policy: &IndexPolicy, path: &str, value: bool, below: bool) {
        let parsed = IndexPath::parse(path).unwrap();
        assert_eq!(policy.verdict(parsed.steps()), Verdict { value, below }, "{path}");
    }

    #[test]
    fn the_most_precise_path_decides() {
        let all = policy(&["/*"], &["/\"_etag\"/?", "/secret/*", "/a/b/?"]);
        check(&all, "/x", true, true);
        check(&all, "/tags/[]/name", true, true);
        check(&all, "/secret", false, false);
        check(&all, "/secret/x", false, false);
        check(&all, "/a/b", false, true);
        check(&all, "/a/b/c", true, true);
        check(&all, "/_etag", false, false);
        check(&all, "/nested/_etag", true, true);
        check(&all, "/_ts", true, false);

        let some = policy(&["/food/ingredients/nutrition/*", "/tags/[]/?", "/one/?"], &["/food/ingredients/*", "/*"]);
        check(&some, "/food", false, true);
        check(&some, "/food/ingredients", false, true);
        check(&some, "/food/ingredients/x", false, false);
        check(&some, "/food/ingredients/nutrition", true, true);
        check(&some, "/food/ingredients/nutrition/x/y", true, true);
        check(&some, "/tags", false, true);
        check(&some, "/tags/[]", true, false);
        check(&some, "/tags/x", false, false);
        check(&some, "/one", true, false);
        check(&some, "/id", true, false);
        check(&some, "/_rid", false, false);

        check(&policy(&["/a/*"], &["/a/?"]), "/a", false, true);
        check(&policy(&["/a/?"], &["/a/*"]), "/a", true, false);
        check(&policy(&["/a/*"], &["/a/*"]), "/a", false, true);
        check(&policy(&[], &["/*"]), "/a", false, false);
    }

    #[test]
    fn without_indexing_nothing_is_indexed() {
        let none = IndexPolicy::compile(json!({"indexingMode": "none"}).as_object().unwrap());
        assert!(!none.is_active());
        check(&none, "/id", false, false);
    }

    #[test]
    fn composites_keep_their_directions_and_do_not_lead_through_arrays() {
        let body = json!({"indexingMode": "consistent", "compositeIndexes": [
            [{"path": "/a", "order": "ascending"}, {"path": "/b/c", "order": "descending"}],
            [{"path": "/a"}, {"path": "/tags/[]"}],
        ]});
        let policy = IndexPolicy::compile(body.as_object().unwrap());
        assert_eq!(policy.composites().len(), 1);
        assert_eq!(policy.composites()[0].descending(), [false, true]);
        assert_eq!(policy.composites()[0].paths[1].0.to_string(), "/b/c");
    }
}
