//! The body of a query: its text and the values of its parameters.

use orrery_value::Value;

use super::error::ApiError;

/// Longest query text, as on the service.
const MAX_QUERY_BYTES: usize = 512 * 1024;
/// Parameters of one query.
const MAX_PARAMETERS: usize = 10_000;

/// A query as the client sent it.
#[derive(Debug, PartialEq)]
pub(crate) struct QueryBody {
    pub text: String,
    /// Names with their `@`.
    pub parameters: Vec<(String, Value)>,
}

impl QueryBody {
    /// Reads `{"query":"…","parameters":[{"name":"@p","value":…}]}`.
    ///
    /// # Errors
    /// 400 naming what is wrong.
    pub fn parse(body: &[u8]) -> Result<QueryBody, ApiError> {
        let parsed = Value::parse(body)
            .map_err(|error| ApiError::bad_request(format!("The query's body is not valid JSON: {error}")))?;
        let text = parsed.get("query").and_then(Value::as_str);
        let text =
            text.ok_or_else(|| ApiError::bad_request("The body of a query must be an object with a string 'query'"))?;
        if text.len() > MAX_QUERY_BYTES {
            return Err(ApiError::bad_request(format!(
                "The query text has {} bytes; the limit is {MAX_QUERY_BYTES}",
                text.len()
            )));
        }
        let parameters = match parsed.get("parameters") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) if list.len() <= MAX_PARAMETERS => {
                list.iter().map(parameter).collect::<Result<_, _>>()?
            }
            Some(Value::Array(_)) => {
                return Err(ApiError::bad_request(format!("The query has more than {MAX_PARAMETERS} parameters")));
            }
            Some(_) => return Err(ApiError::bad_request("The 'parameters' of a query must be an array")),
        };
        Ok(QueryBody { text: text.to_owned(), parameters })
    }
}

/// A parameter without a value is undefined.
fn parameter(given: &Value) -> Result<(String, Value), ApiError> {
    let name = given.get("name").and_then(Value::as_str).filter(|name| name.starts_with('@'));
    let name =
        name.ok_or_else(|| ApiError::bad_request("Each parameter of a query needs a 'name' that begins with '@'"))?;
    Ok((name.to_owned(), given.get("value").cloned().unwrap_or(Value::Undefined)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_parameters_are_read() {
        let body =
            QueryBody::parse(br#"{"query":"SELECT @a","parameters":[{"name":"@a","value":{"x":[1]}},{"name":"@b"}]}"#)
                .unwrap();
        assert_eq!(body.text, "SELECT @a");
        assert_eq!(body.parameters[0], ("@a".to_owned(), Value::parse(br#"{"x":[1]}"#).unwrap()));
        assert_eq!(body.parameters[1].1, Value::Undefined);
        assert_eq!(QueryBody::parse(br#"{"query":"SELECT 1","parameters":null}"#).unwrap().parameters, []);
    }

    #[test]
    fn what_is_no_query_is_refused() {
        for body in [
            "",
            "SELECT 1",
            "[]",
            "{}",
            r#"{"query":1}"#,
            r#"{"query":"q","parameters":{}}"#,
            r#"{"query":"q","parameters":[{"name":"a","value":1}]}"#,
            r#"{"query":"q","parameters":[1]}"#,
        ] {
            assert_eq!(QueryBody::parse(body.as_bytes()).unwrap_err().status.as_u16(), 400, "{body}");
        }
        let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(MAX_QUERY_BYTES + 1));
        assert!(QueryBody::parse(long.as_bytes()).unwrap_err().reason().contains("limit"));
    }
}
