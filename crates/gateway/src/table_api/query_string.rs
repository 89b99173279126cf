//! The parameters of an address.

use std::borrow::Cow;

use orrery_table::Error;
use percent_encoding::percent_decode_str;

/// Parameters that are looked at; an address of any operation has far fewer.
const MAX_PARAMETERS: usize = 64;

/// The decoded parameters of a query string, in its order.
#[derive(Debug, Default)]
pub(crate) struct QueryString<'q> {
    parameters: Vec<(Cow<'q, str>, Cow<'q, str>)>,
}

impl<'q> QueryString<'q> {
    /// Reads the part of an address behind the question mark. `+` is a space, as clients that build forms write it.
    ///
    /// # Errors
    /// 400 if it is not UTF-8 once decoded, or has too many parameters.
    pub fn parse(text: &'q str) -> Result<Self, Error> {
        let mut parameters = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            if parameters.len() == MAX_PARAMETERS {
                return Err(Error::invalid_input(format_args!("The query has more than {MAX_PARAMETERS} parameters.")));
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            parameters.push((decode(name)?, decode(value)?));
        }
        Ok(QueryString { parameters })
    }

    /// The first parameter of that name, which has no case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// All of them.
    pub fn all(&self) -> &[(Cow<'q, str>, Cow<'q, str>)] {
        &self.parameters
    }
}

fn decode(text: &str) -> Result<Cow<'_, str>, Error> {
    let not_text = |_| Error::invalid_input("A parameter of the query is not UTF-8.");
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8().map_err(not_text)?;
        return Ok(Cow::Owned(decoded.into_owned()));
    }
    percent_decode_str(text).decode_utf8().map_err(not_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_once() {
        let query = QueryString::parse("$filter=a%20eq%20'%2525'&%24top=5&&empty&x+y=1+2%2B3").unwrap();
        assert_eq!(query.get("$filter"), Some("a eq '%25'"));
        assert_eq!(query.get("$TOP"), Some("5"));
        assert_eq!(query.get("empty"), Some(""));
        assert_eq!(query.get("x y"), Some("1 2+3"));
        assert_eq!(query.get("none"), None);
        assert!(QueryString::parse("a=%FF").is_err());
        assert!(QueryString::parse(&"a=1&".repeat(65)).is_err());
    }
}
