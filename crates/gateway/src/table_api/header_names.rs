//! Names of the headers that the Table API reads and writes. Constants, so that no request parses or hashes a name.

use http::HeaderName;

pub(crate) use crate::reply::names::{CLIENT_REQUEST_ID, DATE, ERROR_CODE, REQUEST_CHARGE, REQUEST_ID, VERSION};
pub(crate) use http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, DATE as HTTP_DATE, ETAG, HOST, IF_MATCH,
    IF_NONE_MATCH, LOCATION, ORIGIN, RETRY_AFTER, VARY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};

/// The digest of the body, which a signature covers.
pub(crate) const CONTENT_MD5: HeaderName = HeaderName::from_static("content-md5");
/// The address of an inserted entity.
pub(crate) const DATA_SERVICE_ID: HeaderName = HeaderName::from_static("dataserviceid");
/// The method that a POST stands for.
pub(crate) const X_HTTP_METHOD: HeaderName = HeaderName::from_static("x-http-method");
/// Whether an insert repeats what it stored.
pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");
/// What became of that wish.
pub(crate) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// The partition in which the next page begins.
pub(crate) const NEXT_PARTITION_KEY: HeaderName = HeaderName::from_static("x-ms-continuation-nextpartitionkey");
/// The row with which the next page begins.
pub(crate) const NEXT_ROW_KEY: HeaderName = HeaderName::from_static("x-ms-continuation-nextrowkey");
/// The table with which the next page begins.
pub(crate) const NEXT_TABLE_NAME: HeaderName = HeaderName::from_static("x-ms-continuation-nexttablename");
