//! Computed properties: `c.name` stands for the expression of its definition.

use orrery_engine::query::Expr;

use super::children::each_child;
use super::context::{ComputedProperty, Context};
use super::function::is_deterministic;
use super::parameters::Parameters;
use super::scope::{Alias, Level};
use super::{Binder, fold};
use crate::ast::{self, Collection, ExprKind, Query, SelectList, Span};
use crate::error::{ErrorCode, SqlError};
use crate::limits::{MAX_COMPUTED_PROPERTIES, MAX_COMPUTED_PROPERTY_BYTES};
use crate::parse::parse;

/// Bytes of a bound expression for each byte of its text, at the most.
const BOUND_BYTES_PER_BYTE: usize = 64;

/// Steps that computing the constants of one definition may take.
const MAX_FOLD_STEPS: u64 = 64 * 1024;

/// System properties and others that the server gives a meaning.
const RESERVED_NAMES: [&str; 7] = ["id", "_rid", "_self", "_etag", "_ts", "_attachments", "ttl"];

/// A definition, bound, and what using it costs.
#[derive(Clone)]
pub(super) struct Substitute {
    expr: Expr,
    depth: usize,
    bytes: usize,
}

impl<'q> Binder<'q> {
    /// The expression of a computed property, if there is one of that name. Each use is a copy, and paid for; definitions do not see
    /// computed properties, so that copies do not multiply.
    pub(super) fn computed_property(&mut self, name: &str, span: Span) -> Result<Option<Expr>, SqlError> {
        let Some(property) = self.context.computed_property(name) else { return Ok(None) };
        if !self.computed.contains_key(property.name.as_str()) {
            let substitute = bind_definition(property).map_err(|error| {
                SqlError::new(error.code, span.range(), format!("The computed property '{name}': {}", error.message))
            })?;
            self.computed.insert(&property.name, substitute);
        }
        let substitute = &self.computed[property.name.as_str()];
        let (expr, depth, bytes) = (&substitute.expr, substitute.depth, substitute.bytes);
        self.parameters.pay(bytes, span)?;
        let expr = expr.clone();
        self.descend(depth, span)?;
        self.depth -= depth;
        Ok(Some(expr))
    }
}

/// Checks the computed properties of a container that is created or replaced.
///
/// # Errors
/// What is wrong, with a place in the definition that it names.
pub fn check_computed_properties(properties: &[ComputedProperty]) -> Result<(), SqlError> {
    let refuse = |message: String| Err(SqlError::new(ErrorCode::ComputedProperty, 0..0, message));
    if properties.len() > MAX_COMPUTED_PROPERTIES {
        return refuse(format!("A container can have {MAX_COMPUTED_PROPERTIES} computed properties at the most."));
    }
    for (number, ComputedProperty { name, query }) in properties.iter().enumerate() {
        if name.is_empty() || RESERVED_NAMES.contains(&name.as_str()) {
            return refuse(format!("A computed property cannot have the name '{name}'."));
        }
        if properties[..number].iter().any(|other| other.name == *name) {
            return refuse(format!("There are two computed properties with the name '{name}'."));
        }
        if query.len() > MAX_COMPUTED_PROPERTY_BYTES {
            return refuse(format!(
                "The definition of the computed property '{name}' is longer than {MAX_COMPUTED_PROPERTY_BYTES} bytes."
            ));
        }
        bind_definition(&properties[number]).map_err(|error| SqlError {
            message: format!("The computed property '{name}': {}", error.message),
            ..error
        })?;
    }
    Ok(())
}

/// The expression of a definition, over an item as source 0.
fn bind_definition(property: &ComputedProperty) -> Result<Substitute, SqlError> {
    let tree = parse(&property.query)?;
    let (alias, expr) = defined(&tree, property.query.len())?;
    check_expr(expr)?;
    let context = Context::default();
    let mut binder = Binder::new(Parameters::new(&[]), &context, MAX_FOLD_STEPS);
    binder.reads_items = true;
    binder.sources = 1;
    binder.levels.push(Level { aliases: vec![(alias, Alias { source: 0, is_item: true })], ..Level::default() });
    let bound = binder.expr(expr)?;
    Ok(Substitute { expr: bound, depth: expr.depth, bytes: property.query.len() * BOUND_BYTES_PER_BYTE })
}

/// The alias and the expression of `SELECT VALUE expr FROM alias`.
fn defined(tree: &Query, length: usize) -> Result<(&str, &ast::Expr), SqlError> {
    let Query { select, from, filter, group_by, order_by, offset_limit } = tree;
    let is_plain = !select.distinct && select.top.is_none() && filter.is_none() && group_by.is_empty();
    let is_plain = is_plain && order_by.is_none() && offset_limit.is_none();
    let source = from.as_ref().filter(|from| from.joins.is_empty()).map(|from| &from.first);
    let source = source.filter(|source| {
        matches!(&source.collection, Collection::Path { steps, .. } if steps.is_empty()) && !source.iterates
    });
    match (&select.list, source.and_then(ast::Source::name)) {
        (SelectList::Value(expr), Some(alias)) if is_plain => Ok((alias, expr)),
        _ => {
            let message = "the definition must have the form SELECT VALUE <expression> FROM <alias>.";
            Err(SqlError::new(ErrorCode::ComputedProperty, 0..length, message))
        }
    }
}

/// What a definition computes depends on the item alone.
fn check_expr(expr: &ast::Expr) -> Result<(), SqlError> {
    let refused = match &expr.kind {
        ExprKind::Subquery(..) => Some("a subquery"),
        ExprKind::Parameter(_) => Some("a parameter"),
        ExprKind::Call { udf: true, .. } => Some("a user-defined function"),
        ExprKind::Call { name, .. } if !is_deterministic(name) => Some("a function whose result changes"),
        ExprKind::Call { name, .. } if name.text.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("ST_")) => {
            Some("a spatial function")
        }
        ExprKind::Call { .. } if fold::aggregates(expr) => Some("an aggregate"),
        _ => None,
    };
    match refused {
        None => {
            let mut checked = Ok(());
            each_child(&expr.kind, &mut |child| {
                if checked.is_ok() {
                    checked = check_expr(child);
                }
            });
            checked
        }
        Some(what) => {
            let message = format!("the definition cannot have {what}.");
            Err(SqlError::new(ErrorCode::ComputedProperty, expr.span.range(), message))
        }
    }
}
