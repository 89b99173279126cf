//! Full texts in a container's definition: which paths hold them, in which language, and which are indexed.

use serde_json::Value as Json;

use super::JsonMap;
use super::settings::wrong;
use crate::Error;

/// Languages that the service knows.
const LANGUAGES: [&str; 7] = ["en-US", "de-DE", "es-ES", "fr-FR", "it-IT", "pt-BR", "pt-PT"];

/// Checks the paths and languages of a definition's full texts. The words are the service's, which its clients' tests look for.
///
/// # Errors
/// [`Error::Invalid`] naming what is wrong.
pub(super) fn check(body: &JsonMap) -> Result<(), Error> {
    let Some(policy) = body.get("fullTextPolicy") else { return Ok(()) };
    check_language(&policy["defaultLanguage"])?;
    let paths = match &policy["fullTextPaths"] {
        Json::Null => return Ok(()),
        Json::Array(paths) => paths,
        _ => return Err(wrong("'fullTextPaths' must be an array")),
    };
    for entry in paths {
        let path = &entry["path"];
        if !path.as_str().is_some_and(|path| path.len() > 1 && path.starts_with('/')) {
            let path = path.as_str().map_or_else(|| path.to_string(), str::to_owned);
            return Err(wrong(&format!("The Full Text Policy contains an invalid Path: {path}.")));
        }
        check_language(&entry["language"])?;
    }
    Ok(())
}

/// A path without a language has the default one, which is English if none is named.
fn check_language(language: &Json) -> Result<(), Error> {
    let is_known = |given: &str| LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(given));
    if language.is_null() || language.as_str().is_some_and(is_known) {
        return Ok(());
    }
    Err(wrong(&format!(
        "The Full Text Policy contains an unsupported language {language}; known are {}.",
        LANGUAGES.join(", ")
    )))
}
