//! Provisioned throughput.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{JsonMap, RU_PER_PARTITION};
use crate::Error;
use crate::item::etag;

/// Least manual throughput, and the step it grows by 100 from.
pub const MANUAL_MIN_RU: u32 = 400;
/// Least autoscale maximum, and its step.
pub const AUTOSCALE_MIN_RU: u32 = 1_000;
/// Most throughput of one resource.
pub const MAX_RU: u32 = 10_000_000;

/// How much throughput is provisioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Throughput {
    /// A fixed number of RU/s.
    Manual(u32),
    /// Between a tenth of the maximum and the maximum.
    Autoscale {
        /// RU/s at the most.
        max_ru: u32,
        /// By how many percent the maximum grows with the data, if it does.
        increment_percent: Option<u32>,
    },
}

impl Throughput {
    /// Manual throughput.
    ///
    /// # Errors
    /// [`Error::Invalid`] below 400 RU/s, above ten million, or not in hundreds.
    pub fn manual(ru: u64) -> Result<Self, Error> {
        check(ru, MANUAL_MIN_RU, 100, "offer throughput")?;
        Ok(Throughput::Manual(ru as u32))
    }

    /// Autoscale throughput.
    ///
    /// # Errors
    /// [`Error::Invalid`] below 1000 RU/s, above ten million, or not in thousands.
    pub fn autoscale(max_ru: u64, increment_percent: Option<u32>) -> Result<Self, Error> {
        check(max_ru, AUTOSCALE_MIN_RU, 1_000, "autoscale maximum throughput")?;
        Ok(Throughput::Autoscale { max_ru: max_ru as u32, increment_percent })
    }

    /// RU/s that must be servable.
    pub fn max_ru(self) -> u32 {
        match self {
            Throughput::Manual(ru) | Throughput::Autoscale { max_ru: ru, .. } => ru,
        }
    }

    /// Physical partitions that this takes at creation.
    pub fn partitions(self) -> usize {
        (self.max_ru().div_ceil(RU_PER_PARTITION) as usize).max(1)
    }

    /// The `content` of an offer as clients see it.
    fn to_json(self) -> Json {
        match self {
            Throughput::Manual(ru) => json!({"offerThroughput": ru, "offerIsRUPerMinuteThroughputEnabled": false,
                "offerMinimumThroughputParameters": {"maxThroughputEverProvisioned": ru, "maxConsumedStorageEverInKB": 0}}),
            Throughput::Autoscale { max_ru, increment_percent } => {
                let mut settings = json!({"maxThroughput": max_ru});
                if let Some(percent) = increment_percent {
                    settings["autoUpgradePolicy"] = json!({"throughputPolicy": {"incrementPercent": percent}});
                }
                json!({"offerThroughput": max_ru / 10, "offerIsRUPerMinuteThroughputEnabled": false, "offerAutopilotSettings": settings})
            }
        }
    }

    /// Reads the `content` of an offer that a client sent back changed.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it names no throughput or a wrong one.
    pub fn from_offer_content(content: &Json) -> Result<Self, Error> {
        if let Some(settings) = content.get("offerAutopilotSettings").filter(|v| !v.is_null()) {
            return Throughput::from_autopilot_settings(settings);
        }
        let ru = content.get("offerThroughput").and_then(Json::as_u64);
        Throughput::manual(
            ru.ok_or_else(|| Error::invalid("the offer's content needs 'offerThroughput', a whole number of RU/s"))?,
        )
    }

    /// Reads `{"maxThroughput":4000,"autoUpgradePolicy":{"throughputPolicy":{"incrementPercent":1}}}`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it has no valid maximum.
    pub fn from_autopilot_settings(settings: &Json) -> Result<Self, Error> {
        let max = settings.get("maxThroughput").and_then(Json::as_u64);
        let max =
            max.ok_or_else(|| Error::invalid("autoscale settings need 'maxThroughput', a whole number of RU/s"))?;
        let percent = settings.pointer("/autoUpgradePolicy/throughputPolicy/incrementPercent").and_then(Json::as_u64);
        Throughput::autoscale(max, percent.and_then(|percent| u32::try_from(percent).ok()))
    }
}

fn check(ru: u64, least: u32, step: u32, what: &str) -> Result<(), Error> {
    let fits = (u64::from(least)..=u64::from(MAX_RU)).contains(&ru) && ru.is_multiple_of(u64::from(step));
    if fits {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "The {what} {ru} is invalid: it must be from {least} to {MAX_RU} RU/s in steps of {step}"
    )))
}

/// The throughput of one database or container, as a resource of its own.
#[derive(Clone, Debug)]
pub struct Offer {
    record: OfferRecord,
}

/// An offer as the catalog stores it, under `o` and the number of its owner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OfferRecord {
    /// Number of the database or container.
    pub owner: u32,
    pub owner_rid: String,
    pub owner_link: String,
    pub throughput: Throughput,
    pub version: u64,
    pub ts: u64,
}

impl OfferRecord {
    pub fn key(&self) -> Vec<u8> {
        [b"o".as_slice(), &self.owner.to_be_bytes()].concat()
    }
}

impl Offer {
    pub(crate) fn new(record: OfferRecord) -> Self {
        Offer { record }
    }

    pub(crate) fn record(&self) -> &OfferRecord {
        &self.record
    }

    /// The offer's own id and rid: its owner's number in base 62, at least four characters.
    pub fn rid(&self) -> String {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut rest = self.record.owner;
        let mut rid = String::new();
        while rest > 0 || rid.len() < 4 {
            rid.insert(0, char::from(DIGITS[rest as usize % DIGITS.len()]));
            rest /= DIGITS.len() as u32;
        }
        rid
    }

    /// Link of the resource whose throughput this is.
    pub fn resource_link(&self) -> &str {
        &self.record.owner_link
    }

    /// Rid of that resource.
    pub fn resource_rid(&self) -> &str {
        &self.record.owner_rid
    }

    /// How much is provisioned.
    pub fn throughput(&self) -> Throughput {
        self.record.throughput
    }

    /// The entity tag, without quotes.
    pub fn etag(&self) -> String {
        etag::format(self.record.version << 32 | u64::from(self.record.owner), self.record.ts)
    }

    /// The resource as clients see it.
    pub fn to_json(&self) -> JsonMap {
        let rid = self.rid();
        let body = json!({
            "resource": self.record.owner_link,
            "offerType": "Invalid",
            "offerResourceId": self.record.owner_rid,
            "offerVersion": "V2",
            "content": self.record.throughput.to_json(),
            "id": rid,
            "_rid": rid,
            "_self": format!("offers/{rid}/"),
            "_etag": format!("\"{}\"", self.etag()),
            "_ts": self.record.ts,
        });
        match body {
            Json::Object(body) => body,
            _ => JsonMap::new(),
        }
    }
}
