//! What every answer carries around its results: ids, the service's figures, and the bytes of a frame.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use orrery_gremlin::io::{Format, MAX_MESSAGE_BYTES, Named, Response};
use orrery_gremlin::value::GValue;
use uuid::Uuid;

use super::fault::{Fault, RETRY_AFTER, Source};

/// How a client spoke, and is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Voice {
    pub format: Format,
    /// A text frame instead of a binary one.
    pub is_text: bool,
}

impl Voice {
    /// For requests whose format is not known.
    pub const PLAIN: Voice = Voice { format: Format::GraphSon2Untyped, is_text: false };

    /// Whether only clients of the service speak so.
    fn is_of_service(self) -> bool {
        matches!(self.format, Format::GraphSon1 | Format::GraphSon2Untyped)
    }
}

/// An answer as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub bytes: Bytes,
    pub is_text: bool,
    pub code: u16,
    pub service_code: i32,
}

/// The facts of one request that its answers repeat.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    pub request_id: Option<Uuid>,
    pub voice: Voice,
    pub activity_id: Uuid,
    /// Where the client is, as official servers say it.
    pub host: Arc<str>,
    pub source: Source,
    /// What the request has cost so far.
    pub charge_ru: f64,
    /// Physical partitions that it looked at, counted once for each look-up.
    pub partitions: u64,
    answered_ru: f64,
    began: Instant,
    answered: Instant,
}

impl Envelope {
    pub fn new(request_id: Option<Uuid>, voice: Voice, host: Arc<str>) -> Envelope {
        let now = Instant::now();
        Envelope {
            request_id,
            voice,
            activity_id: crate::activity_id::new(),
            host,
            source: Source::Text,
            charge_ru: 0.0,
            partitions: 0,
            answered_ru: 0.0,
            began: now,
            answered: now,
        }
    }

    /// Since the request came.
    pub fn elapsed(&self) -> std::time::Duration {
        self.began.elapsed()
    }

    /// Asks who is there.
    pub fn challenge(&self) -> Outgoing {
        let response = Response {
            request_id: self.request_id,
            code: 407,
            message: String::new(),
            attributes: Named::default(),
            data: None,
            meta: Named::default(),
        };
        self.encode(&response, 401).unwrap_or_else(|fault| self.last_resort(&fault))
    }

    /// Results, in as many messages as their length needs; `code` is that of the last one.
    ///
    /// # Errors
    /// If a result has no form in the client's format, or is too long for a message alone.
    pub fn results(&mut self, code: u16, data: Vec<GValue>) -> Result<Vec<Outgoing>, Fault> {
        let mut messages = Vec::new();
        self.push_results(code, data, &mut messages)?;
        Ok(messages)
    }

    fn push_results(&mut self, code: u16, data: Vec<GValue>, messages: &mut Vec<Outgoing>) -> Result<(), Fault> {
        let response = self.response(code, String::new(), 200, Some(data));
        let message = self.encode(&response, 200)?;
        let mut data = response.data.unwrap_or_default();
        if message.bytes.len() <= MAX_MESSAGE_BYTES {
            messages.push(message);
            return Ok(());
        }
        if data.len() < 2 {
            let message = format!(
                "a result of {} bytes is longer than the {MAX_MESSAGE_BYTES} of a message",
                message.bytes.len()
            );
            return Err(Fault::TooMuch { message });
        }
        let second = data.split_off(data.len() / 2);
        self.push_results(206, data, messages)?;
        self.push_results(code, second, messages)
    }

    /// A failure, which ends the request.
    pub fn failure(&mut self, fault: &Fault) -> Outgoing {
        let status = fault.status(self.source);
        let message = fault.message_for(self.voice.is_of_service(), self.request_id, self.activity_id, self.source);
        let mut response = self.response(status.code, message, status.service_code, None);
        let text = fault.message();
        let attributes = &mut response.attributes;
        attributes.insert("exceptions".into(), GValue::list([status.class.into()]));
        attributes.insert("stackTrace".into(), format!("{}: {text}", status.class).as_str().into());
        if let Fault::Run(orrery_gremlin::run::RunError::Fail { message }) = fault {
            attributes.insert("failStepMessage".into(), message.as_str().into());
        }
        if *fault == Fault::TooManyRequests {
            let wait = format!("00:00:{:010.7}", RETRY_AFTER.as_secs_f64());
            attributes.insert("x-ms-retry-after-ms".into(), wait.as_str().into());
        }
        self.encode(&response, status.service_code).unwrap_or_else(|fault| self.last_resort(&fault))
    }

    fn response(&mut self, code: u16, message: String, service_code: i32, data: Option<Vec<GValue>>) -> Response {
        let now = Instant::now();
        let ms = |since: Instant| (now - since).as_secs_f64() * 1e3;
        let figures: [(&str, GValue); 8] = [
            ("x-ms-status-code", service_code.into()),
            ("x-ms-request-charge", rounded(self.charge_ru - self.answered_ru)),
            ("x-ms-total-request-charge", rounded(self.charge_ru)),
            ("x-ms-server-time-ms", rounded(ms(self.answered))),
            ("x-ms-total-server-time-ms", rounded(ms(self.began))),
            ("x-ms-activity-id", self.activity_id.to_string().as_str().into()),
            // No client of the service looks for this one.
            ("x-orrery-partitions", i64::try_from(self.partitions).unwrap_or(i64::MAX).into()),
            ("host", GValue::String(self.host.clone())),
        ];
        (self.answered, self.answered_ru) = (now, self.charge_ru);
        let attributes = figures.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Response { request_id: self.request_id, code, message, attributes, data, meta: Named::default() }
    }

    fn encode(&self, response: &Response, service_code: i32) -> Result<Outgoing, Fault> {
        let mut bytes = Vec::new();
        response.write(self.voice.format, &mut bytes)?;
        Ok(Outgoing { bytes: bytes.into(), is_text: self.voice.is_text, code: response.code, service_code })
    }

    /// Says something even if the answer cannot be written, which takes a message beyond the format's lengths.
    fn last_resort(&self, fault: &Fault) -> Outgoing {
        let id = self.request_id.map_or_else(|| "null".to_owned(), |id| format!("\"{id}\""));
        let text = format!(
            "{{\"requestId\":{id},\"status\":{{\"message\":{},\"code\":599,\"attributes\":{{}}}},\"result\":{{\"data\":null,\"meta\":{{}}}}}}",
            serde_json::Value::from(fault.message())
        );
        Outgoing { bytes: text.into(), is_text: self.voice.is_text, code: 599, service_code: 1001 }
    }
}

/// Figures with as many digits as the service gives them.
fn rounded(figure: f64) -> GValue {
    GValue::Double((figure.max(0.0) * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(format: Format) -> Envelope {
        Envelope::new(Some(Uuid::nil()), Voice { format, is_text: false }, "/127.0.0.1:1".into())
    }

    fn read(format: Format, message: &Outgoing) -> Response {
        Response::read(format, &message.bytes).unwrap()
    }

    #[test]
    fn charges_are_given_for_the_message_and_in_total() {
        let mut envelope = envelope(Format::GraphSon3);
        envelope.charge_ru = 2.5;
        envelope.results(206, vec![1.into()]).unwrap();
        envelope.charge_ru = 4.0;
        let last = envelope.results(200, vec![2.into()]).unwrap();
        let last = read(Format::GraphSon3, &last[0]);
        assert_eq!(last.attributes["x-ms-request-charge"], GValue::Double(1.5));
        assert_eq!(last.attributes["x-ms-total-request-charge"], GValue::Double(4.0));
        assert_eq!(last.attributes["x-ms-status-code"], GValue::Int(200));
    }

    #[test]
    fn results_too_long_for_a_message_are_cut_into_several() {
        let long = GValue::from("x".repeat(4 * 1024 * 1024).as_str());
        let messages = envelope(Format::GraphBinary).results(200, vec![long; 4]).unwrap();
        let codes: Vec<u16> = messages.iter().map(|message| message.code).collect();
        assert_eq!(codes, [206, 200]);
        assert_eq!(read(Format::GraphBinary, &messages[1]).data.map(|data| data.len()), Some(2));
        let longer = GValue::from("x".repeat(MAX_MESSAGE_BYTES).as_str());
        assert!(matches!(envelope(Format::GraphBinary).results(200, vec![longer]), Err(Fault::TooMuch { .. })));
    }

    #[test]
    fn failures_say_in_each_format_what_its_clients_look_for() {
        let fault = Fault::Run(orrery_gremlin::run::RunError::Fail { message: "so not".into() });
        let typed = read(Format::GraphBinary, &envelope(Format::GraphBinary).failure(&fault));
        assert_eq!((typed.code, typed.message.as_str()), (595, "so not"));
        assert_eq!(typed.attributes["failStepMessage"], "so not".into());
        assert!(typed.attributes.contains_key("exceptions") && typed.attributes.contains_key("stackTrace"));
        let untyped = read(Format::GraphSon2Untyped, &envelope(Format::GraphSon2Untyped).failure(&fault));
        assert!(untyped.message.contains("\tGremlin Query Execution Error: so not\n"), "{}", untyped.message);
        let busy = read(Format::GraphSon1, &envelope(Format::GraphSon1).failure(&Fault::TooManyRequests));
        assert_eq!(busy.attributes["x-ms-retry-after-ms"], "00:00:00.1000000".into());
    }

    #[test]
    fn a_challenge_has_no_data() {
        let challenge = read(Format::GraphSon3, &envelope(Format::GraphSon3).challenge());
        assert_eq!((challenge.code, challenge.data, challenge.attributes.len()), (407, None, 0));
    }
}
