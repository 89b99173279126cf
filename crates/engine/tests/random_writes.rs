//! Random sequences of everything that clients do, against the model.

use std::collections::HashSet;

use orrery_engine::{Condition, FeedStart, Item, NewItem, Operation, OperationKind, Scope, Target, WriteMode, Written};
use orrery_value::{EpkRange, PartitionKey};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};

use crate::model::{Act, Model, Outcome, Place, Version, When, patch_operations, place_of};
use crate::support::{Items, StoreKind, World, block_on, body_of, json_of, parse_patch, rid_of, word};

/// The partition key definitions that the sequences run on.
const DEFINITIONS: [fn() -> Json; 3] = [
    || json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}}),
    || json!({"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}),
    || json!({"id": "c", "partitionKey": {"paths": ["/pk", "/at/level 2", "/\"a/b\""], "kind": "MultiHash", "version": 2}}),
];

#[derive(Clone, Debug)]
enum Step {
    Write { mode: WriteMode, acts: Vec<(Act, Index, Index, Index, bool)> },
    Read { place: Index },
    List { scope: ScopeOf, page: usize },
    Feed { scope: ScopeOf, after: Option<Index>, page: usize },
    Split { at: Index },
    DeletePartition { place: Index },
    Reopen,
}

#[derive(Clone, Debug)]
enum ScopeOf {
    Container,
    Range(Index),
    Partition(Index),
    /// The first components of a key.
    Prefix(Index, usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Create),
        3 => Just(Act::Upsert),
        2 => Just(Act::Replace),
        2 => (-5i64..5).prop_map(Act::Patch),
        2 => Just(Act::Delete),
        1 => Just(Act::Read),
    ]
}

fn scope() -> impl Strategy<Value = ScopeOf> {
    prop_oneof![
        Just(ScopeOf::Container),
        any::<Index>().prop_map(ScopeOf::Range),
        any::<Index>().prop_map(ScopeOf::Partition),
        (any::<Index>(), 0usize..3).prop_map(|(place, len)| ScopeOf::Prefix(place, len)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let mode = prop_oneof![Just(WriteMode::Atomic), Just(WriteMode::Independent), Just(WriteMode::UntilFailure)];
    let acts = prop::collection::vec((act(), any::<Index>(), any::<Index>(), any::<Index>(), any::<bool>()), 1..6);
    prop_oneof![
        12 => (mode, acts).prop_map(|(mode, acts)| Step::Write { mode, acts }),
        2 => any::<Index>().prop_map(|place| Step::Read { place }),
        2 => (scope(), 1usize..5).prop_map(|(scope, page)| Step::List { scope, page }),
        2 => (scope(), any::<Option<Index>>(), 1usize..5).prop_map(|(scope, after, page)| Step::Feed { scope, after, page }),
        1 => any::<Index>().prop_map(|at| Step::Split { at }),
        1 => any::<Index>().prop_map(|place| Step::DeletePartition { place }),
        1 => Just(Step::Reopen),
    ]
}

/// Values of a partition key's component; an absent one is undefined. `long` is as long as the definition may take.
fn components(long: usize) -> Vec<Option<Json>> {
    let text = |text: &str| Some(json!(text));
    let long = "l".repeat(long);
    vec![
        None,
        Some(Json::Null),
        Some(json!(true)),
        Some(json!(false)),
        Some(json!(0)),
        Some(json!(-0.0)),
        Some(json!(-17.25)),
        Some(json!(1e300)),
        text(""),
        text("0"),
        text("x"),
        text("nul\0\u{1}and more"),
        text("ü-日本-😀"),
        text(&long),
        text(&format!("{}x", &long[1..])),
    ]
}

/// All bodies without content that a sequence works with.
fn bodies(definition: &Json) -> Vec<Json> {
    const IDS: [&str; 5] = ["a", "ab", "ü 日本 😀", "nul\0", "…"];
    let hierarchical = definition["partitionKey"]["kind"] == "MultiHash";
    let version_1 = !hierarchical && definition["partitionKey"]["version"].is_null();
    let mut bodies = Vec::new();
    for (n, component) in components(if version_1 { 101 } else { 600 }).into_iter().enumerate() {
        let mut body = json!({"id": IDS[n % IDS.len()]});
        let set = |body: &mut Json, name: &str, value: Option<Json>| {
            if let Some(value) = value {
                body[name] = value;
            }
        };
        set(&mut body, "pk", component.clone());
        if hierarchical {
            let second = components(600)[(n * 7 + 3) % 15].clone();
            body["at"] = second.map_or(json!({}), |second| json!({"level 2": second}));
            set(&mut body, "a/b", components(600)[(n * 4 + 1) % 15].clone());
            // A neighbour below the same prefix.
            let mut neighbour = body.clone();
            neighbour["a/b"] = json!("neighbour");
            bodies.push(neighbour);
        }
        let mut sibling = body.clone();
        sibling["id"] = json!(IDS[(n + 1) % IDS.len()]);
        bodies.extend([body, sibling]);
    }
    bodies
}

/// A sequence under way.
struct Run {
    world: World,
    items: Items,
    model: Model,
    bodies: Vec<Json>,
    etags: HashSet<String>,
    serial: usize,
}

impl Run {
    async fn begin(store: StoreKind, definition: Json) -> Run {
        let world = World::new(store).await;
        let items = world.create(definition.clone()).await;
        Run { world, items, model: Model::default(), bodies: bodies(&definition), etags: HashSet::new(), serial: 0 }
    }

    async fn step(self, step: &Step) -> Run {
        let mut run = self;
        match step {
            Step::Write { mode, acts } => run.write(*mode, acts).await,
            Step::Read { place } => run.read(run.place(place)).await,
            Step::List { scope, page } => run.check_list(&run.scope(scope), *page).await,
            Step::Feed { scope, after, page } => {
                let after = after.map(|after| after.index(run.model.head as usize + 2) as u64);
                run.check_feed(&run.scope(scope), after, *page).await;
            }
            Step::Split { at } => run.split(at).await,
            Step::DeletePartition { place } => run.delete_partition(place).await,
            Step::Reopen => {
                // Whatever holds the engine keeps the folder open.
                drop(run.items);
                run.world = run.world.reopen().await;
                run.items = run.world.items("c");
            }
        }
        run.check_counters();
        run
    }

    fn place(&self, index: &Index) -> Place {
        place_of(&self.items.container, index.get(&self.bodies))
    }

    fn scope(&self, of: &ScopeOf) -> Scope {
        match of {
            ScopeOf::Container => Scope::Container,
            ScopeOf::Range(index) => Scope::Range(index.get(self.items.container.partitions().ranges()).epk.clone()),
            ScopeOf::Partition(index) => Scope::Partition(self.place(index).1),
            ScopeOf::Prefix(index, len) => {
                Scope::Partition(PartitionKey(self.place(index).1.0.into_iter().take(*len).collect()))
            }
        }
    }

    async fn write(&mut self, mode: WriteMode, acts: &[(Act, Index, Index, Index, bool)]) {
        let mut model = self.model.clone();
        let mut expected = Vec::new();
        let mut operations = Vec::new();
        let mut failed = false;
        for (act, body, when, etag_of, by_rid) in acts {
            let mut body = body.get(&self.bodies).clone();
            self.serial += 1;
            body["n"] = json!(self.serial);
            body["pad"] = json!("p".repeat(self.serial * 7 % 90));
            let place = place_of(&self.items.container, &body);
            let when = self.when(act, when, etag_of, &place);
            operations.push(self.operation(act, &place, &body, when, *by_rid));
            let outcome = if failed { Err("DependencyFailed") } else { model.apply(act, &place, &body, when) };
            failed |= outcome.is_err() && mode != WriteMode::Independent;
            expected.push(outcome);
        }
        if failed && mode == WriteMode::Atomic {
            let culprit =
                expected.iter().position(|outcome| matches!(outcome, Err(error) if *error != "DependencyFailed"));
            let others = expected.iter_mut().enumerate().filter(|(index, _)| Some(*index) != culprit);
            others.for_each(|(_, outcome)| *outcome = Err("DependencyFailed"));
        } else {
            self.model = model;
        }
        let results = self.items.batch(operations, mode).await;
        assert_eq!(results.len(), expected.len());
        for (result, expected) in results.iter().zip(&expected) {
            self.check_outcome(result, expected);
        }
    }

    /// A condition that is right, wrong or always true.
    fn when(&self, act: &Act, choice: &Index, etag_of: &Index, place: &Place) -> When {
        let current = self.model.items.get(place).map(|version| version.number);
        match (act, choice.index(6)) {
            (Act::Create, 0) | (Act::Read | Act::Upsert | Act::Replace, 1) => When::NoneMatchAny,
            (Act::Create | Act::Read, _) | (_, 0 | 1) => When::Always,
            (_, 2) => When::MatchAny,
            (_, 3) => When::Match(Some(etag_of.index(self.model.head as usize + 1) as u64)),
            (_, _) => When::Match(current),
        }
    }

    fn operation(&self, act: &Act, (_, key, id): &Place, body: &Json, when: When, by_rid: bool) -> Operation {
        let document = self.model.items.get(&place_of(&self.items.container, body)).map(|version| version.document);
        let target = || match document.filter(|_| by_rid) {
            Some(document) => Target::Rid(self.rid(document)),
            None => Target::Id(id.clone()),
        };
        let new =
            || NewItem::parse(&self.items.container, body.to_string().as_bytes(), Some(key)).expect("a proper item");
        let kind = match act {
            Act::Create => OperationKind::Create(new()),
            Act::Upsert => OperationKind::Upsert(new()),
            Act::Replace => OperationKind::Replace { target: target(), item: new() },
            Act::Patch(by) => {
                OperationKind::Patch { target: target(), patch: parse_patch(&patch_operations(*by)).expect("a patch") }
            }
            Act::Delete => OperationKind::Delete { target: target() },
            Act::Read => OperationKind::Read { target: target() },
        };
        let condition = match when {
            When::Always => Condition::None,
            When::Match(number) => Condition::IfMatch(etag(number.unwrap_or(0))),
            When::MatchAny => Condition::IfMatch("*".into()),
            When::NoneMatchAny => Condition::IfNoneMatch("*".into()),
        };
        Operation { kind, key: key.clone(), condition }
    }

    fn check_outcome(&mut self, result: &Result<Written, orrery_engine::Error>, expected: &Outcome) {
        match (result, expected) {
            (Ok(written), Ok(Some(version))) => {
                let item = written.item().expect("it is no delete");
                self.check_item(item, version);
                if !matches!(written, Written::Read(_)) {
                    assert!(self.etags.insert(item.etag().to_string()), "the etag {} is used twice", item.etag());
                }
            }
            (Ok(Written::Deleted), Ok(None)) => {}
            (result, expected) => assert_eq!(Err(word(result).as_str()), expected.clone().map(drop), "{result:?}"),
        }
    }

    fn check_item(&self, item: &Item, version: &Version) {
        let json = json_of(item);
        assert_eq!(body_of(item), version.body);
        assert_eq!((item.lsn(), item.document_number()), (version.number, version.document));
        assert_eq!(json["_etag"], json!(etag(version.number)));
        assert_eq!(rid_of(item), self.rid(version.document));
        assert_eq!(json["_self"], json!(format!("{}docs/{}/", self.items.container.self_link(), rid_of(item))));
        assert_eq!((&json["_ts"], &json["_attachments"]), (&json!(crate::support::START), &json!("attachments/")));
    }

    fn check_items(&self, items: &[Item], versions: &[Version]) {
        let numbers = |item: &Item| item.lsn();
        assert_eq!(
            items.iter().map(numbers).collect::<Vec<_>>(),
            versions.iter().map(|version| version.number).collect::<Vec<_>>()
        );
        items.iter().zip(versions).for_each(|(item, version)| self.check_item(item, version));
    }

    /// The rid of a document number: the container's rid, then the number in eight bytes, the lowest first.
    fn rid(&self, document: u64) -> String {
        let mut bytes = orrery_engine::rid::decode(self.items.container.rid()).expect("a rid");
        bytes.extend_from_slice(&document.to_le_bytes());
        orrery_engine::rid::encode(&bytes)
    }

    async fn read(&self, place: Place) {
        let expected = self.model.items.get(&place);
        let found = self.items.read_target(&place.1, &Target::Id(place.2.clone())).await;
        assert_eq!(found.is_some(), expected.is_some());
        let (Some(found), Some(expected)) = (found, expected) else { return };
        self.check_item(&found, expected);
        let by_rid = Target::Rid(self.rid(expected.document));
        self.check_item(&self.items.read_target(&place.1, &by_rid).await.expect("its rid finds it"), expected);
        for (_, other_key, _) in self.model.items.keys().filter(|(_, key, _)| *key != place.1) {
            assert!(
                self.items.read_target(other_key, &by_rid).await.is_none(),
                "a rid leads out of its logical partition"
            );
        }
    }

    async fn check_list(&self, scope: &Scope, page: usize) {
        self.check_items(&self.items.list(scope, page).await, &self.model.list(scope));
    }

    async fn check_feed(&self, scope: &Scope, after: Option<u64>, page: usize) {
        let start = after.map_or(FeedStart::Beginning, FeedStart::After);
        let (changes, position) = self.items.feed(scope, start, page).await;
        self.check_items(&changes, &self.model.feed(scope, after.unwrap_or(0)));
        assert_eq!(position, self.model.head);
    }

    async fn split(&mut self, at: &Index) {
        let at = self.place(at).0;
        let partitions = self.items.container.partitions();
        let owner = partitions.owner(&at);
        if owner.epk.min < at {
            self.world.engine.split_partition(&self.items.container, owner.id, at).await.expect("it lies inside");
            assert_eq!(self.items.container.partitions().ranges().len(), partitions.ranges().len() + 1);
        }
    }

    async fn delete_partition(&mut self, place: &Index) {
        let scope = Scope::Partition(self.place(place).1);
        let doomed: Vec<Place> =
            self.model.items.keys().filter(|place| crate::model::in_scope(&scope, place)).cloned().collect();
        let removed =
            self.world.engine.delete_partition(&self.items.container, &self.place(place).1).await.expect("a whole key");
        assert_eq!(removed, doomed.len() as u64);
        for place in doomed {
            self.model.items.remove(&place);
            self.model.head += 1;
        }
    }

    fn check_counters(&self) {
        let usage = self.items.container.usage();
        assert_eq!((usage.items, self.items.container.head()), (self.model.items.len() as u64, self.model.head));
    }

    /// Everything at the end: lists at every page size, each range, the feed, the bytes counted.
    async fn check_all(&self) {
        for page in [1, 2, 3, 7, 1000] {
            self.check_list(&Scope::Container, page).await;
            self.check_feed(&Scope::Container, None, page).await;
        }
        let mut by_range = Vec::new();
        for range in self.items.container.partitions().ranges() {
            by_range.extend(self.items.list(&Scope::Range(range.epk.clone()), 4).await);
        }
        self.check_items(&by_range, &self.model.list(&Scope::Range(EpkRange::full())));
        let bytes: usize = by_range.iter().map(|item| item.text().len()).sum();
        assert_eq!(self.items.container.usage().bytes, bytes as u64);
        for place in self.model.items.keys() {
            self.read(place.clone()).await;
        }
        self.check_records().await;
    }

    /// One item record and one feed record for each item, and a forwarding record for each that was ever replaced.
    async fn check_records(&self) {
        let items = self.model.items.len();
        let replaced = self.model.items.values().filter(|version| version.number != version.document).count();
        assert_eq!(self.world.records(self.items.container.number()).await, [items, items, replaced]);
    }
}

/// The etag, in quotes, of a version written at the clock's start.
fn etag(number: u64) -> String {
    format!("\"{number:08x}-0000-0000-0000-{:012x}\"", crate::support::START)
}

fn run(store: StoreKind, definition: usize, steps: &[Step]) {
    block_on(async {
        let mut run = Run::begin(store, DEFINITIONS[definition]()).await;
        for step in steps {
            run = run.step(step).await;
        }
        run.check_all().await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_memory_every_sequence_does_what_the_model_does(definition in 0..3usize, steps in prop::collection::vec(step(), 1..40)) {
        run(StoreKind::Memory, definition, &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_a_folder_every_sequence_does_what_the_model_does(definition in 0..3usize, steps in prop::collection::vec(step(), 1..40)) {
        run(StoreKind::Fjall, definition, &steps);
    }
}
