//! Throughput as requests state it: in headers at creation, in an offer's content later.

use orrery_engine::{AUTOSCALE_MIN_RU, JsonMap, MANUAL_MIN_RU, Offer, Throughput};
use serde_json::Value as Json;

use super::error::ApiError;
use super::header_names as names;
use super::json_body::invalid;
use super::request::RequestContext;

/// Autoscale goes down to this part of its maximum, which an autoscale offer shows as its manual amount.
const AUTOSCALE_RATIO: u32 = 10;

/// The throughput that a database or container is created with, if its headers name any.
///
/// # Errors
/// 400 for a wrong amount, and for manual and autoscale at once.
pub(crate) fn from_headers(cx: &RequestContext<'_>) -> Result<Option<Throughput>, ApiError> {
    let manual = cx.integer(&names::OFFER_THROUGHPUT)?;
    let autoscale = cx.text(&names::OFFER_AUTOPILOT_SETTINGS)?;
    match (manual, autoscale) {
        (Some(_), Some(_)) => Err(invalid("manual and autoscale throughput cannot be given at once")),
        (Some(ru), None) => self::manual(ru).map(Some),
        (None, Some(text)) => {
            let settings: Json = serde_json::from_str(text).map_err(|error| {
                invalid(&format!("the header '{}' is not JSON: {error}", names::OFFER_AUTOPILOT_SETTINGS))
            })?;
            autoscale_of(&settings).map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// The throughput that an offer is to have. Clients turn manual into autoscale and back by a header; where the body does not
/// state the new amount then, it follows from the current one.
///
/// # Errors
/// 400 for a wrong amount, or for a body that belongs to another offer.
pub(crate) fn of_replacement(
    cx: &RequestContext<'_>,
    current: &Offer,
    definition: &JsonMap,
) -> Result<Throughput, ApiError> {
    let other = definition.get("_rid").or_else(|| definition.get("id")).and_then(Json::as_str);
    if other.is_some_and(|other| other != current.rid()) {
        return Err(invalid("the offer in the body is not the one in the path"));
    }
    let content = definition.get("content").ok_or_else(|| invalid("an offer needs 'content'"))?;
    let settings = content.get("offerAutopilotSettings").filter(|settings| !settings.is_null());
    let current = current.throughput();
    match settings {
        Some(settings) if cx.flag(&names::MIGRATE_TO_MANUAL) => manual(whole_number(settings, "maxThroughput")?),
        Some(settings) => {
            refuse_ignored_manual(current, content)?;
            autoscale_of(settings)
        }
        None if cx.flag(&names::MIGRATE_TO_AUTOSCALE) => autoscale(least_autoscale(current), None),
        None => manual(whole_number(content, "offerThroughput")?),
    }
}

/// The autoscale maximum that serves at least as much as `current`.
fn least_autoscale(current: Throughput) -> i64 {
    i64::from(current.max_ru().max(AUTOSCALE_MIN_RU).next_multiple_of(AUTOSCALE_MIN_RU))
}

/// An autoscale offer sent back with another manual amount would otherwise succeed without the change.
fn refuse_ignored_manual(current: Throughput, content: &Json) -> Result<(), ApiError> {
    let Throughput::Autoscale { max_ru, .. } = current else { return Ok(()) };
    let given = content.get("offerThroughput").and_then(Json::as_u64);
    match given {
        Some(ru) if ru != u64::from(max_ru / AUTOSCALE_RATIO) && ru != u64::from(max_ru) => Err(invalid(&format!(
            "the offer is on autoscale, so that 'offerThroughput' cannot change: change 'offerAutopilotSettings', or send the header '{}'",
            names::MIGRATE_TO_MANUAL
        ))),
        Some(_) | None => Ok(()),
    }
}

fn autoscale_of(settings: &Json) -> Result<Throughput, ApiError> {
    let percent = settings.pointer("/autoUpgradePolicy/throughputPolicy/incrementPercent").and_then(Json::as_u64);
    autoscale(whole_number(settings, "maxThroughput")?, percent)
}

fn autoscale(max_ru: i64, increment_percent: Option<u64>) -> Result<Throughput, ApiError> {
    let percent = match increment_percent.map(u32::try_from) {
        None => None,
        Some(Ok(percent)) => Some(percent),
        Some(Err(_)) => return Err(invalid("'incrementPercent' is too large")),
    };
    Ok(Throughput::autoscale(at_least(max_ru, AUTOSCALE_MIN_RU)?, percent)?)
}

fn manual(ru: i64) -> Result<Throughput, ApiError> {
    Ok(Throughput::manual(at_least(ru, MANUAL_MIN_RU)?)?)
}

fn whole_number(from: &Json, name: &str) -> Result<i64, ApiError> {
    let number = from.get(name).and_then(Json::as_i64);
    number.ok_or_else(|| invalid(&format!("'{name}' must be a whole number of RU/s")))
}

/// The service's words, which its clients' tests look for.
fn at_least(ru: i64, least: u32) -> Result<u64, ApiError> {
    match u64::try_from(ru) {
        Ok(ru) if ru >= u64::from(least) => Ok(ru),
        _ => Err(ApiError::bad_request(format!(
            "Requested throughput {ru} is less than required minimum throughput {least}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn amounts_are_checked_in_the_services_words() {
        assert_eq!(manual(500).unwrap(), Throughput::Manual(500));
        let settings =
            json!({"maxThroughput": 5000, "autoUpgradePolicy": {"throughputPolicy": {"incrementPercent": 2}}});
        assert_eq!(
            autoscale_of(&settings).unwrap(),
            Throughput::Autoscale { max_ru: 5000, increment_percent: Some(2) }
        );
        let error = autoscale_of(&json!({"maxThroughput": -200})).unwrap_err();
        assert!(error.reason().contains("Requested throughput -200 is less than required minimum throughput 1000"));
        for wrong in
            [manual(399), manual(450), manual(i64::MAX), autoscale(1500, None), autoscale(1000, Some(u64::MAX))]
        {
            assert_eq!(wrong.unwrap_err().status.as_u16(), 400);
        }
        assert!(autoscale_of(&json!({"maxThroughput": "1000"})).is_err());
    }
}
