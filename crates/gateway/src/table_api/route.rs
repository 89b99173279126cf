//! What a request asks for.

use http::request::Parts;
use http::{HeaderMap, Method};
use orrery_table::{Address, EntityKey, Error, ErrorCode, PartMethod};

use super::header_names as names;
use super::query_string::QueryString;

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The names of tables.
    TableList,
    TableCreate,
    TableRead(String),
    TableDelete(String),
    /// Entities of a table.
    EntityQuery(String),
    EntityInsert(String),
    EntityRead(String, EntityKey),
    /// A write of an entity that is addressed by its keys.
    EntityWrite(String, EntityKey, Change),
    Batch,
    /// Something below a table, where nothing is: clients get there by an account's address that ends with a table's name.
    BelowTable(String),
    AclRead(String),
    AclWrite(String),
    PropertiesRead,
    PropertiesWrite,
    Stats,
}

/// What is done to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Replace,
    Merge,
    /// Replaces, or inserts if there is none.
    InsertOrReplace,
    /// Merges, or inserts if there is none.
    InsertOrMerge,
    Delete,
}

/// Names for the metrics, in the order of [`Route::number`].
pub const ROUTE_NAMES: [&str; 19] = [
    "other",
    "table_list",
    "table_create",
    "table_read",
    "table_delete",
    "entity_query",
    "entity_insert",
    "entity_read",
    "entity_replace",
    "entity_merge",
    "entity_insert_or_replace",
    "entity_insert_or_merge",
    "entity_delete",
    "batch",
    "acl_read",
    "acl_write",
    "service_properties",
    "service_stats",
    "preflight",
];

/// The number of a preflight, which is no route of its own.
pub(crate) const PREFLIGHT: u8 = 18;

impl Route {
    /// Finds what a head asks for at a path below the account.
    ///
    /// # Errors
    /// 400 for paths and methods that are none, 405 for a method that the path does not have.
    pub fn find(head: &Parts, path: &str, query: &QueryString<'_>) -> Result<Route, Error> {
        let method = method(&head.method, &head.headers)?;
        let address = match Address::parse(path) {
            Ok(address) => address,
            Err(error) => return below_table(path).ok_or(error),
        };
        let comp = query.get("comp");
        match (method, address) {
            (method, Address::Service) if comp.is_some() => service_route(method, comp, query),
            (PartMethod::Get, Address::Service | Address::Tables) => Ok(Route::TableList),
            (PartMethod::Post, Address::Tables) => Ok(Route::TableCreate),
            (PartMethod::Get, Address::Table(name)) => Ok(Route::TableRead(name)),
            (PartMethod::Delete, Address::Table(name)) => Ok(Route::TableDelete(name)),
            (method, Address::Entities(table)) if comp.is_some() => acl_route(method, comp, table),
            (PartMethod::Get, Address::Entities(table)) => Ok(Route::EntityQuery(table)),
            (PartMethod::Post, Address::Entities(table)) => Ok(Route::EntityInsert(table)),
            (PartMethod::Get, Address::Entity { table, key }) => Ok(Route::EntityRead(table, key)),
            (method, Address::Entity { table, key }) => {
                let change = change(method, head.headers.contains_key(&names::IF_MATCH));
                change.map(|change| Route::EntityWrite(table, key, change)).ok_or_else(not_allowed)
            }
            (PartMethod::Post, Address::Batch) => Ok(Route::Batch),
            _ => Err(not_allowed()),
        }
    }

    /// Its place in [`ROUTE_NAMES`].
    pub fn number(&self) -> u8 {
        match self {
            Route::TableList => 1,
            Route::TableCreate => 2,
            Route::TableRead(_) => 3,
            Route::TableDelete(_) => 4,
            Route::EntityQuery(_) => 5,
            Route::EntityInsert(_) => 6,
            Route::EntityRead(..) => 7,
            Route::EntityWrite(_, _, Change::Replace) => 8,
            Route::EntityWrite(_, _, Change::Merge) => 9,
            Route::EntityWrite(_, _, Change::InsertOrReplace) => 10,
            Route::EntityWrite(_, _, Change::InsertOrMerge) => 11,
            Route::EntityWrite(_, _, Change::Delete) => 12,
            Route::Batch => 13,
            Route::BelowTable(_) => 0,
            Route::AclRead(_) => 14,
            Route::AclWrite(_) => 15,
            Route::PropertiesRead | Route::PropertiesWrite => 16,
            Route::Stats => 17,
        }
    }

    /// Whether it may change anything.
    pub fn writes(&self) -> bool {
        match self {
            Route::TableCreate
            | Route::TableDelete(_)
            | Route::EntityInsert(_)
            | Route::EntityWrite(..)
            | Route::Batch
            | Route::AclWrite(_)
            | Route::PropertiesWrite => true,
            Route::TableList
            | Route::TableRead(_)
            | Route::EntityQuery(_)
            | Route::EntityRead(..)
            | Route::BelowTable(_)
            | Route::AclRead(_)
            | Route::PropertiesRead
            | Route::Stats => false,
        }
    }

    /// Whether its replies are XML documents, so that its errors are as well.
    pub fn speaks_xml(&self) -> bool {
        matches!(
            self,
            Route::AclRead(_) | Route::AclWrite(_) | Route::PropertiesRead | Route::PropertiesWrite | Route::Stats
        )
    }
}

/// What a method does to an entity; none for those that do something else. Without an If-Match header the entity need not exist.
pub(crate) fn change(method: PartMethod, has_if_match: bool) -> Option<Change> {
    match (method, has_if_match) {
        (PartMethod::Put, true) => Some(Change::Replace),
        (PartMethod::Put, false) => Some(Change::InsertOrReplace),
        (PartMethod::Merge, true) => Some(Change::Merge),
        (PartMethod::Merge, false) => Some(Change::InsertOrMerge),
        (PartMethod::Delete, _) => Some(Change::Delete),
        (PartMethod::Get | PartMethod::Post, _) => None,
    }
}

/// The method, or the one that a POST stands for.
///
/// # Errors
/// 400 if that is said wrongly, 405 for methods of other services.
pub(crate) fn method(method: &Method, headers: &HeaderMap) -> Result<PartMethod, Error> {
    let mut tunnelled = headers.get_all(&names::X_HTTP_METHOD).iter();
    let Some(name) = tunnelled.next() else {
        return known(method.as_str()).ok_or_else(|| Error::new(ErrorCode::UnsupportedHttpVerb));
    };
    if tunnelled.next().is_some() {
        return Err(Error::new(ErrorCode::XMethodIncorrectCount));
    }
    if method != Method::POST {
        return Err(Error::new(ErrorCode::XMethodNotUsingPost));
    }
    let name = name.to_str().unwrap_or_default().trim();
    match known(name) {
        Some(method @ (PartMethod::Put | PartMethod::Merge | PartMethod::Delete)) => Ok(method),
        _ => Err(Error::new(ErrorCode::XMethodIncorrectValue)),
    }
}

fn known(name: &str) -> Option<PartMethod> {
    Some(match name {
        "GET" => PartMethod::Get,
        "POST" => PartMethod::Post,
        "PUT" => PartMethod::Put,
        "MERGE" | "PATCH" => PartMethod::Merge,
        "DELETE" => PartMethod::Delete,
        _ => return None,
    })
}

/// The route of a path that leads on behind a table's name.
fn below_table(path: &str) -> Option<Route> {
    let (name, _) = path.strip_prefix('/')?.split_once('/')?;
    match Address::parse(name) {
        Ok(Address::Entities(table)) => Some(Route::BelowTable(table)),
        _ => None,
    }
}

fn service_route(method: PartMethod, comp: Option<&str>, query: &QueryString<'_>) -> Result<Route, Error> {
    let of_service = query.get("restype").is_some_and(|restype| restype.eq_ignore_ascii_case("service"));
    match (comp.filter(|_| of_service), method) {
        (Some("properties"), PartMethod::Get) => Ok(Route::PropertiesRead),
        (Some("properties"), PartMethod::Put) => Ok(Route::PropertiesWrite),
        (Some("stats"), PartMethod::Get) => Ok(Route::Stats),
        (Some("properties" | "stats"), _) => Err(not_allowed()),
        _ => Err(Error::with_detail(ErrorCode::InvalidQueryParameterValue, "They are restype and comp.")),
    }
}

fn acl_route(method: PartMethod, comp: Option<&str>, table: String) -> Result<Route, Error> {
    match (comp, method) {
        (Some("acl"), PartMethod::Get) => Ok(Route::AclRead(table)),
        (Some("acl"), PartMethod::Put) => Ok(Route::AclWrite(table)),
        (Some("acl"), _) => Err(not_allowed()),
        _ => Err(Error::with_detail(ErrorCode::InvalidQueryParameterValue, "It is comp.")),
    }
}

fn not_allowed() -> Error {
    Error::new(ErrorCode::MethodNotAllowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(method: &str, target: &str, headers: &[(&str, &str)]) -> Result<Route, ErrorCode> {
        let mut request = http::Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let query = QueryString::parse(head.uri.query().unwrap_or_default()).unwrap();
        Route::find(&head, head.uri.path(), &query).map_err(|error| error.code)
    }

    fn write(change: Change) -> Route {
        let key = EntityKey { partition_key: "p".into(), row_key: "r".into() };
        Route::EntityWrite("T".into(), key, change)
    }

    const ENTITY: &str = "/T(PartitionKey='p',RowKey='r')";

    #[test]
    fn method_path_and_query_make_a_route() {
        let table = || "T".to_owned();
        for (method, target, expected) in [
            ("GET", "/", Route::TableList),
            ("GET", "/Tables?$top=1", Route::TableList),
            ("POST", "/Tables", Route::TableCreate),
            ("GET", "/Tables('T')", Route::TableRead(table())),
            ("DELETE", "/Tables('T')", Route::TableDelete(table())),
            ("GET", "/T()", Route::EntityQuery(table())),
            ("POST", "/T", Route::EntityInsert(table())),
            ("PUT", ENTITY, write(Change::InsertOrReplace)),
            ("MERGE", ENTITY, write(Change::InsertOrMerge)),
            ("PATCH", ENTITY, write(Change::InsertOrMerge)),
            ("DELETE", ENTITY, write(Change::Delete)),
            ("POST", "/$batch", Route::Batch),
            ("POST", "/T/Tables", Route::BelowTable(table())),
            ("POST", "/T/$batch", Route::BelowTable(table())),
            ("GET", "/T?comp=acl", Route::AclRead(table())),
            ("PUT", "/T?comp=acl", Route::AclWrite(table())),
            ("GET", "/?restype=service&comp=properties", Route::PropertiesRead),
            ("PUT", "/?restype=service&comp=properties", Route::PropertiesWrite),
            ("GET", "/?restype=service&comp=stats", Route::Stats),
        ] {
            assert_eq!(find(method, target, &[]), Ok(expected), "{method} {target}");
        }
        assert_eq!(find("PUT", ENTITY, &[("if-match", "")]), Ok(write(Change::Replace)));
        assert_eq!(find("PATCH", ENTITY, &[("if-match", "*")]), Ok(write(Change::Merge)));
    }

    #[test]
    fn a_post_may_stand_for_another_method() {
        fn tunnel<'n>(names: &[&'n str]) -> Vec<(&'n str, &'n str)> {
            names.iter().map(|name| ("x-http-method", *name)).collect()
        }
        assert_eq!(find("POST", ENTITY, &tunnel(&["MERGE"])), Ok(write(Change::InsertOrMerge)));
        assert_eq!(find("POST", ENTITY, &tunnel(&["DELETE"])), Ok(write(Change::Delete)));
        assert_eq!(find("POST", ENTITY, &tunnel(&["PUT", "PUT"])), Err(ErrorCode::XMethodIncorrectCount));
        assert_eq!(find("POST", ENTITY, &tunnel(&["GET"])), Err(ErrorCode::XMethodIncorrectValue));
        assert_eq!(find("PUT", ENTITY, &tunnel(&["MERGE"])), Err(ErrorCode::XMethodNotUsingPost));
    }

    #[test]
    fn other_methods_and_parameters_are_refused() {
        for (method, target, code) in [
            ("PUT", "/Tables", ErrorCode::MethodNotAllowed),
            ("POST", ENTITY, ErrorCode::MethodNotAllowed),
            ("GET", "/$batch", ErrorCode::MethodNotAllowed),
            ("DELETE", "/T", ErrorCode::MethodNotAllowed),
            ("DELETE", "/T?comp=acl", ErrorCode::MethodNotAllowed),
            ("TRACE", "/T", ErrorCode::UnsupportedHttpVerb),
            ("GET", "/?comp=properties", ErrorCode::InvalidQueryParameterValue),
            ("GET", "/?restype=service&comp=other", ErrorCode::InvalidQueryParameterValue),
            ("GET", "/T?comp=other", ErrorCode::InvalidQueryParameterValue),
            ("GET", "/Tables/b", ErrorCode::InvalidUri),
        ] {
            assert_eq!(find(method, target, &[]), Err(code), "{method} {target}");
        }
    }
}
