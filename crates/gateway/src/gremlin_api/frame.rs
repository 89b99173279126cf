//! A WebSocket message as a request.

use orrery_gremlin::io::{DecodeError, Format, Request};
use tokio_tungstenite::tungstenite::Message;

use super::envelope::Voice;
use super::fault::Fault;

/// What a message is.
#[derive(Debug)]
pub(super) enum Received {
    /// A request, how it was spoken, and its length in bytes.
    Request(Request, Voice, usize),
    /// Bytes that are none.
    Malformed(Fault, Voice),
    /// Something of the WebSocket itself.
    Control,
}

/// Reads a message.
pub(super) fn read(message: &Message) -> Received {
    let (read, voice, size_bytes) = match message {
        Message::Text(text) => {
            let voice = Voice { is_text: true, ..Voice::PLAIN };
            (Request::read(voice.format, text.as_bytes()), voice, text.len())
        }
        Message::Binary(frame) => match split(frame) {
            Ok((format, body)) => (Request::read(format, body), Voice { format, is_text: false }, frame.len()),
            Err(error) => (Err(error), Voice::PLAIN, frame.len()),
        },
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => return Received::Control,
    };
    match read {
        Ok(request) => Received::Request(request, voice, size_bytes),
        Err(error) => Received::Malformed(error.into(), voice),
    }
}

/// A binary frame names its format first, except that some clients send JSON alone.
fn split(frame: &[u8]) -> Result<(Format, &[u8]), DecodeError> {
    match frame.first() {
        Some(b'{') => Ok((Voice::PLAIN.format, frame)),
        _ => Format::split_frame(frame),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str =
        r#"{"requestId":"41d2e28a-20a4-4ab0-b379-d810dede3786","op":"eval","processor":"","args":{"gremlin":"g.V()"}}"#;

    fn voice(message: Message) -> Voice {
        match read(&message) {
            Received::Request(_, voice, _) => voice,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn requests_are_read_in_the_format_that_their_frame_names() {
        for mime in ["application/json", "application/vnd.gremlin-v3.0+json"] {
            let mut frame = vec![mime.len() as u8];
            frame.extend_from_slice(mime.as_bytes());
            frame.extend_from_slice(BODY.as_bytes());
            let voice = voice(Message::binary(frame));
            assert_eq!((Some(voice.format), voice.is_text), (Format::from_mime(mime), false));
        }
        assert_eq!(voice(Message::text(BODY)), Voice { is_text: true, ..Voice::PLAIN });
        assert_eq!(voice(Message::binary(BODY)), Voice::PLAIN);
    }

    #[test]
    fn what_is_no_request_is_malformed() {
        for frame in [&b""[..], b"\x21", b"\x04text{}", b"{", b"\x10application/json{}"] {
            let message = Message::binary(frame.to_vec());
            assert!(matches!(read(&message), Received::Malformed(Fault::Malformed { .. }, _)), "{frame:?}");
        }
        assert!(matches!(read(&Message::Ping(Default::default())), Received::Control));
    }
}
