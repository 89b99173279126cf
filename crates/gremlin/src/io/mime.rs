//! Formats by the names that clients give them, and the frame that carries a name before a message.

use super::DecodeError;

/// How a client wants to be spoken to. Answers use the format of their request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// GraphSON 1. Only the untyped form: the service knows no other, and its typed form names Java classes.
    GraphSon1,
    /// GraphSON 2 with types.
    GraphSon2,
    /// GraphSON 2 as the service gives it: numbers bare, elements in the shape of GraphSON 1.
    GraphSon2Untyped,
    /// GraphSON 3 with types.
    GraphSon3,
    /// GraphSON 3 without types; elements in the shape of GraphSON 1.
    GraphSon3Untyped,
    /// GraphBinary 1.
    GraphBinary,
    /// GraphBinary 1 whose results are texts, for consoles that show them.
    GraphBinaryText,
}

/// Names of formats as clients send them. `application/json` and GraphSON 2 are answered as the service answers them.
const NAMES: [(&str, Format); 10] = [
    ("application/json", Format::GraphSon2Untyped),
    ("application/vnd.gremlin-v1.0+json", Format::GraphSon1),
    ("application/vnd.gremlin-v1.0+json;types=false", Format::GraphSon1),
    ("application/vnd.gremlin-v2.0+json", Format::GraphSon2Untyped),
    ("application/vnd.gremlin-v2.0+json;types=false", Format::GraphSon2Untyped),
    ("application/vnd.gremlin-v2.0+json;types=true", Format::GraphSon2),
    ("application/vnd.gremlin-v3.0+json", Format::GraphSon3),
    ("application/vnd.gremlin-v3.0+json;types=false", Format::GraphSon3Untyped),
    ("application/vnd.graphbinary-v1.0", Format::GraphBinary),
    ("application/vnd.graphbinary-v1.0-stringd", Format::GraphBinaryText),
];

/// Longest part of an unknown name that an error repeats.
const MAX_NAME_SHOWN: usize = 64;

impl Format {
    /// The format called `name`, whatever its case and with spaces after semicolons.
    ///
    /// GraphSON 2 reads as [`Format::GraphSon2Untyped`], as the service answers it; [`Format::typed`] turns that round.
    pub fn from_mime(name: &str) -> Option<Self> {
        let is_name = |known: &str| {
            let characters = name.bytes().filter(|byte| *byte != b' ').map(|byte| byte.to_ascii_lowercase());
            characters.eq(known.bytes())
        };
        NAMES.iter().find(|(known, _)| is_name(known)).map(|(_, format)| *format)
    }

    /// The format with type names where it has such a form: GraphSON 2 as official servers give it.
    pub fn typed(self) -> Self {
        match self {
            Self::GraphSon2Untyped => Self::GraphSon2,
            Self::GraphSon3Untyped => Self::GraphSon3,
            Self::GraphSon1 | Self::GraphSon2 | Self::GraphSon3 | Self::GraphBinary | Self::GraphBinaryText => self,
        }
    }

    /// The name that a client would give the format.
    pub fn mime(self) -> &'static str {
        match self {
            Self::GraphSon1 => "application/vnd.gremlin-v1.0+json",
            Self::GraphSon2 => "application/vnd.gremlin-v2.0+json;types=true",
            Self::GraphSon2Untyped => "application/vnd.gremlin-v2.0+json",
            Self::GraphSon3 => "application/vnd.gremlin-v3.0+json",
            Self::GraphSon3Untyped => "application/vnd.gremlin-v3.0+json;types=false",
            Self::GraphBinary => "application/vnd.graphbinary-v1.0",
            Self::GraphBinaryText => "application/vnd.graphbinary-v1.0-stringd",
        }
    }

    /// Whether messages are text.
    pub fn is_json(self) -> bool {
        !matches!(self, Self::GraphBinary | Self::GraphBinaryText)
    }

    /// Splits a binary frame into its format and the message.
    ///
    /// ```text
    /// +--------+------------------+---------+
    /// | n (u8) | name (n bytes)   | message |
    /// +--------+------------------+---------+
    /// ```
    ///
    /// # Errors
    /// If the name is cut off or unknown.
    pub fn split_frame(frame: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let (length, rest) =
            frame.split_first().ok_or(DecodeError::Truncated { at: 0, expected: "the length of a format's name" })?;
        let (name, message) = rest
            .split_at_checked(usize::from(*length))
            .ok_or(DecodeError::Truncated { at: frame.len(), expected: "the name of a format" })?;
        let name = String::from_utf8_lossy(name);
        let format = Self::from_mime(&name)
            .ok_or_else(|| DecodeError::UnknownMime { name: name.chars().take(MAX_NAME_SHOWN).collect() })?;
        Ok((format, message))
    }

    /// Appends what a frame has before the message.
    pub fn write_frame_start(self, out: &mut Vec<u8>) {
        let name = self.mime();
        // All names are shorter than 256 bytes.
        out.push(name.len() as u8);
        out.extend_from_slice(name.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_found_by_its_own_name() {
        for (name, format) in NAMES {
            assert_eq!(Format::from_mime(name), Some(format));
            assert_eq!(Format::from_mime(format.mime()), Some(format));
        }
        assert_eq!(Format::from_mime("Application/vnd.gremlin-v3.0+JSON; types=false"), Some(Format::GraphSon3Untyped));
        assert_eq!(Format::from_mime("application/vnd.gremlin-v1.0+gryo"), None);
    }

    #[test]
    fn length_bytes_are_those_that_drivers_hard_code() {
        for (format, length) in [
            (Format::GraphSon3, 0x21),
            (Format::GraphSon1, 0x21),
            (Format::GraphBinary, 0x20),
            (Format::GraphBinaryText, 0x28),
        ] {
            let mut frame = Vec::new();
            format.write_frame_start(&mut frame);
            assert_eq!(frame[0], length);
            frame.extend_from_slice(b"rest");
            assert_eq!(Format::split_frame(&frame), Ok((format, &b"rest"[..])));
        }
    }

    #[test]
    fn a_cut_or_unknown_name_is_an_error() {
        assert_eq!(
            Format::split_frame(b"").unwrap_err().to_string(),
            "expected the length of a format's name at offset 0, found the end"
        );
        assert_eq!(
            Format::split_frame(b"\x05text").unwrap_err().to_string(),
            "expected the name of a format at offset 5, found the end"
        );
        assert_eq!(Format::split_frame(b"\x04text").unwrap_err().to_string(), "unknown format 'text'");
    }
}
