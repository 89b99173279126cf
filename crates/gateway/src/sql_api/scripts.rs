//! Stored procedures, triggers and user-defined functions. They are stored and listed; this server runs no JavaScript.

use orrery_engine::{JsonMap, Resource};
use serde_json::Value as Json;

use super::error::ApiError;
use super::header_names as names;
use super::json_body::invalid;
use super::reply::SERVER_VERSION;
use super::request::RequestContext;

/// Checks the definition of a stored procedure or function.
///
/// # Errors
/// 400 if it has no body.
pub(crate) fn check_script(definition: &JsonMap) -> Result<(), ApiError> {
    match definition.get("body") {
        Some(Json::String(_)) => Ok(()),
        _ => Err(invalid("a script needs 'body', a string of JavaScript")),
    }
}

/// Checks the definition of a trigger.
///
/// # Errors
/// 400 if it has no body, or an unknown type or operation.
pub(crate) fn check_trigger(definition: &JsonMap) -> Result<(), ApiError> {
    check_script(definition)?;
    one_of(definition, "triggerType", &["Pre", "Post"])?;
    one_of(definition, "triggerOperation", &["All", "Create", "Update", "Delete", "Replace"])
}

/// The answer to running a stored procedure: 400, which every SDK hands to its caller at once and as it is.
pub(crate) fn execute(procedure: &Resource) -> ApiError {
    ApiError::bad_request(format!(
        "The stored procedure '{}' cannot be run: {SERVER_VERSION} stores scripts but does not execute JavaScript",
        procedure.id()
    ))
}

/// Refuses a write that asks for triggers, which would otherwise succeed without what they do.
///
/// # Errors
/// 400 if a header names a trigger.
pub(crate) fn refuse_triggers(cx: &RequestContext<'_>) -> Result<(), ApiError> {
    for name in [&names::PRE_TRIGGER_INCLUDE, &names::POST_TRIGGER_INCLUDE] {
        if let Some(triggers) = cx.text(name)? {
            return Err(ApiError::bad_request(format!(
                "The triggers '{triggers}' cannot be run: {SERVER_VERSION} stores scripts but does not execute JavaScript"
            )));
        }
    }
    Ok(())
}

fn one_of(definition: &JsonMap, name: &str, known: &[&str]) -> Result<(), ApiError> {
    let value = definition.get(name).and_then(Json::as_str);
    match value {
        Some(value) if known.iter().any(|known| known.eq_ignore_ascii_case(value)) => Ok(()),
        _ => Err(invalid(&format!("a trigger needs '{name}', one of {}", known.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::json_body::object;
    use super::*;

    #[test]
    fn triggers_need_a_type_and_an_operation() {
        let check = |text: &str| check_trigger(&object(text.as_bytes()).unwrap());
        check(r#"{"id":"t","body":"function(){}","triggerType":"pre","triggerOperation":"All"}"#).unwrap();
        assert!(check(r#"{"id":"t","body":"function(){}","triggerType":"pre"}"#).is_err());
        assert!(check(r#"{"id":"t","triggerType":"Pre","triggerOperation":"All"}"#).is_err());
        assert!(check(r#"{"id":"t","body":"","triggerType":"During","triggerOperation":"All"}"#).is_err());
    }
}
