//! Text and parameters to a query of the engine.

use std::time::Instant;

use orrery_engine::query::Query;
use orrery_value::Value;
use xxhash_rust::xxh3::Xxh3;

use crate::bind;
use crate::error::SqlError;
use crate::parse::parse;

/// Compiles a query. `parameters` are the request's: names with their `@`, and values.
///
/// # Errors
/// What is wrong with the text or its use of the parameters, and where.
pub fn compile(text: &str, parameters: &[(String, Value)]) -> Result<Query, SqlError> {
    let started = Instant::now();
    let tree = parse(text)?;
    let plan = bind::bind(&tree, parameters)?;
    Ok(Query::new(plan, fingerprint(text, parameters)).with_compile_time(started.elapsed()))
}

/// A hash of all that decides the query's rows. Lengths keep texts, names and values apart.
fn fingerprint(text: &str, parameters: &[(String, Value)]) -> u64 {
    let mut hasher = Xxh3::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    };
    add(text.as_bytes());
    for (name, value) in parameters {
        add(name.as_bytes());
        add(&value.to_json());
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_changes_with_text_and_parameters() {
        let of = |text, value: i64| compile(text, &[("@p".to_owned(), Value::from(value))]).unwrap().fingerprint();
        assert_eq!(of("SELECT @p", 1), of("SELECT @p", 1));
        assert_ne!(of("SELECT @p", 1), of("SELECT @p", 2));
        assert_ne!(of("SELECT @p", 1), of("SELECT  @p", 1));
    }
}
