//! The Table API as one port's [`App`]: context, route, authorisation, handler, reply.

use async_trait::async_trait;
use http::request::Parts;
use http::{HeaderValue, Method};
use orrery_table::{Dialect, Error, ErrorCode};

use super::account::TableAccount;
use super::authorize::{Access, authenticate};
use super::catalog::TableCatalog;
use super::entity_write::{EntityWrite, WriteHeaders};
use super::error::ApiError;
use super::header_names as names;
use super::reply::{Echoed, Reply, error_response};
use super::request::{RequestContext, echoed, header};
use super::route::{PREFLIGHT, ROUTE_NAMES, Route};
use super::{acl, batch, below_table, body, cors, entity_query, entity_read, entity_write, format, service, tables};
use crate::auth::AadMode;
use crate::listen::{App, Connection, Refusal, Request, RequestBody, Response};

/// The Table API for one account.
pub struct TableApi {
    pub(super) catalog: TableCatalog,
    pub(super) account: TableAccount,
    pub(super) aad: AadMode,
}

/// What the Table API is made of.
pub struct TableApiConfig {
    /// The tables, which several accounts may share.
    pub catalog: TableCatalog,
    /// The account that the port serves.
    pub account: TableAccount,
    /// Whether identity tokens are taken.
    pub aad: AadMode,
}

/// What became known of a request on its way, for its reply and for the log.
#[derive(Default)]
struct Course {
    route: u8,
    speaks_xml: bool,
}

impl TableApi {
    /// The API, ready to serve.
    pub fn new(config: TableApiConfig) -> TableApi {
        TableApi { catalog: config.catalog, account: config.account, aad: config.aad }
    }

    async fn answer(&self, head: &Parts, connection: &Connection, body: RequestBody, request_id: &str) -> Response {
        let mut course = Course::default();
        let result = self.run(head, connection, body, request_id, &mut course).await;
        let route = ROUTE_NAMES[usize::from(course.route)];
        let echoed = echoed(head, request_id, course.route);
        let mut response = match result {
            Ok(reply) => reply.into_response(&echoed),
            Err(error) => {
                let (status, reason) = (error.status().as_u16(), error.error.to_string());
                tracing::debug!(request_id, route, status, reason, "request failed");
                let reads_json = !course.speaks_xml && format::reads_json(header(head, &names::ACCEPT));
                error_response(&error, &echoed, reads_json)
            }
        };
        if course.route != PREFLIGHT {
            cors::allow(&self.catalog, head, &mut response).await;
        }
        tracing::trace!(request_id, route, status = response.status().as_u16(), "request done");
        response
    }

    async fn run(
        &self,
        head: &Parts,
        connection: &Connection,
        body: RequestBody,
        request_id: &str,
        course: &mut Course,
    ) -> Result<Reply, ApiError> {
        if head.method == Method::OPTIONS {
            course.route = PREFLIGHT;
            return cors::preflight(&self.catalog, head).await;
        }
        let cx = RequestContext::new(self, head, connection, request_id)?;
        let route = Route::find(head, cx.place.path, &cx.query);
        if let Ok(route) = &route {
            course.route = route.number();
            course.speaks_xml = route.speaks_xml();
        }
        // Who asks is found out before anything is said about what is asked for.
        let access = authenticate(&cx).await?;
        cx.check_version()?;
        let route = route.map_err(|error| in_words_of(cx.dialect(), error))?;
        access.check(&route)?;
        if cx.place.is_secondary && cx.dialect() == Dialect::Storage && route.writes() {
            let detail = "Write operations are not allowed.";
            return Err(ApiError::with_detail(ErrorCode::AuthorizationFailure, detail));
        }
        dispatch(&cx, &access, route, body).await
    }
}

/// Where one service says that an address is none, the other says that it is not valid.
fn in_words_of(dialect: Dialect, error: Error) -> Error {
    match (error.code, dialect) {
        (ErrorCode::InvalidUri, Dialect::Cosmos) => Error::invalid_input("Request url is invalid."),
        _ => error,
    }
}

/// Reads of one entity run in place. The other handlers' futures are boxed, so that those stay small: hyper moves them around.
async fn dispatch(
    cx: &RequestContext<'_>,
    access: &Access,
    route: Route,
    body: RequestBody,
) -> Result<Reply, ApiError> {
    match route {
        Route::EntityRead(table, key) => entity_read::read(cx, &table, &key).await,
        Route::EntityInsert(table) => {
            let table = cx.catalog().table(&table, cx.dialect())?;
            let body = body::read(body).await?;
            let write = EntityWrite::insert(&WriteHeaders::of(cx), &body, cx.dialect())?;
            Box::pin(entity_write::write(cx, access, &table, write)).await
        }
        Route::EntityWrite(table, key, change) => {
            let table = cx.catalog().table(&table, cx.dialect())?;
            let body = body::read(body).await?;
            let write = EntityWrite::change(change, key, &WriteHeaders::of(cx), &body, cx.dialect())?;
            Box::pin(entity_write::write(cx, access, &table, write)).await
        }
        Route::EntityQuery(table) => Box::pin(entity_query::query(cx, access, &table)).await,
        Route::Batch => Box::pin(batch::run(cx, access, &body::read(body).await?)).await,
        Route::BelowTable(table) => Err(below_table::refusal(cx, &table, &body::read(body).await?)),
        Route::TableList => tables::list(cx),
        Route::TableCreate => Box::pin(tables::create(cx, &body::read(body).await?)).await,
        Route::TableRead(name) => tables::read(cx, &name),
        Route::TableDelete(name) => Box::pin(tables::delete(cx, &name)).await,
        Route::AclRead(table) => Box::pin(acl::read(cx, &table)).await,
        Route::AclWrite(table) => Box::pin(acl::write(cx, &table, &body::read(body).await?)).await,
        Route::PropertiesRead => Box::pin(service::read_properties(cx)).await,
        Route::PropertiesWrite => Box::pin(service::write_properties(cx, &body::read(body).await?)).await,
        Route::Stats => service::stats(cx),
    }
}

#[async_trait]
impl App for TableApi {
    async fn handle(&self, request: Request) -> Response {
        let Request { head, body, connection } = request;
        let mut name = [0; uuid::fmt::Hyphenated::LENGTH];
        let request_id = crate::activity_id::new().hyphenated().encode_lower(&mut name);
        self.answer(&head, &connection, body, request_id).await
    }

    fn refuse(&self, refusal: Refusal, activity_id: Option<&HeaderValue>) -> Response {
        let mut name = [0; uuid::fmt::Hyphenated::LENGTH];
        let made_up = crate::activity_id::new().hyphenated().encode_lower(&mut name);
        let request_id = activity_id.and_then(|id| id.to_str().ok()).unwrap_or(made_up);
        let error = match refusal {
            Refusal::TooManyConnections | Refusal::TooManyRequests => ApiError::new(ErrorCode::ServerBusy),
            Refusal::Panicked => ApiError::new(ErrorCode::InternalError),
        };
        let echoed = Echoed { request_id, client_request_id: None, version: None, route: 0 };
        error_response(&error, &echoed, true)
    }
}
