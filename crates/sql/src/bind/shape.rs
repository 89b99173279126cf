//! Which expressions are the same: a hash of what they say once names are resolved, so that `c.a`, `c["a"]` and, under another
//! alias of the same source, `d.a` are one.

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::Binder;
use super::children::each_child;
use crate::ast::{self, Accessor, Comparison, ExprKind, Literal};

impl<'q> Binder<'q> {
    /// The shape of an expression. Each is computed once. Recurses once per level of the tree.
    pub(super) fn shape(&mut self, expr: &'q ast::Expr) -> u128 {
        if let Some(shape) = self.shapes.get(&std::ptr::from_ref(expr)) {
            return *shape;
        }
        let shape = match &expr.kind {
            ExprKind::Access { base, steps } => {
                let base = self.shape(base);
                steps.iter().fold(base, |shape, step| self.step_shape(shape, step))
            }
            kind => self.node_shape(kind),
        };
        self.shapes.insert(expr, shape);
        shape
    }

    /// The shape of a path that is one step longer.
    pub(super) fn step_shape(&mut self, base: u128, step: &'q Accessor) -> u128 {
        let mut node = Node::new("step");
        node.number(base);
        match step {
            Accessor::Member(name) => node.text(&name.text),
            Accessor::Index(ast::Expr { kind: ExprKind::Literal(Literal::String(name)), .. }) => node.text(name),
            Accessor::Index(index) => node.number(self.shape(index)),
        }
        node.finish()
    }

    fn node_shape(&mut self, kind: &'q ExprKind) -> u128 {
        let mut node = Node::new(match kind {
            ExprKind::Literal(_) => "literal",
            ExprKind::Parameter(_) => "parameter",
            ExprKind::Identifier(_) => "identifier",
            ExprKind::Access { .. } => "access",
            ExprKind::Array(_) => "array",
            ExprKind::Object(_) => "object",
            ExprKind::Unary(..) => "unary",
            ExprKind::Binary(..) => "binary",
            ExprKind::And(_) => "and",
            ExprKind::Or(_) => "or",
            ExprKind::Conditional(_) => "conditional",
            ExprKind::Coalesce(..) => "coalesce",
            ExprKind::Compare { .. } => "compare",
            ExprKind::Subquery(..) => "subquery",
            ExprKind::Call { .. } => "call",
        });
        match kind {
            ExprKind::Literal(literal) => node.text(&literal.to_string()),
            ExprKind::Parameter(name) => node.text(name),
            ExprKind::Identifier(name) => match self.find(name) {
                Some(found) => node.number(found.alias.source as u128),
                None => node.text(name),
            },
            ExprKind::Object(members) => members.iter().for_each(|(name, _)| node.text(&name.text)),
            ExprKind::Unary(operator, _) => node.text(&format!("{operator:?}")),
            ExprKind::Binary(operator, ..) => node.text(&format!("{operator:?}")),
            ExprKind::Compare { negated, comparison, .. } => {
                node.number(u128::from(*negated));
                node.text(match comparison {
                    Comparison::In(_) => "in",
                    Comparison::Between(..) => "between",
                    Comparison::Like(..) => "like",
                });
                if let Comparison::Like(_, Some(escape)) = comparison {
                    node.number(u128::from(u32::from(*escape)));
                }
            }
            // The printed text has the names as written. In one query they mean the same everywhere.
            ExprKind::Subquery(kind, query) => node.text(&format!("{kind:?} {query}")),
            ExprKind::Call { udf, name, .. } => {
                node.number(u128::from(*udf));
                node.text(&name.text.to_ascii_uppercase());
            }
            ExprKind::Access { .. }
            | ExprKind::Array(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Conditional(_)
            | ExprKind::Coalesce(..) => {}
        }
        each_child(kind, &mut |child| node.number(self.shape(child)));
        node.finish()
    }
}

/// Hashes one node; tags and lengths keep its parts apart.
struct Node(Xxh3);

impl Node {
    fn new(kind: &str) -> Self {
        let mut node = Node(Xxh3::new());
        node.text(kind);
        node
    }

    fn text(&mut self, text: &str) {
        self.number(xxh3_128(text.as_bytes()));
    }

    fn number(&mut self, number: u128) {
        self.0.update(&number.to_le_bytes());
    }

    fn finish(&self) -> u128 {
        self.0.digest128()
    }
}
