//! Headers that ask for something this server does not do: refused by name, so that nothing is silently left undone.

use crate::sql_api::error::ApiError;
use crate::sql_api::header_names as names;
use crate::sql_api::request::RequestContext;
use crate::sql_api::scripts;

/// Checks the headers of an operation on items.
///
/// # Errors
/// 400 naming the header and what it asks for.
pub(super) fn check(cx: &RequestContext<'_>) -> Result<(), ApiError> {
    if !cx.has_any(&[&names::PRE_TRIGGER_INCLUDE, &names::POST_TRIGGER_INCLUDE, &names::INDEXING_DIRECTIVE]) {
        return Ok(());
    }
    scripts::refuse_triggers(cx)?;
    match cx.text(&names::INDEXING_DIRECTIVE)? {
        Some(directive) => check_indexing_directive(directive).map_err(ApiError::bad_request),
        None => Ok(()),
    }
}

/// Checks an indexing directive, given by name or by the number that some clients send in its place.
pub(super) fn check_indexing_directive(directive: &str) -> Result<(), String> {
    let is = |known: &&str| directive.eq_ignore_ascii_case(known);
    if ["Default", "Include", "0", "2"].iter().any(is) {
        Ok(())
    } else if ["Exclude", "1"].iter().any(is) {
        Err("The indexing directive 'Exclude' is not supported: whether items are indexed is for the container's indexing policy to say".into())
    } else {
        Err(format!(
            "The indexing directive '{}' is not one of Default, Include and Exclude",
            directive.chars().take(40).collect::<String>()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directives_that_change_nothing_are_accepted() {
        for directive in ["Default", "include", "0", "2"] {
            assert_eq!(check_indexing_directive(directive), Ok(()));
        }
        for directive in ["Exclude", "exclude", "1"] {
            assert!(check_indexing_directive(directive).unwrap_err().contains("not supported"), "{directive}");
        }
        assert!(check_indexing_directive("Sometimes").unwrap_err().contains("'Sometimes'"));
    }
}
