//! The JSON form of batch and bulk bodies: every SDK but .NET's.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{BatchError, BatchKind, BatchOperation, BatchResult};

/// Bytes of a result beside its etag and body, rounded up.
const RESULT_OVERHEAD_BYTES: usize = 96;

/// Reads a JSON array of operations, in order. Bodies share `body`'s memory.
///
/// # Errors
/// [`BatchError`] if the text is no array of operations or has more than `max_operations`.
pub(super) fn parse(body: &Bytes, max_operations: usize) -> Result<Vec<BatchOperation>, BatchError> {
    // Also what is skipped must be text.
    let text = std::str::from_utf8(body).map_err(|error| BatchError::Malformed { reason: error.to_string() })?;
    let list: OperationList<'_> =
        serde_json::from_str(text).map_err(|error| BatchError::Malformed { reason: error.to_string() })?;
    if list.count > max_operations || list.operations.len() > max_operations {
        return Err(BatchError::TooManyOperations { limit: max_operations });
    }
    list.operations.into_iter().zip(0..).map(|(operation, index)| operation.resolve(body, index)).collect()
}

/// Writes the results as a JSON array. Item bodies are copied as they are, never parsed.
pub(super) fn render(results: &[BatchResult]) -> Vec<u8> {
    let bodies: usize =
        results.iter().map(|result| result.body.as_ref().map_or(0, Bytes::len) + RESULT_OVERHEAD_BYTES).sum();
    let mut out = Vec::with_capacity(bodies + 2);
    out.push(b'[');
    for (index, result) in results.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        render_result(result, &mut out);
    }
    out.push(b']');
    out
}

fn render_result(result: &BatchResult, out: &mut Vec<u8>) {
    // Writing to a `Vec` cannot fail.
    let _ = write!(out, "{{\"statusCode\":{},\"requestCharge\":{}", result.status, result.charge_ru);
    if result.sub_status != 0 {
        let _ = write!(out, ",\"subStatusCode\":{}", result.sub_status);
    }
    if let Some(retry_after_ms) = result.retry_after_ms {
        let _ = write!(out, ",\"retryAfterMilliseconds\":{retry_after_ms}");
    }
    if let Some(etag) = &result.etag {
        out.extend_from_slice(b",\"eTag\":");
        write_string(etag, out);
    }
    if let Some(body) = &result.body {
        out.extend_from_slice(b",\"resourceBody\":");
        out.extend_from_slice(body);
    }
    if let Some(message) = &result.message {
        out.extend_from_slice(b",\"message\":");
        write_string(message, out);
    }
    out.push(b'}');
}

fn write_string(text: &str, out: &mut Vec<u8>) {
    // A string is always serialisable, and writing to a `Vec` cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// The operations of a body: the first [`MAX_KEPT`] of them, and how many there are.
struct OperationList<'a> {
    operations: Vec<RawOperation<'a>>,
    count: usize,
}

/// Operations that are held at once; what follows is counted and skipped, so that memory stays bounded.
const MAX_KEPT: usize = super::MAX_OPERATIONS;

impl<'de: 'a, 'a> Deserialize<'de> for OperationList<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = OperationList<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array of operations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut operations = Vec::new();
        while operations.len() < MAX_KEPT {
            match list.next_element()? {
                Some(operation) => operations.push(operation),
                None => return Ok(OperationList { count: operations.len(), operations }),
            }
        }
        let mut count = operations.len();
        while list.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(OperationList { operations, count })
    }
}

/// One operation as it stands in the body. Members that say nothing to this server are skipped; those that ask for
/// something it cannot do are named here so that they can be refused.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawOperation<'a> {
    #[serde(borrow, deserialize_with = "cow")]
    operation_type: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "optional_cow")]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "optional_cow")]
    partition_key: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "optional_cow")]
    if_match: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "optional_cow")]
    if_none_match: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "optional_cow")]
    indexing_directive: Option<Cow<'a, str>>,
    #[serde(default)]
    time_to_live_in_seconds: Option<i64>,
    #[serde(default)]
    minimal_return_preference: Option<bool>,
    #[serde(borrow, default)]
    resource_body: Option<&'a RawValue>,
}

/// Borrows a string from the body where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn cow<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, str>, D::Error> {
    Text::deserialize(deserializer).map(|text| text.0).map_err(|error| D::Error::custom(error.to_string()))
}

fn optional_cow<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    Ok(Option::<Text<'a>>::deserialize(deserializer)?.map(|text| text.0))
}

impl RawOperation<'_> {
    fn resolve(self, body: &Bytes, index: usize) -> Result<BatchOperation, BatchError> {
        let kind = BatchKind::from_name(&self.operation_type).ok_or_else(|| BatchError::UnknownOperation {
            index,
            name: self.operation_type.chars().take(40).collect(),
        })?;
        let resource_body = self.resource_body.map(RawValue::get).filter(|text| *text != "null");
        Ok(BatchOperation {
            kind,
            id: self.id.map(Cow::into_owned),
            partition_key: self.partition_key.map(Cow::into_owned),
            if_match: self.if_match.map(Cow::into_owned),
            if_none_match: self.if_none_match.map(Cow::into_owned),
            indexing_directive: self.indexing_directive.map(Cow::into_owned),
            time_to_live_in_seconds: self.time_to_live_in_seconds,
            names_internal_columns: false,
            minimal: self.minimal_return_preference.unwrap_or(false),
            body: resource_body.map(|text| body.slice_ref(text.as_bytes())),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Result<Vec<BatchOperation>, BatchError> {
        parse(&Bytes::copy_from_slice(text.as_bytes()), 100)
    }

    #[test]
    fn operations_keep_their_order_and_the_raw_text_of_their_items() {
        let text = r#"[{"operationType":"Create","resourceBody":{"id":"a", "n":1.50}},
            {"operationType":"read","id":"b\u0021","ifNoneMatch":null,"partitionKey":"[\"x\"]"},
            {"operationType":"Patch","id":"c","ifMatch":"\"e\"","resourceBody":{"operations":[]},"other":[1]}]"#;
        let operations = parsed(text).unwrap();
        assert_eq!(
            operations.iter().map(|operation| operation.kind).collect::<Vec<_>>(),
            [BatchKind::Create, BatchKind::Read, BatchKind::Patch]
        );
        assert_eq!(operations[0].body.as_deref(), Some(br#"{"id":"a", "n":1.50}"#.as_slice()));
        assert_eq!(operations[1].id.as_deref(), Some("b!"));
        assert_eq!(operations[1].partition_key.as_deref(), Some(r#"["x"]"#));
        assert_eq!(operations[1].if_none_match, None);
        assert_eq!(operations[2].if_match.as_deref(), Some("\"e\""));
    }

    #[test]
    fn what_is_no_batch_is_refused() {
        assert!(matches!(parsed("{}"), Err(BatchError::Malformed { .. })));
        assert!(matches!(parsed("[1]"), Err(BatchError::Malformed { .. })));
        assert!(matches!(parsed(r#"[{"operationType":"Create"}"#), Err(BatchError::Malformed { .. })));
        assert!(matches!(
            parsed(r#"[{"operationType":"Create"},{"operationType":"Execute"}]"#),
            Err(BatchError::UnknownOperation { index: 1, .. })
        ));
        let many = format!("[{}]", vec![r#"{"operationType":"Read","id":"a"}"#; 101].join(","));
        assert!(matches!(parsed(&many), Err(BatchError::TooManyOperations { limit: 100 })));
        let hundred = format!("[{}]", vec![r#"{"operationType":"Read","id":"a"}"#; 100].join(","));
        assert_eq!(parsed(&hundred).unwrap().len(), 100);
        assert_eq!(parsed("[]").unwrap().len(), 0);
    }

    #[test]
    fn a_skipped_member_that_is_not_text_is_refused() {
        let body = Bytes::from_static(b"[{\"operationType\":\"Read\",\"id\":\"a\",\"other\":{\"\x81\":0}}]");
        assert!(matches!(parse(&body, 100), Err(BatchError::Malformed { .. })));
    }

    #[test]
    fn results_are_rendered_with_the_items_raw_bytes() {
        let results = [
            BatchResult {
                status: 201,
                etag: Some("\"e-1\"".into()),
                body: Some(Bytes::from_static(br#"{"n": 1.50}"#)),
                charge_ru: 6.29,
                ..BatchResult::default()
            },
            BatchResult {
                status: 400,
                sub_status: 1001,
                message: Some("no \"key\"".into()),
                charge_ru: 0.0,
                ..BatchResult::default()
            },
            BatchResult { status: 429, retry_after_ms: Some(12), charge_ru: 0.38, ..BatchResult::default() },
        ];
        let text = String::from_utf8(render(&results)).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"[{"statusCode":201,"requestCharge":6.29,"eTag":"\"e-1\"","resourceBody":{"n": 1.50}},"#,
                r#"{"statusCode":400,"requestCharge":0,"subStatusCode":1001,"message":"no \"key\""},"#,
                r#"{"statusCode":429,"requestCharge":0.38,"retryAfterMilliseconds":12}]"#
            )
        );
        assert_eq!(render(&[]), b"[]");
    }

    /// Texts that look like batches: valid ones with a piece cut out or exchanged.
    fn near_batches() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "null",
            "true",
            "-1",
            "1e999",
            "\"operationType\"",
            "\"Create\"",
            "\"Patch\"",
            "\"id\"",
            "\"resourceBody\"",
            "\"partitionKey\"",
            "\"[\\\"x\\\"]\"",
            "\"\\ud800\"",
            "\"ifMatch\"",
            "\"minimalReturnPreference\"",
            " ",
            "é",
        ]);
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn parsing_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&Bytes::from(bytes), 3);
        }

        #[test]
        fn parsing_what_resembles_a_batch_never_panics(text in near_batches()) {
            let _ = parsed(&text);
        }

        #[test]
        fn any_number_of_results_is_valid_json(statuses in prop::collection::vec(200u16..600, 0..20), text in ".*") {
            let results: Vec<_> = statuses
                .iter()
                .map(|status| BatchResult { status: *status, etag: Some(text.clone()), message: Some(text.clone()), charge_ru: 1.25, ..BatchResult::default() })
                .collect();
            let parsed: serde_json::Value = serde_json::from_slice(&render(&results)).unwrap();
            prop_assert_eq!(parsed.as_array().map(Vec::len), Some(results.len()));
            for (index, result) in results.iter().enumerate() {
                prop_assert_eq!(parsed[index]["statusCode"].as_u64(), Some(u64::from(result.status)));
                prop_assert_eq!(parsed[index]["eTag"].as_str(), Some(text.as_str()));
            }
        }
    }
}
