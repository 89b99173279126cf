//! Every node's place is exactly its text.

use orrery_sql::ast::{
    Accessor, Collection, Comparison, Expr, ExprKind, From, Literal, Name, OrderBy, Query, SelectList, Source, Span,
};

use super::grammar::sentence;

#[test]
fn the_text_of_an_expression_parses_to_it() {
    for seed in 0..200 {
        let text = sentence(seed);
        let tree = orrery_sql::parse(&text).unwrap();
        let mut exprs = 0;
        Walker { expr: &mut |expr| check_expr(&text, expr, &mut exprs), name: &mut |name| check_name(&text, name) }
            .query(&tree);
    }
}

#[test]
fn places_include_the_parentheses() {
    let text = "SELECT VALUE ( (a) + (b.c) ) * -(2) IN ((1), ( (SELECT 1) ))";
    let tree = orrery_sql::parse(text).unwrap();
    let mut places = Vec::new();
    Walker { expr: &mut |expr| places.push(slice(text, expr.span)), name: &mut |_| {} }.query(&tree);
    assert_eq!(
        places,
        [
            "( (a) + (b.c) ) * -(2) IN ((1), ( (SELECT 1) ))",
            "( (a) + (b.c) ) * -(2)",
            "( (a) + (b.c) )",
            "(a)",
            "(b.c)",
            "b",
            "-(2)",
            "(1)",
            "( (SELECT 1) )",
            "1",
        ]
    );
}

#[test]
fn clauses_have_places() {
    let text = "SELECT TOP 5 * FROM (SELECT 1) AS s JOIN t IN c.tags['x'] JOIN c.a[0] b OFFSET @o LIMIT 0x7";
    let tree = orrery_sql::parse(text).unwrap();
    let from = tree.from.unwrap();
    let sources: Vec<_> = from.sources().map(|source| slice(text, source.span)).collect();
    assert_eq!(sources, ["(SELECT 1) AS s", "t IN c.tags['x']", "c.a[0] b"]);
    let range = tree.offset_limit.unwrap();
    let counts = [tree.select.top.unwrap(), range.offset, range.limit].map(|count| slice(text, count.span));
    assert_eq!(counts, ["5", "@o", "0x7"]);
    let SelectList::Star(star) = tree.select.list else { panic!("it is a star") };
    assert_eq!(slice(text, star), "*");
}

fn slice(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn check_expr(text: &str, expr: &Expr, checked: &mut usize) {
    *checked += 1;
    // Checking each expression on its own makes this quadratic, so that only the first ones of a text are.
    if *checked > 50 {
        return;
    }
    let own = slice(text, expr.span);
    let tree = orrery_sql::parse(&format!("SELECT VALUE {own}")).unwrap();
    let SelectList::Value(again) = &tree.select.list else { panic!("it is a value") };
    assert_eq!(format!("{again:?}"), format!("{expr:?}"), "{own} in {text}");
    assert!(own.trim() == own && !own.ends_with("*/"), "{own}");
}

fn check_name(text: &str, name: &Name) {
    let own = slice(text, name.span);
    if own.starts_with(['"', '\'']) {
        let tree = orrery_sql::parse(&format!("SELECT VALUE {own}")).unwrap();
        let SelectList::Value(Expr { kind: ExprKind::Literal(Literal::String(string)), .. }) = tree.select.list else {
            panic!("{own} is a string")
        };
        assert_eq!(string, name.text);
    } else {
        assert_eq!(own, name.text);
    }
}

/// Calls back for every expression and name of a tree, parents first.
struct Walker<'w> {
    expr: &'w mut dyn FnMut(&Expr),
    name: &'w mut dyn FnMut(&Name),
}

impl Walker<'_> {
    fn query(&mut self, query: &Query) {
        match &query.select.list {
            SelectList::Star(_) => {}
            SelectList::Value(expr) => self.expr(expr),
            SelectList::Columns(columns) => columns.iter().for_each(|column| {
                self.expr(&column.expr);
                column.alias.iter().for_each(|alias| (self.name)(alias));
            }),
        }
        for source in query.from.iter().flat_map(From::sources) {
            self.source(source);
        }
        query.filter.iter().chain(&query.group_by).for_each(|expr| self.expr(expr));
        match &query.order_by {
            None => {}
            Some(OrderBy::Items(items)) => items.iter().for_each(|item| self.expr(&item.expr)),
            Some(OrderBy::Rank(items)) => items.iter().for_each(|item| self.expr(&item.call)),
        }
    }

    fn source(&mut self, source: &Source) {
        source.alias.iter().for_each(|alias| (self.name)(alias));
        match &source.collection {
            Collection::Path { root, steps } => {
                (self.name)(root);
                self.steps(steps);
            }
            Collection::Subquery(query) => self.query(query),
            Collection::Call(call) => self.expr(call),
        }
    }

    fn steps(&mut self, steps: &[Accessor]) {
        steps.iter().for_each(|step| match step {
            Accessor::Member(name) => (self.name)(name),
            Accessor::Index(index) => self.expr(index),
        });
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        (self.expr)(expr);
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Parameter(_) | ExprKind::Identifier(_) => {}
            ExprKind::Access { base, steps } => {
                self.expr(base);
                self.steps(steps);
            }
            ExprKind::Array(children) | ExprKind::And(children) | ExprKind::Or(children) => self.exprs(children),
            ExprKind::Object(members) => members.iter().for_each(|(name, value)| {
                (self.name)(name);
                self.expr(value);
            }),
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Binary(_, a, b) | ExprKind::Coalesce(a, b) => self.exprs([&**a, &**b]),
            ExprKind::Conditional(parts) => self.exprs(&parts[..]),
            ExprKind::Compare { operand, comparison, .. } => {
                self.expr(operand);
                match comparison {
                    Comparison::In(items) => self.exprs(items),
                    Comparison::Between(low, high) => self.exprs([&**low, &**high]),
                    Comparison::Like(pattern, _) => self.expr(pattern),
                }
            }
            ExprKind::Subquery(_, query) => self.query(query),
            ExprKind::Call { name, arguments, .. } => {
                (self.name)(name);
                self.exprs(arguments);
            }
        }
    }
}
