//! Names of the headers that the SQL API reads and writes. Constants, so that no request parses or hashes a name.

use http::HeaderName;

pub(crate) use crate::reply::names::SUBSTATUS as SUB_STATUS;
pub(crate) use crate::reply::names::{
    ACTIVITY_ID, ALT_CONTENT_PATH, CONTENT_PATH, CONTINUATION, DATE, GATEWAY_VERSION, GLOBAL_COMMITTED_LSN,
    INDEX_TRANSFORMATION_PROGRESS, INDEX_UTILIZATION, ITEM_COUNT, ITEM_LSN, LSN, PARTITION_KEY_RANGE_ID, QUERY_ADVICE,
    QUERY_METRICS, REQUEST_CHARGE, REQUIRES_DISTRIBUTION, RESOURCE_QUOTA, RESOURCE_USAGE, RETRY_AFTER_MS,
    SERVICE_VERSION, SESSION_TOKEN,
};
pub(crate) use http::header::{
    AUTHORIZATION, DATE as HTTP_DATE, ETAG, HOST, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH,
};

/// Most results a page may hold.
pub(crate) const MAX_ITEM_COUNT: HeaderName = HeaderName::from_static("x-ms-max-item-count");
/// Longest continuation that the client wants from a query, in KB.
pub(crate) const CONTINUATION_LIMIT_KB: HeaderName =
    HeaderName::from_static("x-ms-documentdb-responsecontinuationtokenlimitinkb");
/// The partition key, a JSON array.
pub(crate) const PARTITION_KEY: HeaderName = HeaderName::from_static("x-ms-documentdb-partitionkey");
/// First effective partition key of a feed range, hexadecimal.
pub(crate) const START_EPK: HeaderName = HeaderName::from_static("x-ms-start-epk");
/// End of a feed range, exclusive.
pub(crate) const END_EPK: HeaderName = HeaderName::from_static("x-ms-end-epk");
/// The body is a query.
pub(crate) const IS_QUERY: HeaderName = HeaderName::from_static("x-ms-documentdb-isquery");
/// The same, as older clients say it.
pub(crate) const IS_QUERY_OLD: HeaderName = HeaderName::from_static("x-ms-documentdb-query");
/// The client asks for the plan of the query.
pub(crate) const IS_QUERY_PLAN: HeaderName = HeaderName::from_static("x-ms-cosmos-is-query-plan-request");
/// What the client can do with the rows of several ranges: names between commas.
pub(crate) const SUPPORTED_QUERY_FEATURES: HeaderName = HeaderName::from_static("x-ms-cosmos-supported-query-features");
/// The client sends a query to its one range without having asked for a plan.
pub(crate) const OPTIMISTIC_DIRECT_EXECUTE: HeaderName =
    HeaderName::from_static("x-ms-cosmos-query-optimisticdirectexecute");
/// A query may touch several logical partitions.
pub(crate) const ENABLE_CROSS_PARTITION: HeaderName =
    HeaderName::from_static("x-ms-documentdb-query-enablecrosspartition");
/// Whether the client will go on from the continuation of a range. Sent by clients that run plans only.
pub(crate) const IS_CONTINUATION_EXPECTED: HeaderName =
    HeaderName::from_static("x-ms-documentdb-query-iscontinuationexpected");
/// The client runs a query on several ranges at a time.
pub(crate) const PARALLELIZE_CROSS_PARTITION: HeaderName =
    HeaderName::from_static("x-ms-documentdb-query-parallelizecrosspartitionquery");
/// Create or replace.
pub(crate) const IS_UPSERT: HeaderName = HeaderName::from_static("x-ms-documentdb-is-upsert");
/// The body is a list of operations.
pub(crate) const IS_BATCH: HeaderName = HeaderName::from_static("x-ms-cosmos-is-batch-request");
/// All operations or none.
pub(crate) const BATCH_ATOMIC: HeaderName = HeaderName::from_static("x-ms-cosmos-batch-atomic");
/// Whether bulk goes on after a failed operation.
pub(crate) const BATCH_CONTINUE_ON_ERROR: HeaderName = HeaderName::from_static("x-ms-cosmos-batch-continue-on-error");
/// Ask for the execution metrics of a query, in requests; the metrics, in replies.
pub(crate) const POPULATE_QUERY_METRICS: HeaderName = HeaderName::from_static("x-ms-documentdb-populatequerymetrics");
/// Ask which indexes a query used or could use, in the first form of the answer.
pub(crate) const POPULATE_INDEX_METRICS: HeaderName = HeaderName::from_static("x-ms-cosmos-populateindexmetrics");
/// The same, in the second form.
pub(crate) const POPULATE_INDEX_METRICS_V2: HeaderName = HeaderName::from_static("x-ms-cosmos-populateindexmetrics-v2");
/// Ask what could make a query cheaper.
pub(crate) const POPULATE_QUERY_ADVICE: HeaderName = HeaderName::from_static("x-ms-cosmos-populatequeryadvice");
/// Ask how the page of a query was made: a member `explain` of the reply's body. This server's own.
pub(crate) const EXPLAIN: HeaderName = HeaderName::from_static("x-orrery-explain");
/// Ask for a container's size and limits.
pub(crate) const POPULATE_QUOTA_INFO: HeaderName = HeaderName::from_static("x-ms-documentdb-populatequotainfo");
/// The container the client believes a name stands for.
pub(crate) const INTENDED_CONTAINER_RID: HeaderName = HeaderName::from_static("x-ms-cosmos-intended-collection-rid");
/// Consistency that a read is content with.
pub(crate) const CONSISTENCY_LEVEL: HeaderName = HeaderName::from_static("x-ms-consistency-level");
/// Manual throughput of a database or container to create.
pub(crate) const OFFER_THROUGHPUT: HeaderName = HeaderName::from_static("x-ms-offer-throughput");
/// Autoscale throughput of a database or container to create.
pub(crate) const OFFER_AUTOPILOT_SETTINGS: HeaderName = HeaderName::from_static("x-ms-cosmos-offer-autopilot-settings");
/// Turns an offer from manual to autoscale.
pub(crate) const MIGRATE_TO_AUTOSCALE: HeaderName = HeaderName::from_static("x-ms-cosmos-migrate-offer-to-autopilot");
/// Turns an offer from autoscale to manual.
pub(crate) const MIGRATE_TO_MANUAL: HeaderName =
    HeaderName::from_static("x-ms-cosmos-migrate-offer-to-manual-throughput");
/// Seconds for which a permission's token is good.
pub(crate) const EXPIRY_SECONDS: HeaderName = HeaderName::from_static("x-ms-documentdb-expiry-seconds");
/// "Incremental feed" or "Full-Fidelity Feed".
pub(crate) const A_IM: HeaderName = HeaderName::from_static("a-im");
/// Triggers to run before a write.
pub(crate) const PRE_TRIGGER_INCLUDE: HeaderName = HeaderName::from_static("x-ms-documentdb-pre-trigger-include");
/// Triggers to run after a write.
pub(crate) const POST_TRIGGER_INCLUDE: HeaderName = HeaderName::from_static("x-ms-documentdb-post-trigger-include");
/// Whether this write is indexed.
pub(crate) const INDEXING_DIRECTIVE: HeaderName = HeaderName::from_static("x-ms-indexing-directive");
/// "return=minimal" asks for no body back from a write.
pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Ask for sizes per partition key range.
pub(crate) const POPULATE_PARTITION_STATISTICS: HeaderName =
    HeaderName::from_static("x-ms-documentdb-populatepartitionstatistics");
