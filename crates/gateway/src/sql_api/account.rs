//! The account: what every client reads first, and where it learns where to go.

use http::{HeaderValue, StatusCode};
use serde_json::{Value as Json, json};

use super::error::ApiError;
use super::header_names as names;
use super::reply::Reply;
use super::request::RequestContext;

/// The one region, by the name that the official emulator uses.
const REGION: &str = "South Central US";
/// What the query engine can do; .NET's client reads limits and switches from it.
const QUERY_ENGINE_CONFIGURATION: &str = concat!(
    r#"{"maxSqlQueryInputLength":262144,"maxJoinsPerSqlQuery":5,"maxLogicalAndPerSqlQuery":500,"#,
    r#""maxLogicalOrPerSqlQuery":500,"maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,"#,
    r#""queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.9,"sqlAllowNonFiniteNumbers":false,"#,
    r#""sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":true,"sqlAllowScalarSubQuery":true,"allowNewKeywords":true,"#,
    r#""sqlAllowLike":true,"sqlAllowGroupByClause":true,"maxSpatialQueryCells":12,"spatialMaxGeometryPointCount":256,"#,
    r#""sqlDisableOptimizationFlags":0,"enableSpatialIndexing":true}"#
);

/// `GET /`.
pub(crate) fn read(cx: &RequestContext<'_>) -> Reply {
    Reply::json(StatusCode::OK, &document(&cx.api.account_name, &endpoint(cx)))
}

/// `GET /_explorer/emulator.pem`.
///
/// # Errors
/// 404 on a server without TLS.
pub(crate) fn certificate(cx: &RequestContext<'_>) -> Result<Reply, ApiError> {
    match &cx.api.certificate_pem {
        Some(pem) => Ok(Reply::text(StatusCode::OK, pem.clone()).content_type("application/x-pem-file")),
        None => Err(ApiError::not_found("This server has no TLS certificate")),
    }
}

fn document(name: &str, endpoint: &str) -> Json {
    let location = json!([{ "name": REGION, "databaseAccountEndpoint": endpoint }]);
    json!({
        "_self": "",
        "id": name,
        "_rid": name,
        "media": "//media/",
        "addresses": "//addresses/",
        "_dbs": "//dbs/",
        "writableLocations": location,
        "readableLocations": location,
        "enableMultipleWriteLocations": false,
        "continuousBackupEnabled": false,
        "enableNRegionSynchronousCommit": false,
        "userReplicationPolicy": { "asyncReplication": false, "minReplicaSetSize": 1, "maxReplicasetSize": 4 },
        "userConsistencyPolicy": { "defaultConsistencyLevel": "Session" },
        "systemReplicationPolicy": { "minReplicaSetSize": 1, "maxReplicasetSize": 4 },
        "readPolicy": { "primaryReadCoefficient": 1, "secondaryReadCoefficient": 1 },
        "queryEngineConfiguration": QUERY_ENGINE_CONFIGURATION,
    })
}

/// Where this client reaches this server: it sends all later requests there. The way it came is right, unless the
/// operator knows better.
fn endpoint(cx: &RequestContext<'_>) -> String {
    if let Some(url) = &cx.api.public_url {
        return with_slash(url);
    }
    let scheme = cx.connection.scheme().as_str();
    let named = cx.head.headers.get(names::HOST).and_then(|host| host.to_str().ok());
    let named = named.or_else(|| cx.head.uri.authority().map(|authority| authority.as_str()));
    format!("{scheme}://{}/", named.filter(|host| is_host(host)).unwrap_or("localhost"))
}

fn with_slash(url: &str) -> String {
    format!("{}/", url.trim_end_matches('/'))
}

/// Whether the text can stand in a URL as host and port: nothing in it ends the host or begins a user.
fn is_host(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    !text.is_empty() && HeaderValue::from_str(text).is_ok() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_what_clients_parse() {
        let document = document("localhost", "https://h:1/");
        assert_eq!(document["writableLocations"][0]["databaseAccountEndpoint"], "https://h:1/");
        assert_eq!(document["readableLocations"], document["writableLocations"]);
        let engine: Json = serde_json::from_str(document["queryEngineConfiguration"].as_str().unwrap()).unwrap();
        assert_eq!(engine["maxSqlQueryInputLength"], 262_144);
    }

    #[test]
    fn only_hosts_are_hosts() {
        for good in ["localhost:8081", "[::1]:80", "my_host.example"] {
            assert!(is_host(good), "{good}");
        }
        for bad in ["", "user@host", "host/path", "host\"", "a b"] {
            assert!(!is_host(bad), "{bad}");
        }
    }
}
