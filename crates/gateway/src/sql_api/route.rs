//! Which handler a request goes to: its path and verb, and nothing else.

use std::borrow::Cow;

use http::Method;
use orrery_engine::ResourceKind;

use super::error::ApiError;
use super::path::Path;

/// A database and a container, each by name or by rid, as they stood in the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContainerPath<'p> {
    pub database: Cow<'p, str>,
    pub container: Cow<'p, str>,
}

/// What a small resource lies under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParentPath<'p> {
    Database(Cow<'p, str>),
    Container(ContainerPath<'p>),
    User { database: Cow<'p, str>, user: Cow<'p, str> },
}

/// What is done to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedVerb {
    List,
    /// Create, upsert or query, which headers tell apart.
    Post,
}

/// What is done to one small resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceVerb {
    Read,
    Replace,
    Delete,
    /// Run a stored procedure.
    Execute,
}

/// Everything the SQL API answers. HEAD is routed as GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route<'p> {
    Account,
    /// The TLS certificate, where the official emulator has it.
    Certificate,
    DatabaseFeed(FeedVerb),
    DatabaseRead(Cow<'p, str>),
    DatabaseDelete(Cow<'p, str>),
    ContainerFeed(Cow<'p, str>, FeedVerb),
    ContainerRead(ContainerPath<'p>),
    ContainerReplace(ContainerPath<'p>),
    ContainerDelete(ContainerPath<'p>),
    /// List or change feed.
    ItemFeed(ContainerPath<'p>),
    /// Create, upsert, query, query plan, batch or bulk.
    ItemPost(ContainerPath<'p>),
    ItemRead(ContainerPath<'p>, Cow<'p, str>),
    ItemReplace(ContainerPath<'p>, Cow<'p, str>),
    ItemPatch(ContainerPath<'p>, Cow<'p, str>),
    ItemDelete(ContainerPath<'p>, Cow<'p, str>),
    /// Delete all items of one logical partition.
    PartitionDelete(ContainerPath<'p>),
    PartitionKeyRangeFeed(ContainerPath<'p>),
    ConflictFeed(ContainerPath<'p>, FeedVerb),
    Conflict(ContainerPath<'p>, Cow<'p, str>),
    ResourceFeed {
        parent: ParentPath<'p>,
        kind: ResourceKind,
        verb: FeedVerb,
    },
    Resource {
        parent: ParentPath<'p>,
        kind: ResourceKind,
        id: Cow<'p, str>,
        verb: ResourceVerb,
    },
    OfferFeed(FeedVerb),
    OfferRead(Cow<'p, str>),
    OfferReplace(Cow<'p, str>),
}

/// Names of routes for metrics and logs; [`Route::number`] indexes them.
pub const ROUTE_NAMES: [&str; 25] = [
    "unknown",
    "account",
    "certificate",
    "database_feed",
    "database_read",
    "database_delete",
    "container_feed",
    "container_read",
    "container_replace",
    "container_delete",
    "item_feed",
    "item_post",
    "item_read",
    "item_replace",
    "item_patch",
    "item_delete",
    "partition_delete",
    "partition_key_ranges",
    "conflicts",
    "resource_feed",
    "resource",
    "offer_feed",
    "offer",
    "item_query",
    "item_batch",
];

/// Number of `item_post` requests whose body is a query.
pub(crate) const ITEM_QUERY: u8 = 23;
/// Number of `item_post` requests whose body is a batch.
pub(crate) const ITEM_BATCH: u8 = 24;

impl<'p> Route<'p> {
    /// # Errors
    /// 404 for a path the service does not have, 405 for a verb that the path does not take.
    pub fn find(method: &Method, path: &Path<'p>) -> Result<Route<'p>, ApiError> {
        let verb = Verb::of(method).ok_or_else(|| not_allowed(method))?;
        let place = Place::find(path).ok_or_else(|| ApiError::not_found("The path names nothing this API has"))?;
        place.route(verb).ok_or_else(|| not_allowed(method))
    }

    /// Index into [`ROUTE_NAMES`].
    pub fn number(&self) -> u8 {
        match self {
            Route::Account => 1,
            Route::Certificate => 2,
            Route::DatabaseFeed(_) => 3,
            Route::DatabaseRead(_) => 4,
            Route::DatabaseDelete(_) => 5,
            Route::ContainerFeed(..) => 6,
            Route::ContainerRead(_) => 7,
            Route::ContainerReplace(_) => 8,
            Route::ContainerDelete(_) => 9,
            Route::ItemFeed(_) => 10,
            Route::ItemPost(_) => 11,
            Route::ItemRead(..) => 12,
            Route::ItemReplace(..) => 13,
            Route::ItemPatch(..) => 14,
            Route::ItemDelete(..) => 15,
            Route::PartitionDelete(_) => 16,
            Route::PartitionKeyRangeFeed(_) => 17,
            Route::ConflictFeed(..) | Route::Conflict(..) => 18,
            Route::ResourceFeed { .. } => 19,
            Route::Resource { .. } => 20,
            Route::OfferFeed(_) => 21,
            Route::OfferRead(_) | Route::OfferReplace(_) => 22,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    fn of(method: &Method) -> Option<Verb> {
        Some(match method.as_str() {
            "GET" | "HEAD" => Verb::Get,
            "POST" => Verb::Post,
            "PUT" => Verb::Put,
            "PATCH" => Verb::Patch,
            "DELETE" => Verb::Delete,
            _ => return None,
        })
    }

    fn on_feed(self) -> Option<FeedVerb> {
        match self {
            Verb::Get => Some(FeedVerb::List),
            Verb::Post => Some(FeedVerb::Post),
            Verb::Put | Verb::Patch | Verb::Delete => None,
        }
    }

    fn on_resource(self, kind: ResourceKind) -> Option<ResourceVerb> {
        match self {
            Verb::Get => Some(ResourceVerb::Read),
            Verb::Put => Some(ResourceVerb::Replace),
            Verb::Delete => Some(ResourceVerb::Delete),
            Verb::Post => (kind == ResourceKind::StoredProcedure).then_some(ResourceVerb::Execute),
            Verb::Patch => None,
        }
    }
}

/// What a path names, before the verb is looked at.
enum Place<'p> {
    Account,
    Certificate,
    Databases,
    Database(Cow<'p, str>),
    Containers(Cow<'p, str>),
    Container(ContainerPath<'p>),
    Items(ContainerPath<'p>),
    Item(ContainerPath<'p>, Cow<'p, str>),
    PartitionDelete(ContainerPath<'p>),
    PartitionKeyRanges(ContainerPath<'p>),
    Conflicts(ContainerPath<'p>),
    Conflict(ContainerPath<'p>, Cow<'p, str>),
    Resources(ParentPath<'p>, ResourceKind),
    Resource(ParentPath<'p>, ResourceKind, Cow<'p, str>),
    Offers,
    Offer(Cow<'p, str>),
}

impl<'p> Place<'p> {
    fn find(path: &Path<'p>) -> Option<Place<'p>> {
        let segments = path.segments();
        let (first, rest) = match segments {
            [] => return Some(Place::Account),
            [first, rest @ ..] => (first.as_ref(), rest),
        };
        match (first, rest) {
            ("dbs", []) => Some(Place::Databases),
            ("dbs", [database]) => Some(Place::Database(database.clone())),
            ("dbs", [database, collection, rest @ ..]) => Place::in_database(database, collection, rest),
            ("offers", []) => Some(Place::Offers),
            ("offers", [rid]) => Some(Place::Offer(rid.clone())),
            ("_explorer", [file]) if file == "emulator.pem" => Some(Place::Certificate),
            _ => None,
        }
    }

    fn in_database(database: &Cow<'p, str>, collection: &str, rest: &[Cow<'p, str>]) -> Option<Place<'p>> {
        let parent = || ParentPath::Database(database.clone());
        match (collection, rest) {
            ("colls", []) => Some(Place::Containers(database.clone())),
            ("colls", [container, rest @ ..]) => {
                Place::in_container(ContainerPath { database: database.clone(), container: container.clone() }, rest)
            }
            ("users", []) => Some(Place::Resources(parent(), ResourceKind::User)),
            ("users", [user]) => Some(Place::Resource(parent(), ResourceKind::User, user.clone())),
            ("users", [user, permissions, rest @ ..]) if permissions == "permissions" => {
                let parent = ParentPath::User { database: database.clone(), user: user.clone() };
                Place::small(parent, ResourceKind::Permission, rest)
            }
            ("clientencryptionkeys", rest) => Place::small(parent(), ResourceKind::ClientEncryptionKey, rest),
            _ => None,
        }
    }

    fn in_container(container: ContainerPath<'p>, rest: &[Cow<'p, str>]) -> Option<Place<'p>> {
        let (collection, rest) = match rest {
            [] => return Some(Place::Container(container)),
            [collection, rest @ ..] => (collection.as_ref(), rest),
        };
        match (collection, rest) {
            ("docs", []) => Some(Place::Items(container)),
            ("docs", [id]) => Some(Place::Item(container, id.clone())),
            ("operations", [name]) if name == "partitionkeydelete" => Some(Place::PartitionDelete(container)),
            ("pkranges", []) => Some(Place::PartitionKeyRanges(container)),
            ("conflicts", []) => Some(Place::Conflicts(container)),
            ("conflicts", [id]) => Some(Place::Conflict(container, id.clone())),
            ("sprocs", rest) => Place::small(ParentPath::Container(container), ResourceKind::StoredProcedure, rest),
            ("triggers", rest) => Place::small(ParentPath::Container(container), ResourceKind::Trigger, rest),
            ("udfs", rest) => Place::small(ParentPath::Container(container), ResourceKind::UserDefinedFunction, rest),
            _ => None,
        }
    }

    fn small(parent: ParentPath<'p>, kind: ResourceKind, rest: &[Cow<'p, str>]) -> Option<Place<'p>> {
        match rest {
            [] => Some(Place::Resources(parent, kind)),
            [id] => Some(Place::Resource(parent, kind, id.clone())),
            _ => None,
        }
    }

    /// `None` if the place does not take the verb.
    fn route(self, verb: Verb) -> Option<Route<'p>> {
        use Verb::{Delete, Get, Patch, Post, Put};
        Some(match (self, verb) {
            (Place::Account, Get) => Route::Account,
            (Place::Certificate, Get) => Route::Certificate,
            (Place::Databases, verb) => Route::DatabaseFeed(verb.on_feed()?),
            (Place::Database(id), Get) => Route::DatabaseRead(id),
            (Place::Database(id), Delete) => Route::DatabaseDelete(id),
            (Place::Containers(database), verb) => Route::ContainerFeed(database, verb.on_feed()?),
            (Place::Container(container), Get) => Route::ContainerRead(container),
            (Place::Container(container), Put) => Route::ContainerReplace(container),
            (Place::Container(container), Delete) => Route::ContainerDelete(container),
            (Place::Items(container), Get) => Route::ItemFeed(container),
            (Place::Items(container), Post) => Route::ItemPost(container),
            (Place::Item(container, id), Get) => Route::ItemRead(container, id),
            (Place::Item(container, id), Put) => Route::ItemReplace(container, id),
            (Place::Item(container, id), Patch) => Route::ItemPatch(container, id),
            (Place::Item(container, id), Delete) => Route::ItemDelete(container, id),
            (Place::PartitionDelete(container), Post) => Route::PartitionDelete(container),
            (Place::PartitionKeyRanges(container), Get) => Route::PartitionKeyRangeFeed(container),
            (Place::Conflicts(container), verb) => Route::ConflictFeed(container, verb.on_feed()?),
            (Place::Conflict(container, id), Get | Delete) => Route::Conflict(container, id),
            (Place::Resources(parent, kind), verb) => Route::ResourceFeed { parent, kind, verb: verb.on_feed()? },
            (Place::Resource(parent, kind, id), verb) => {
                Route::Resource { parent, kind, id, verb: verb.on_resource(kind)? }
            }
            (Place::Offers, verb) => Route::OfferFeed(verb.on_feed()?),
            (Place::Offer(rid), Get) => Route::OfferRead(rid),
            (Place::Offer(rid), Put) => Route::OfferReplace(rid),
            _ => return None,
        })
    }
}

fn not_allowed(method: &Method) -> ApiError {
    ApiError::new(http::StatusCode::METHOD_NOT_ALLOWED, format!("The resource does not take the method {method}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(method: &str, path: &str) -> String {
        let path = match Path::parse(path) {
            Ok(path) => path,
            Err(error) => return error.status.as_str().to_owned(),
        };
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        match Route::find(&method, &path) {
            Ok(route) => ROUTE_NAMES[usize::from(route.number())].to_owned(),
            Err(error) => error.status.as_str().to_owned(),
        }
    }

    #[test]
    fn paths_and_verbs_lead_to_routes() {
        let cases = [
            ("GET", "/", "account"),
            ("HEAD", "", "account"),
            ("POST", "/", "405"),
            ("GET", "/_explorer/emulator.pem", "certificate"),
            ("GET", "/dbs", "database_feed"),
            ("POST", "//dbs/", "database_feed"),
            ("PUT", "/dbs", "405"),
            ("GET", "/dbs/a", "database_read"),
            ("PUT", "/dbs/a", "405"),
            ("DELETE", "/dbs/a/", "database_delete"),
            ("POST", "/dbs/a/colls", "container_feed"),
            ("HEAD", "/dbs/a/colls/b", "container_read"),
            ("PUT", "/dbs/a/colls/b", "container_replace"),
            ("DELETE", "/dbs/a/colls/b", "container_delete"),
            ("GET", "/dbs/a/colls/b/docs", "item_feed"),
            ("POST", "/dbs/a/colls/b/docs/", "item_post"),
            ("GET", "/dbs/a/colls/b/docs/c", "item_read"),
            ("PUT", "/dbs/a/colls/b/docs/c", "item_replace"),
            ("PATCH", "/dbs/a/colls/b/docs/c", "item_patch"),
            ("DELETE", "/dbs/a/colls/b/docs/c", "item_delete"),
            ("POST", "/dbs/a/colls/b/docs/c", "405"),
            ("GET", "/dbs/a/colls/b/docs/c/attachments", "404"),
            ("POST", "/dbs/a/colls/b/operations/partitionkeydelete", "partition_delete"),
            ("POST", "/dbs/a/colls/b/operations/collectiontruncate", "404"),
            ("GET", "/dbs/a/colls/b/pkranges", "partition_key_ranges"),
            ("GET", "/dbs/a/colls/b/conflicts", "conflicts"),
            ("DELETE", "/dbs/a/colls/b/conflicts/c", "conflicts"),
            ("GET", "/dbs/a/colls/b/sprocs", "resource_feed"),
            ("POST", "/dbs/a/colls/b/sprocs/s", "resource"),
            ("POST", "/dbs/a/colls/b/udfs/s", "405"),
            ("GET", "/dbs/a/users/u/permissions/p", "resource"),
            ("GET", "/dbs/a/users/u/secrets", "404"),
            ("POST", "/dbs/a/clientencryptionkeys", "resource_feed"),
            ("GET", "/offers", "offer_feed"),
            ("PUT", "/offers/Xy12", "offer"),
            ("DELETE", "/offers/Xy12", "405"),
            ("GET", "/addresses", "404"),
            ("OPTIONS", "/dbs", "405"),
        ];
        for (method, path, expected) in cases {
            assert_eq!(shown(method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn each_route_has_a_name_of_its_own() {
        let mut names = ROUTE_NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROUTE_NAMES.len());
        assert_eq!(ROUTE_NAMES[usize::from(ITEM_QUERY)], "item_query");
        assert_eq!(ROUTE_NAMES[usize::from(ITEM_BATCH)], "item_batch");
    }
}
