//! One request as handlers see it.

use http::HeaderName;
use http::request::Parts;
use orrery_table::{Dialect, Error, ErrorCode, MetadataLevel};

use super::account::Place;
use super::app::TableApi;
use super::catalog::TableCatalog;
use super::format::{Echo, metadata_level};
use super::header_names as names;
use super::query_string::QueryString;
use super::reply::Echoed;
use crate::listen::Connection;

/// Longest name of a request that is repeated to its client.
const MAX_CLIENT_REQUEST_ID_BYTES: usize = 1024;

/// A request without its body.
pub(crate) struct RequestContext<'a> {
    pub api: &'a TableApi,
    pub head: &'a Parts,
    pub connection: &'a Connection,
    pub place: Place<'a>,
    pub query: QueryString<'a>,
    /// The server's name for the request.
    pub request_id: &'a str,
}

impl<'a> RequestContext<'a> {
    /// Finds out which account is addressed and takes the query apart.
    ///
    /// # Errors
    /// 400 without a host, and for a query that is none.
    pub fn new(
        api: &'a TableApi,
        head: &'a Parts,
        connection: &'a Connection,
        request_id: &'a str,
    ) -> Result<Self, Error> {
        let place = api.account.locate(head).ok_or_else(|| Error::new(ErrorCode::HostInformationNotPresent))?;
        let query = QueryString::parse(head.uri.query().unwrap_or_default())?;
        Ok(RequestContext { api, head, connection, place, query, request_id })
    }

    /// The tables.
    pub fn catalog(&self) -> &'a TableCatalog {
        &self.api.catalog
    }

    /// The rules for names and keys.
    pub fn dialect(&self) -> Dialect {
        self.api.account.dialect
    }

    /// The account's name.
    pub fn account(&self) -> &'a str {
        &self.api.account.name
    }

    /// The address of the account, without a slash at its end.
    pub fn base(&self) -> String {
        self.place.base(self.connection.scheme())
    }

    /// A header's value; what is not text is as if it were absent.
    pub fn header(&self, name: &HeaderName) -> Option<&'a str> {
        header(self.head, name)
    }

    /// How much metadata the client wants.
    ///
    /// # Errors
    /// 415 if it wants another form than JSON.
    pub fn level(&self) -> Result<MetadataLevel, Error> {
        metadata_level(self.query.get("$format"), self.header(&names::ACCEPT))
    }

    /// Whether the client wants to see what it inserts.
    pub fn echo(&self) -> Echo {
        Echo::of(self.header(&names::PREFER))
    }

    /// Checks the version of the protocol that the request names: a date, newer ones included.
    ///
    /// # Errors
    /// 400 for what is not a date.
    pub fn check_version(&self) -> Result<(), Error> {
        let Some(version) = self.head.headers.get(&names::VERSION) else { return Ok(()) };
        let text = version.as_bytes();
        let is_date = text.len() == 10
            && text
                .iter()
                .enumerate()
                .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
        if is_date { Ok(()) } else { Err(Error::with_detail(ErrorCode::InvalidHeaderValue, "It is x-ms-version.")) }
    }
}

/// What a reply repeats of a request.
pub(crate) fn echoed<'a>(head: &'a Parts, request_id: &'a str, route: u8) -> Echoed<'a> {
    let id = head.headers.get(&names::CLIENT_REQUEST_ID);
    Echoed {
        request_id,
        client_request_id: id.filter(|id| id.len() <= MAX_CLIENT_REQUEST_ID_BYTES),
        version: head.headers.get(&names::VERSION),
        route,
    }
}

/// A header's value; what is not text is as if it were absent.
pub(crate) fn header<'a>(head: &'a Parts, name: &HeaderName) -> Option<&'a str> {
    head.headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
}
