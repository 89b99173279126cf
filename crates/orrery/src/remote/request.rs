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
/// The version of the Table API that this client speaks.
const TABLE_API_VERSION: HeaderValue = HeaderValue::from_static("2019-02-02");
const X_MS_VERSION: HeaderName = HeaderName::from_static("x-ms-version");
const X_MS_DATE: HeaderName = HeaderName::from_static("x-ms-date");

/// A request. It can be sent again, with another date and signature.
#[derive(Debug)]
pub(super) struct Request {
    pub method: Method,
    pub path: String,
    pub signing: Signing,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
    /// Whether sending it twice is the same as sending it once.
    pub is_repeatable: bool,
}

/// What a request is signed as.
#[derive(Debug)]
pub(super) enum Signing {
    /// The SQL API's master-key scheme.
    MasterKey {
        /// The kind of resource: `docs`, `colls`, …
        resource_type: &'static str,
        link: String,
    },
    /// The Table API's Shared Key Lite.
    SharedKeyLite {
        /// Whose key it is.
        account: String,
    },
}

impl Request {
    /// A GET.
    pub fn get(path: String, resource_type: &'static str, link: String) -> Request {
        Request::new(Method::GET, path, Signing::MasterKey { resource_type, link }, Bytes::new())
    }

    /// A POST of JSON.
    pub fn post(path: String, resource_type: &'static str, link: String, body: impl Into<Bytes>) -> Request {
        Request::new(Method::POST, path, Signing::MasterKey { resource_type, link }, body.into())
    }

    /// A request without headers of its own.
    pub fn new(method: Method, path: String, signing: Signing, body: Bytes) -> Request {
        Request { method, path, signing, headers: Vec::new(), body, is_repeatable: true }
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
        headers.insert(X_MS_VERSION, self.version());
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

    fn version(&self) -> HeaderValue {
        match self.signing {
            Signing::MasterKey { .. } => API_VERSION,
            Signing::SharedKeyLite { .. } => TABLE_API_VERSION,
        }
    }

    fn authorization(&self, key: &Key, date: &str) -> String {
        match &self.signing {
            Signing::MasterKey { resource_type, link } => self.master_key(resource_type, link, key, date),
            Signing::SharedKeyLite { account } => {
                let path = self.path.split('?').next().unwrap_or_default();
                let signature = STANDARD.encode(key.sign(&[format!("{date}\n/{account}{path}").as_bytes()]));
                format!("SharedKeyLite {account}:{signature}")
            }
        }
    }

    /// The service's master-key scheme: an HMAC over verb, resource and date.
    fn master_key(&self, resource_type: &str, link: &str, key: &Key, date: &str) -> String {
        let text = format!(
            "{}\n{}\n{}\n{}\n\n",
            self.method.as_str().to_lowercase(),
            resource_type,
            link,
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
