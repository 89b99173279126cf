//! A request before it is signed, and the signature.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderName, HeaderValue, Method};
use http_body_util::Full;
use orrery_gateway::auth::Key;
use orrery_gateway::reply::date_now;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The version of the API that this client speaks.
const API_VERSION: HeaderValue = HeaderValue::from_static("2020-07-15");
const X_MS_VERSION: HeaderName = HeaderName::from_static("x-ms-version");
const X_MS_DATE: HeaderName = HeaderName::from_static("x-ms-date");

/// A request. It can be sent again, with another date and signature.
#[derive(Debug)]
pub(super) struct Request {
    pub method: Method,
    pub path: String,
    /// The kind of resource that is signed: `docs`, `colls`, …
    pub resource_type: &'static str,
    /// The link that is signed.
    pub link: String,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
}

impl Request {
    /// A GET.
    pub fn get(path: String, resource_type: &'static str, link: String) -> Request {
        Request { method: Method::GET, path, resource_type, link, headers: Vec::new(), body: Bytes::new() }
    }

    /// A POST of JSON.
    pub fn post(path: String, resource_type: &'static str, link: String, body: impl Into<Bytes>) -> Request {
        Request { method: Method::POST, path, resource_type, link, headers: Vec::new(), body: body.into() }
    }

    /// The request with one more header.
    pub fn with(mut self, name: &'static str, value: HeaderValue) -> Request {
        self.headers.push((HeaderName::from_static(name), value));
        self
    }

    /// The request as it is sent now.
    ///
    /// # Errors
    /// If the path is none.
    pub fn sign(&self, key: &Key, authority: &HeaderValue) -> Result<http::Request<Full<Bytes>>, http::Error> {
        let date = date_now();
        let mut request =
            http::Request::builder().method(&self.method).uri(&self.path).body(Full::new(self.body.clone()))?;
        let headers = request.headers_mut();
        headers.insert(HOST, authority.clone());
        headers.insert(X_MS_VERSION, API_VERSION);
        headers
            .insert(AUTHORIZATION, HeaderValue::try_from(self.authorization(key, date.to_str().unwrap_or_default()))?);
        headers.insert(X_MS_DATE, date);
        if !self.body.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        // Replaces, so that a request can name another content type.
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        Ok(request)
    }

    /// The service's master-key scheme: an HMAC over verb, resource and date.
    fn authorization(&self, key: &Key, date: &str) -> String {
        let text = format!(
            "{}\n{}\n{}\n{}\n\n",
            self.method.as_str().to_lowercase(),
            self.resource_type,
            self.link,
            date.to_lowercase()
        );
        let signature = STANDARD.encode(key.sign(&[text.as_bytes()]));
        utf8_percent_encode(&format!("type=master&ver=1.0&sig={signature}"), NON_ALPHANUMERIC).to_string()
    }
}

#[cfg(test)]
mod tests {
    use orrery_gateway::auth::EMULATOR_KEY;

    use super::*;

    /// The example in the service's documentation of its access control.
    #[test]
    fn the_signature_is_that_of_the_documentation() {
        let key = Key::from_base64(
            "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==",
        )
        .unwrap();
        let request = Request::get("/dbs/ToDoList".into(), "dbs", "dbs/ToDoList".into());
        assert_eq!(
            request.authorization(&key, "Thu, 27 Apr 2017 00:51:12 GMT"),
            "type%3Dmaster%26ver%3D1%2E0%26sig%3Dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2Bc%2Bc%3D"
        );
    }

    #[test]
    fn signed_requests_carry_date_and_host() {
        let key = Key::from_base64(EMULATOR_KEY).unwrap();
        let request =
            Request::post("/dbs".into(), "dbs", String::new(), "{}").with("x-ms-max-item-count", HeaderValue::from(5));
        let signed = request.sign(&key, &HeaderValue::from_static("localhost:8081")).unwrap();
        assert_eq!(signed.headers()["host"], "localhost:8081");
        assert_eq!(signed.headers()["x-ms-max-item-count"], "5");
        assert!(signed.headers()["x-ms-date"].to_str().unwrap().ends_with(" GMT"));
        assert!(!signed.headers().contains_key("date"), "it would have to be signed");
    }
}
