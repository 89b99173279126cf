//! Text and parameters to a query of the engine.

use std::time::Instant;

use orrery_engine::query::Query;
use orrery_value::Value;
use xxhash_rust::xxh3::Xxh3;

use crate::bind;
use crate::bind::context::Context;
use crate::error::SqlError;
use crate::parse::parse;

/// Compiles a query. `parameters` are the request's: names with their `@`, and values.
///
/// # Errors
/// What is wrong with the text or its use of the parameters and the container, and where.
pub fn compile(text: &str, parameters: &[(String, Value)], context: &Context) -> Result<Query, SqlError> {
    compiled(text, parameters, context).map(|compiled| compiled.query)
}

/// A compiled query and what it takes to keep it.
pub(crate) struct Compiled {
    pub query: Query,
    /// Bytes of parameters and definitions that were copied into the plan.
    pub copied_bytes: usize,
    /// Whether compiling again gives the same.
    pub is_repeatable: bool,
}

pub(crate) fn compiled(text: &str, parameters: &[(String, Value)], context: &Context) -> Result<Compiled, SqlError> {
    let started = Instant::now();
    let tree = parse(text)?;
    let bound = bind::bind(&tree, parameters, context)?;
    let fingerprint = source_hash(0, text, parameters, context).digest();
    let query = Query::new(bound.plan, fingerprint).with_compile_time(started.elapsed());
    Ok(Compiled { query, copied_bytes: bound.copied_bytes, is_repeatable: bound.is_repeatable })
}

/// A hash of all that decides the query's rows. Lengths keep texts, names and values apart.
pub(crate) fn source_hash(seed: u64, text: &str, parameters: &[(String, Value)], context: &Context) -> Xxh3 {
    let mut hasher = Xxh3::with_seed(seed);
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    };
    add(text.as_bytes());
    for (name, value) in parameters {
        add(name.as_bytes());
        add(&value.to_json());
    }
    context.hash(&mut hasher);
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::context::ComputedProperty;

    #[test]
    fn the_fingerprint_changes_with_text_parameters_and_context() {
        let none = Context::default();
        let of = |text, value: i64, context| {
            compile(text, &[("@p".to_owned(), Value::from(value))], context).unwrap().fingerprint()
        };
        assert_eq!(of("SELECT @p", 1, &none), of("SELECT @p", 1, &none));
        assert_ne!(of("SELECT @p", 1, &none), of("SELECT @p", 2, &none));
        assert_ne!(of("SELECT @p", 1, &none), of("SELECT  @p", 1, &none));
        let property = ComputedProperty { name: "x".into(), query: "SELECT VALUE c.y FROM c".into() };
        let some = Context { computed_properties: vec![property], ..Context::default() };
        let flat = Context { is_flat: true, ..Context::default() };
        assert_ne!(of("SELECT @p", 1, &none), of("SELECT @p", 1, &some));
        assert_ne!(of("SELECT @p", 1, &none), of("SELECT @p", 1, &flat));
    }
}
