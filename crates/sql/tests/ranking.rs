//! ORDER BY RANK.

use orrery_engine::query::{Direction, RankComponent, Ranking, VectorMetric};
use orrery_sql::{Context, ErrorCode, VectorEmbedding, compile};
use orrery_value::{PropertyPath, Value};

fn ranking(text: &str) -> Ranking {
    let parameters =
        [("@term".to_owned(), Value::from("red")), ("@weights".to_owned(), Value::parse(b"[2,-0.5]").unwrap())];
    let query = compile(text, &parameters, &Context::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(query.plan().order.is_empty());
    query.plan().ranking.clone().unwrap()
}

/// Each component's text, terms and weight.
fn shown(ranking: &Ranking) -> Vec<(String, Vec<String>, f64)> {
    let component = |(component, weight): &(RankComponent, f64)| match component {
        RankComponent::FullText { text, terms } => (text.as_item_path().unwrap().to_string(), terms.clone(), *weight),
        RankComponent::Score { .. } => panic!("a score of another kind"),
    };
    ranking.components.iter().map(component).collect()
}

#[test]
fn one_score_ranks_by_itself() {
    let terms = |terms: &[&str]| terms.iter().map(|term| (*term).to_owned()).collect::<Vec<_>>();
    for (score, expected) in [
        ("FullTextScore(c.text, 'red')", terms(&["red"])),
        ("fulltextscore(c['text'], 'blue', @term)", terms(&["blue", "red"])),
        ("FullTextScore(c.text, ['a', @term])", terms(&["a", "red"])),
    ] {
        let ranking = ranking(&format!("SELECT * FROM c ORDER BY RANK {score}"));
        assert_eq!(shown(&ranking), [("/text".to_owned(), expected, 1.0)], "{score}");
    }
}

#[test]
fn several_scores_are_fused_with_their_weights() {
    let scores = "FullTextScore(c.a, 'x'), FullTextScore(c.b, 'y')";
    for (arguments, weights) in [
        (scores.to_owned(), [1.0, 1.0]),
        (format!("{scores}, [1, 0.25]"), [1.0, 0.25]),
        (format!("{scores}, @weights"), [2.0, -0.5]),
    ] {
        let text = format!("SELECT TOP 3 c.a FROM c WHERE c.n > 1 ORDER BY RANK RRF({arguments})");
        let expected =
            [("/a".to_owned(), vec!["x".to_owned()], weights[0]), ("/b".to_owned(), vec!["y".to_owned()], weights[1])];
        assert_eq!(shown(&ranking(&text)), expected, "{text}");
    }
}

/// A container with a vector of each kind.
fn vectors() -> Context {
    let vector = |path: &str, metric| VectorEmbedding { path: PropertyPath::parse(path).unwrap(), metric };
    let vectors = vec![
        vector("/near", VectorMetric::Euclidean),
        vector("/alike", VectorMetric::Cosine),
        vector("/in/dot", VectorMetric::DotProduct),
    ];
    Context { vectors, ..Context::default() }
}

#[test]
fn the_nearest_vectors_come_first_by_what_they_are_measured_by() {
    for (distance, ascends) in [
        ("VectorDistance(c.near, [1, 2])", true),
        ("VectorDistance([1, 2], c['near'], true)", true),
        ("VectorDistance(c.near, [1, 2], false, {dataType: 'float32'})", true),
        ("VectorDistance(c.near, [1, 2], false, {distanceFunction: 'cosine'})", false),
        ("VectorDistance(c.alike, [1, 2])", false),
        ("vectordistance(c.in.dot, [1, 2])", false),
        ("VectorDistance(c.alike, [1, 2], true, {distanceFunction: 'Euclidean'})", true),
        ("VectorDistance(c.other, [1, 2])", false),
    ] {
        // A word after a dot cannot be reserved.
        let distance = distance.replace("c.in.dot", "c['in'].dot");
        let text = format!("SELECT TOP 2 c.id FROM c ORDER BY {distance}");
        let query = compile(&text, &[], &vectors()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let wanted = if ascends { Direction::Ascending } else { Direction::Descending };
        assert_eq!(query.plan().order[0].direction, wanted, "{text}");
        let text = format!("SELECT TOP 2 c.id FROM c ORDER BY RANK {distance}");
        let query = compile(&text, &[], &vectors()).unwrap_or_else(|error| panic!("{text}: {error}"));
        match &query.plan().ranking.as_ref().unwrap().components[..] {
            [(RankComponent::Score { best, .. }, weight)] => assert_eq!((*best, *weight), (wanted, 1.0), "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn the_containers_policy_decides_the_value_too() {
    let row = Value::parse(br#"{"near":[3,4],"alike":[3,4],"in":{"dot":[3,4]}}"#).unwrap();
    for (distance, expected) in [
        ("VectorDistance(c.near, [0, 0])", "5"),
        ("VectorDistance(c.near, [3, 0], false, {distanceFunction: 'dotproduct'})", "9"),
        ("VectorDistance(c.near, [3, 1], false, {searchListSizeMultiplier: 5})", "3"),
        ("VectorDistance(c.alike, [3, 4])", "1"),
        ("VectorDistance(c['in'].dot, [1, 1], true)", "7"),
    ] {
        let query = compile(&format!("SELECT VALUE {distance} FROM c"), &[], &vectors()).unwrap();
        let rows = query.run_in_memory(std::slice::from_ref(&row)).unwrap();
        assert_eq!(String::from_utf8(rows[0].to_json()).unwrap(), expected, "{distance}");
    }
}

#[test]
fn options_of_vectors_are_checked() {
    for (options, message) in [
        ("{distanceFunction: 'far'}", "the option 'distanceFunction' of VectorDistance must be"),
        ("{searchListSizeMultiplier: 101}", "the option 'searchListSizeMultiplier' of VectorDistance must be"),
        ("{nearest: 1}", "'nearest' is no option"),
        ("1", "the options of VectorDistance are no object"),
        ("c.options", "the options of VectorDistance are not constant"),
    ] {
        let text = format!("SELECT VALUE VectorDistance(c.near, [1], false, {options}) FROM c");
        let error = compile(&text, &[], &vectors()).unwrap_err();
        assert_eq!(error.code, ErrorCode::VectorOption, "{error}");
        assert_eq!(&text[error.span.clone()], options);
        assert!(error.message.contains(message), "{error}");
    }
}

#[test]
fn scores_of_both_kinds_are_fused() {
    let text = "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'x'), VectorDistance(c.near, [1, 2]), [1, 3])";
    let query = compile(text, &[], &vectors()).unwrap();
    match &query.plan().ranking.as_ref().unwrap().components[..] {
        [
            (RankComponent::FullText { .. }, first),
            (RankComponent::Score { best: Direction::Ascending, .. }, second),
        ] => {
            assert_eq!((*first, *second), (1.0, 3.0));
        }
        other => panic!("{other:?}"),
    }
}
