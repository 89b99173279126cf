//! Texts that mean harm: long, deep and damaged ones.

use std::time::{Duration, Instant};

use orrery_gremlin::GremlinError;
use orrery_gremlin::step::Query;
use orrery_gremlin::text::{Expression, MAX_RANGE_ITEMS, MAX_TEXT_BYTES, Script, parse};
use orrery_gremlin::value::{GMap, MAX_NESTING};

use crate::grammar;

fn read(text: &str) -> Result<Script, GremlinError> {
    parse(text, &GMap::new(), &GMap::new())
}

/// A hundred times of what the longest of them takes in a build without optimisation, for machines that are busy.
const MAX_TIME: Duration = Duration::from_secs(60);

#[test]
fn a_text_is_as_long_as_its_bound_at_most() {
    let longest = format!("g.inject('{}')", "a".repeat(MAX_TEXT_BYTES - 12));
    assert_eq!(longest.len(), MAX_TEXT_BYTES);
    assert!(read(&longest).is_ok());
    assert!(matches!(read(&format!("{longest} ")), Err(GremlinError::TooLarge { limit: MAX_TEXT_BYTES, .. })));
}

#[test]
fn nesting_of_every_kind_ends_at_its_bound() {
    for (open, inside, close) in [
        ("map(", "out()", ")"),
        ("__.map(", "out()", ")"),
        ("[", "1", "]"),
        ("{", "1", "}"),
        ("[a:", "1", "]"),
        ("[[1]:", "1", "]"),
        ("(", "1", ")"),
        ("not(", "eq(1)", ")"),
        ("not(", "out()", ")"),
        ("P.not(", "P.eq(1)", ")"),
        ("within(", "1", ")"),
        ("set(", "1", ")"),
        ("eq(1).or(", "eq(1)", ")"),
        ("g.V().map(", "out()", ")"),
        ("new Vertex(", "1", ")"),
    ] {
        let text = |levels: usize| format!("g.inject({}{inside}{})", open.repeat(levels), close.repeat(levels));
        let most = MAX_TEXT_BYTES / 16 / (open.len() + close.len());
        for levels in [MAX_NESTING + 1, most] {
            let error = read(&text(levels)).expect_err(open);
            assert!(matches!(error, GremlinError::TooLarge { .. } | GremlinError::Syntax { .. }), "{open}: {error}");
        }
        // What is deep but not too deep compiles or is refused, and never takes all of the stack.
        if let Ok(script) = read(&text(MAX_NESTING - 2)) {
            let Expression::Traversal { bytecode, .. } = &script.statements[0].expression else { panic!("{open}") };
            let _ = Query::from_bytecode(bytecode);
        }
    }
}

#[test]
fn connectives_of_predicates_nest_where_they_take_turns() {
    let turns = |count: usize| format!("g.V().is(gt(1){})", ".and(lt(2)).or(lt(3))".repeat(count));
    assert!(read(&turns(MAX_NESTING / 2 - 1)).is_ok());
    assert!(matches!(read(&turns(MAX_NESTING)), Err(GremlinError::TooLarge { .. })));
    let negated = format!("g.V().is(gt(1){})", ".and(lt(2)).negate()".repeat(MAX_NESTING));
    assert!(matches!(read(&negated), Err(GremlinError::TooLarge { .. })));
}

#[test]
fn long_texts_of_every_kind_take_linear_time() {
    let fill = |part: &str| part.repeat(MAX_TEXT_BYTES / 4 / part.len());
    for text in [
        format!("g.V(){}", fill(".out()")),
        format!("g.inject({}1)", fill("1,")),
        format!("g.inject({}1)", fill("x(),")),
        format!("g.inject([{}1:1])", fill("a:1,")),
        format!("g.inject({{{}1}})", fill("1,")),
        format!("g.V().is(gt(1){})", fill(".and(gt(1))")),
        format!("g.V().is(gt(1){})", fill(".negate().negate()")),
        format!("g.inject(\"{}\")", fill("\\n")),
        format!("g.inject('''{}''')", fill("''\"")),
        fill("g.V();"),
        fill("x=1\n"),
        fill("/**/"),
        fill("// \n"),
        fill("a"),
        fill("("),
        fill("["),
        fill("{"),
        fill("{it;"),
        fill("'"),
        fill("\\"),
        fill("-"),
        fill("1"),
        fill("0x1"),
        fill("1_"),
        fill("/*"),
        fill("'''\\"),
        fill("org."),
        format!("g.inject({})", fill("org.")),
        format!("g.withStrategies({})", fill("a.")),
        fill("g.V().map{"),
    ] {
        let start = Instant::now();
        let _ = read(&text);
        assert!(start.elapsed() < MAX_TIME, "{}… took {:?}", &text[..20], start.elapsed());
    }
}

#[test]
fn ranges_make_no_more_than_their_bound_together() {
    let half = MAX_RANGE_ITEMS / 2;
    assert!(read(&format!("g.inject(1..{half}, 1..{half})")).is_ok());
    for text in [
        format!("g.inject(1..{half}, 0..{half})"),
        "g.inject(-2147483648..2147483647)".to_owned(),
        format!("g.inject('{0}a'..'{0}\u{10FFFF}')", "a".repeat(1000)),
    ] {
        assert!(matches!(read(&text), Err(GremlinError::TooLarge { .. })), "{}", &text[..20]);
    }
}

#[test]
fn errors_of_damaged_sentences_lie_within_the_text() {
    let variables = grammar::variables();
    let mut refused = 0;
    for seed in 0..2000 {
        let text = grammar::damaged(seed);
        let Err(error) = parse(&text, &variables, &GMap::new()) else { continue };
        refused += 1;
        let at = error.at().unwrap_or_default();
        assert!(text.is_char_boundary(at), "{error}\n{text}");
    }
    assert!(refused > 500, "only {refused} were refused");
}

#[test]
fn every_beginning_of_a_text_is_read_or_refused() {
    for seed in 0..100 {
        let text = grammar::sentence(seed);
        for (end, _) in text.char_indices() {
            if let Err(error) = read(&text[..end]) {
                assert!(error.at().is_none_or(|at| at <= end), "{error}");
            }
        }
    }
}

#[test]
fn what_compiles_has_been_bounded() {
    let text = format!("g.V(){}", ".out()".repeat(30_000));
    let script = read(&text).unwrap();
    let Expression::Traversal { bytecode, .. } = &script.statements[0].expression else { panic!() };
    assert!(matches!(Query::from_bytecode(bytecode), Err(GremlinError::TooLarge { .. })));
}
