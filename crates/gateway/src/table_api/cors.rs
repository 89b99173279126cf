//! Scripts from other origins: preflights, and the headers that let a browser show a reply to a script.

use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use orrery_table::{CorsRule, ErrorCode};

use super::catalog::TableCatalog;
use super::error::ApiError;
use super::header_names as names;
use super::reply::Reply;
use super::request::header;
use crate::listen::Response;
use crate::reply::header_text;

/// The answer to a preflight, which is not signed.
///
/// # Errors
/// 400 if it does not say what it is about, 403 if no rule allows it.
pub(crate) async fn preflight(catalog: &TableCatalog, head: &Parts) -> Result<Reply, ApiError> {
    let required = |name| {
        let given = header(head, name).filter(|value| !value.trim().is_empty());
        given.ok_or_else(|| ApiError::with_detail(ErrorCode::InvalidHeaderValue, format_args!("It is {name}.")))
    };
    let origin = required(&names::ORIGIN)?;
    let method = required(&names::ACCESS_CONTROL_REQUEST_METHOD)?;
    let wanted = header(head, &names::ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
    let headers = || wanted.split(',').map(str::trim).filter(|name| !name.is_empty());
    let rules = catalog.properties().await?.cors;
    let rule = rules.iter().find(|rule| rule.allows(origin, method, headers()));
    let rule = rule.ok_or_else(|| ApiError::new(ErrorCode::CorsPreflightFailure))?;
    let mut reply = Reply::empty(StatusCode::OK);
    allow_origin(rule, origin, &mut reply.headers);
    let mut reply = reply.text(names::ACCESS_CONTROL_ALLOW_METHODS, method);
    if !wanted.is_empty() {
        reply = reply.text(names::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
    }
    Ok(reply.header(names::ACCESS_CONTROL_MAX_AGE, rule.max_age_seconds.into()))
}

/// Adds to the reply of a request from another origin what the first rule that allows it says. Without such a rule the reply stays as
/// it is: it is the browser that keeps it from the script.
pub(crate) async fn allow(catalog: &TableCatalog, head: &Parts, response: &mut Response) {
    let Some(origin) = header(head, &names::ORIGIN).filter(|origin| !origin.trim().is_empty()) else { return };
    let Ok(properties) = catalog.properties().await else { return };
    let rule = properties.cors.iter().find(|rule| rule.allows(origin, head.method.as_str(), []));
    let Some(rule) = rule else { return };
    allow_origin(rule, origin, response.headers_mut());
    if !rule.exposed_headers.is_empty() {
        let exposed = exposed(&rule.exposed_headers, response.headers());
        response.headers_mut().insert(names::ACCESS_CONTROL_EXPOSE_HEADERS, header_text(&exposed));
    }
}

fn allow_origin(rule: &CorsRule, origin: &str, headers: &mut HeaderMap) {
    if rule.allows_any_origin() {
        headers.insert(names::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        return;
    }
    headers.insert(names::ACCESS_CONTROL_ALLOW_ORIGIN, header_text(origin));
    headers.insert(names::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    headers.insert(names::VARY, HeaderValue::from_static("Origin"));
}

/// The rule's names; those that end with a star stand for the headers of this reply that begin so.
fn exposed(rule: &[String], headers: &HeaderMap) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for pattern in rule {
        match pattern.strip_suffix('*') {
            Some(prefix) => {
                let prefix = prefix.to_ascii_lowercase();
                shown.extend(headers.keys().map(|name| name.as_str()).filter(|name| name.starts_with(&prefix)));
            }
            None => shown.push(pattern),
        }
    }
    shown.join(",")
}
