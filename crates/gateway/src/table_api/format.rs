//! What a client wants back, and in which form.

use std::borrow::Cow;

use orrery_table::{Error, ErrorCode, MetadataLevel};

/// The level of metadata that `$format` or else `Accept` asks for. Without either it is the least that clients of a type need.
///
/// # Errors
/// 415 for forms that this service does not have.
pub(crate) fn metadata_level(format: Option<&str>, accept: Option<&str>) -> Result<MetadataLevel, Error> {
    let wanted = format.filter(|format| !format.trim().is_empty()).or(accept).unwrap_or_default();
    if wanted.trim().is_empty() {
        return Ok(MetadataLevel::Minimal);
    }
    let mut refusal = ErrorCode::MediaTypeNotSupported;
    for media_type in wanted.split(',') {
        match level_of(media_type) {
            Ok(level) => return Ok(level),
            Err(ErrorCode::MediaTypeNotSupported) => {}
            Err(code) => refusal = code,
        }
    }
    Err(Error::new(refusal))
}

fn level_of(media_type: &str) -> Result<MetadataLevel, ErrorCode> {
    let is_plain = media_type.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
    let compact: Cow<'_, str> = match is_plain {
        true => media_type.into(),
        false => media_type.split_whitespace().collect::<String>().to_ascii_lowercase().into(),
    };
    let mut parts = compact.split(';');
    match parts.next().unwrap_or_default() {
        "application/json" | "*/*" | "application/*" | "json" => {}
        "application/atom+xml" | "atom" => return Err(ErrorCode::AtomFormatNotSupported),
        _ => return Err(ErrorCode::MediaTypeNotSupported),
    }
    match parts.find_map(|part| part.strip_prefix("odata=")) {
        None | Some("minimalmetadata") => Ok(MetadataLevel::Minimal),
        Some("nometadata") => Ok(MetadataLevel::None),
        Some("fullmetadata") => Ok(MetadataLevel::Full),
        Some("verbose") => Err(ErrorCode::JsonVerboseFormatNotSupported),
        Some(_) => Err(ErrorCode::MediaTypeNotSupported),
    }
}

/// Whether a client that accepts this reads errors as JSON; others get XML.
pub(crate) fn reads_json(accept: Option<&str>) -> bool {
    let accept = accept.unwrap_or_default();
    accept.trim().is_empty() || accept.contains("json") || accept.contains("*/*")
}

/// The media type of a body at a level of metadata.
pub(crate) fn content_type(level: MetadataLevel) -> &'static str {
    match level {
        MetadataLevel::None => "application/json;odata=nometadata;streaming=true;charset=utf-8",
        MetadataLevel::Minimal => "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
        MetadataLevel::Full => "application/json;odata=fullmetadata;streaming=true;charset=utf-8",
    }
}

/// Whether an insert repeats what it stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    /// It does, as nothing else was asked for.
    Default,
    /// It does, as asked for.
    Content,
    /// It does not.
    None,
}

impl Echo {
    /// Reads a `Prefer` header; wishes that are unknown are none.
    pub fn of(prefer: Option<&str>) -> Self {
        match prefer.map(str::trim) {
            Some(wish) if wish.eq_ignore_ascii_case("return-no-content") => Echo::None,
            Some(wish) if wish.eq_ignore_ascii_case("return-content") => Echo::Content,
            _ => Echo::Default,
        }
    }

    /// What the reply says about the wish: nothing unless there was one.
    pub fn applied(self) -> Option<&'static str> {
        match self {
            Echo::Default => None,
            Echo::Content => Some("return-content"),
            Echo::None => Some("return-no-content"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_taken_from_format_or_accept() {
        let level = |format, accept| metadata_level(format, accept).map_err(|error| error.code);
        assert_eq!(level(None, None), Ok(MetadataLevel::Minimal));
        assert_eq!(level(None, Some("*/*")), Ok(MetadataLevel::Minimal));
        assert_eq!(level(None, Some("application/json")), Ok(MetadataLevel::Minimal));
        assert_eq!(level(None, Some("application/json; odata = nometadata")), Ok(MetadataLevel::None));
        assert_eq!(level(None, Some("text/html, application/json;odata=fullmetadata")), Ok(MetadataLevel::Full));
        assert_eq!(
            level(Some("application/json;odata=nometadata"), Some("application/json;odata=fullmetadata")),
            Ok(MetadataLevel::None)
        );
        assert_eq!(level(None, Some("application/atom+xml,text/html")), Err(ErrorCode::AtomFormatNotSupported));
        assert_eq!(level(None, Some("application/json;odata=verbose")), Err(ErrorCode::JsonVerboseFormatNotSupported));
        assert_eq!(level(None, Some("image/png")), Err(ErrorCode::MediaTypeNotSupported));
    }

    #[test]
    fn a_preference_is_confirmed_only_if_there_was_one() {
        assert_eq!(Echo::of(None).applied(), None);
        assert_eq!(Echo::of(Some("return-no-content")), Echo::None);
        assert_eq!(Echo::of(Some("Return-Content")).applied(), Some("return-content"));
        assert_eq!(Echo::of(Some("respond-async")), Echo::Default);
    }
}
