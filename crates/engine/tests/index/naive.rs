//! What an index should answer, found by reading every item of the snapshot.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;
use orrery_engine::Container;
use orrery_engine::index::{
    Coverage, Direction, IndexPath, IndexView, PathKey, Posting, Step, ValueRange, Window, decode, encode,
};
use orrery_store::{KeyRange, Scan, Snapshot, Space, Visit, Visitor, scan};
use orrery_value::{Document, Value, total_order};

/// Bytes in front of a stored document.
const ITEM_HEADER: usize = 29;

/// Items by key, with their values.
pub type Items = BTreeMap<Vec<u8>, Value>;

/// All items of a container in a snapshot.
pub async fn items_of(snapshot: &dyn Snapshot, container: &Container) -> Items {
    struct All(Items);
    impl Visitor for All {
        fn visit(&mut self, key: &[u8], value: &Bytes) -> Visit {
            let document = Document::new(&value[ITEM_HEADER..]).expect("an item");
            self.0.insert(key.to_vec(), Value::parse(document.text()).expect("JSON"));
            Visit::Continue
        }
    }
    let request = Scan { space: Space::Items, range: whole(container), reverse: false };
    scan(snapshot, request, All(Items::new())).await.expect("the store reads").0
}

/// All keys of a container.
pub fn whole(container: &Container) -> KeyRange {
    KeyRange::prefix(&container.number().to_be_bytes())
}

/// The values of an item at a path.
pub fn values_at<'a>(item: &'a Value, steps: &[Step]) -> Vec<&'a Value> {
    match (steps.split_first(), item) {
        (None, value) => vec![value],
        (Some((Step::Name(name), rest)), Value::Object(object)) => {
            object.get(name).map(|value| values_at(value, rest)).unwrap_or_default()
        }
        (Some((Step::Element, rest)), Value::Array(elements)) => {
            elements.iter().flat_map(|element| values_at(element, rest)).collect()
        }
        (Some(_), _) => Vec::new(),
    }
}

pub fn single(path: &str) -> PathKey {
    let step = |step: &str| if step == "[]" { Step::Element } else { Step::Name(step.into()) };
    PathKey::Single(IndexPath::new(path.split('/').skip(1).map(step).collect()))
}

/// A predicate and the range that stands for it.
pub struct Question {
    pub range: ValueRange,
    pub accepts: Box<dyn Fn(&Value) -> bool>,
}

/// Questions about a value and its neighbours.
pub fn questions(value: &Value, other: &Value) -> Vec<Question> {
    let comparable = |a: &Value, b: &Value| std::mem::discriminant(a) == std::mem::discriminant(b);
    let mut questions = Vec::new();
    let mut ask = |range: ValueRange, accepts: Box<dyn Fn(&Value) -> bool>| questions.push(Question { range, accepts });
    let (is, at) = (value.clone(), value.clone());
    ask(ValueRange::equal(value), Box::new(move |value| *value == is));
    if !matches!(value, Value::Array(_) | Value::Object(_)) {
        let above = at.clone();
        ask(
            ValueRange::between(Bound::Excluded(&at), Bound::Unbounded),
            Box::new(move |value| comparable(value, &above) && total_order(value, &above).is_gt()),
        );
        let (low, high) = if total_order(value, other).is_le() { (value, other) } else { (other, value) };
        if comparable(low, high) {
            let (from, to) = (low.clone(), high.clone());
            ask(
                ValueRange::between(Bound::Included(low), Bound::Excluded(high)),
                Box::new(move |value| {
                    comparable(value, &from) && total_order(value, &from).is_ge() && total_order(value, &to).is_lt()
                }),
            );
        }
    }
    if let Value::String(string) = value {
        let prefix: String = string.chars().take(2).collect();
        ask(
            ValueRange::prefix(&prefix),
            Box::new(move |value| matches!(value, Value::String(string) if string.starts_with(&prefix))),
        );
    }
    ask(ValueRange::defined(), Box::new(|_| true));
    questions
}

/// Compares the answers of a view with the items of its snapshot.
pub async fn check_view(view: &IndexView, container: &Container, paths: &[&str], seed: usize) {
    let items = items_of(&**view.snapshot(), container).await;
    assert_eq!(view.item_count(), items.len() as u64);
    for (path, turn) in paths.iter().zip(seed..) {
        let key = single(path);
        match view.coverage(&key) {
            Coverage::Ready => {}
            // The follower had no turn yet, on a busy machine; the view says so and a query would scan.
            Coverage::Building => continue,
            other => panic!("{path} is {other:?}"),
        }
        let PathKey::Single(steps) = &key else { unreachable!() };
        let values: Vec<&Value> = items.values().flat_map(|item| values_at(item, steps.steps())).collect();
        let pick = |turn: usize| values.get(turn % values.len().max(1)).map_or(Value::Null, |value| (*value).clone());
        for question in questions(&pick(turn), &pick(turn / 7 + 3)) {
            check_hits(view, container, &items, &key, &question).await;
        }
        if view.is_always_defined(&key) {
            let lacking = items.iter().find(|(_, item)| values_at(item, steps.steps()).is_empty());
            assert!(lacking.is_none(), "{path} is not defined in {lacking:?}");
        }
        for direction in [Direction::Forward, Direction::Backward] {
            check_order(view, container, &items, &key, direction).await;
        }
    }
}

async fn check_hits(view: &IndexView, container: &Container, items: &Items, key: &PathKey, question: &Question) {
    let PathKey::Single(path) = key else { return };
    let hits = view.hits(key, &question.range, Window::ALL, usize::MAX).await.unwrap().expect("there is no limit");
    assert!(hits.is_sorted_by(|a, b| a < b), "ascending, each once");
    let found = view.resolve(&hits, &whole(container)).await.unwrap();
    let keys: Vec<&Vec<u8>> = found.iter().map(|located| &located.item_key).collect();
    let in_range = |item: &Value| {
        values_at(item, path.steps()).into_iter().any(|value| {
            let mut encoded = Vec::new();
            encode(value, &mut encoded);
            question.range.contains(&encoded)
        })
    };
    let accepted = |item: &Value| values_at(item, path.steps()).into_iter().any(|value| (question.accepts)(value));
    let expected: Vec<&Vec<u8>> = items.iter().filter(|(_, item)| in_range(item)).map(|(key, _)| key).collect();
    assert_eq!(keys, expected, "{path} {:?}", question.range);
    for item in items.values() {
        assert!(!accepted(item) || in_range(item), "a range holds all that the predicate accepts");
        if question.range.is_exact() {
            assert_eq!(accepted(item), in_range(item), "an exact range holds nothing else");
        }
    }
    let estimate = view.estimate(key, &question.range, Window::ALL).await.unwrap();
    if estimate.is_exact && !path.has_elements() {
        assert_eq!(estimate.postings, hits.len() as u64);
    }
    if hits.len() > 1 {
        assert_eq!(view.hits(key, &question.range, Window::ALL, hits.len() - 1).await.unwrap(), None);
    }
    check_windows(view, key, question, &hits).await;
}

async fn check_windows(view: &IndexView, key: &PathKey, question: &Question, hits: &[Posting]) {
    let mut joined = Vec::new();
    for window in Window::ALL.sixteenths() {
        joined.extend(view.hits(key, &question.range, window, usize::MAX).await.unwrap().expect("no limit"));
    }
    assert_eq!(joined, hits, "sixteenth by sixteenth");
    let Some(middle) = hits.get(hits.len() / 2) else { return };
    for window in [
        Window { first: middle.place, last: middle.place },
        Window { first: middle.place, last: u32::MAX },
        Window { first: 0, last: middle.place },
    ] {
        let found = view.hits(key, &question.range, window, usize::MAX).await.unwrap().expect("no limit");
        let expected: Vec<Posting> = hits.iter().copied().filter(|hit| window.contains(hit.place)).collect();
        assert_eq!(found, expected, "{window:?}");
    }
}

async fn check_order(view: &IndexView, container: &Container, items: &Items, key: &PathKey, direction: Direction) {
    let PathKey::Single(path) = key else { return };
    let mut ordered = view.ordered(key, direction, &ValueRange::defined(), Window::ALL);
    let mut found: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut last: Option<Value> = None;
    let mut groups: Vec<Vec<u8>> = Vec::new();
    while let Some(group) = ordered.next().await.unwrap() {
        if group.is_decided {
            let value = decode(&group.value).expect("a decided value is whole");
            if let Some(last) = last.replace(value.clone()) {
                let order = total_order(&last, &value);
                let order = if direction == Direction::Forward { order } else { order.reverse() };
                assert!(order.is_le(), "{last:?} before {value:?}");
            }
        }
        if groups.last() != Some(&group.value) {
            groups.push(group.value.clone());
        }
        for located in view.resolve(&group.postings, &whole(container)).await.unwrap() {
            found.push((group.value.clone(), located.item_key));
        }
    }
    let ascending = groups.is_sorted_by(|a, b| if direction == Direction::Forward { a < b } else { a > b });
    assert!(ascending, "each value once, in order");
    let mut expected: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for (key, item) in items {
        for value in values_at(item, path.steps()) {
            let mut encoded = Vec::new();
            encode(value, &mut encoded);
            expected.push((encoded, key.clone()));
        }
    }
    expected.sort();
    expected.dedup();
    found.sort();
    assert_eq!(found, expected, "{path} {direction:?}");
}
