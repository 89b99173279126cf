// Every public method of the client is called by some test: a new version's new method fails here until one calls it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as cosmos from "@azure/cosmos";
import { connect } from "./server.mjs";

const READ_REPLACE_DELETE = "url read replace delete";

// Where the methods of each class are called.
const CALLED = {
  CosmosClient: {
    account: "getDatabaseAccount getReadEndpoint getWriteEndpoint getReadEndpoints getWriteEndpoints dispose updateHostFramework",
    users: "database",
    throughput: "offer",
  },
  Databases: { databases: "query create createIfNotExists readAll" },
  Database: {
    databases: "url read delete",
    containers: "container",
    users: "user",
    throughput: "readOffer",
    encryption: "createClientEncryptionKey readClientEncryptionKey rewrapClientEncryptionKey",
  },
  Containers: { containers: "query create createIfNotExists readAll" },
  Container: {
    containers: "url read replace delete conflict conflicts getPartitionKeyDefinition readPartitionKeyDefinition readPartitionKeyRanges getFeedRanges",
    items: "items item",
    scripts: "scripts",
    throughput: "readOffer",
    query_shapes: "getQueryPlan",
    partitions: "deleteAllItemsForPartitionKey",
    encryption: "initializeEncryption",
    account: "semanticRerank",
  },
  Items: {
    items: "create upsert",
    query: "query readAll",
    change_feed: "readChangeFeed changeFeed getChangeFeedIterator",
    bulk: "executeBulkOperations bulk",
    batch: "batch",
    encryption: "getEncryptionQueryIterator",
  },
  Item: { items: READ_REPLACE_DELETE, patch: "patch" },
  Conflicts: { containers: "query readAll" },
  Conflict: { containers: "url read delete" },
  Offers: { throughput: "query readAll" },
  Offer: { throughput: "url read replace" },
  Users: { users: "query readAll create upsert" },
  User: { users: `${READ_REPLACE_DELETE} permission` },
  Permissions: { users: "query readAll create upsert" },
  Permission: { users: READ_REPLACE_DELETE },
  Scripts: { scripts: "storedProcedure storedProcedures trigger triggers userDefinedFunction userDefinedFunctions" },
  StoredProcedures: { scripts: "query readAll create" },
  StoredProcedure: { scripts: `${READ_REPLACE_DELETE} execute` },
  StoredProcedureResponse: { scripts: "sproc" },
  Triggers: { scripts: "query readAll create" },
  Trigger: { scripts: READ_REPLACE_DELETE },
  UserDefinedFunctions: { scripts: "query readAll create" },
  UserDefinedFunction: { scripts: READ_REPLACE_DELETE },
  UserDefinedFunctionResponse: { scripts: "udf" },
  QueryIterator: { query: "getAsyncIterator hasMoreResults fetchAll fetchNext reset" },
  FeedResponse: { query: "continuationToken queryMetrics requestCharge activityId indexMetrics correlatedActivityId" },
  ResourceResponse: { items: "requestCharge etag activityId" },
  ChangeFeedIterator: { change_feed: "hasMoreResults getAsyncIterator fetchNext" },
  ChangeFeedResponse: { change_feed: "etag requestCharge activityId continuation sessionToken" },
  ChangeFeedIteratorBuilder: { change_feed: "hasMoreResults getAsyncIterator readNext" },
  ChangeFeedIteratorResponse: { change_feed: "requestCharge activityId continuationToken sessionToken" },
  ChangeFeedStartFrom: { change_feed: "Beginning Now Time Continuation" },
  EncryptionQueryBuilder: { encryption: "addParameter addUnencryptedParameter" },
  PartitionKeyBuilder: { query: "addValue addNullValue addNoneValue build" },
};

// Methods that the client's own declarations leave out: it calls them itself, under the public ones.
const INTERNAL = {
  CosmosClient: "initializeClientConfigDiagnostic getDatabaseAccountInternal backgroundRefreshEndpointList",
  Databases: "createInternal",
  Database: "readInternal",
  Containers: "createInternal",
  Container: "readInternal checkAndInitializeEncryption throwIfRequestNeedsARetryPostPolicyRefresh",
  Items: "buildSqlQuerySpec executeBatchOperations createNewBatches groupOperationsBasedOnPartitionKey bulkBatchEncryptionHelper",
  QueryIterator: `getAsyncIteratorInternal fetchAllInternal fetchNextInternal toArrayImplementation createExecutionContext
    createHybridQueryExecutionContext createPipelinedExecutionContext fetchQueryPlan needsQueryPlan init _init shouldForceQueryPlan
    forceQueryPlanExecutionContext handleSplitError`,
  FeedResponse: "continuation",
  ChangeFeedIterator: "getFeedResponse IfNoneMatchAllHeaderValue",
  ChangeFeedIteratorBuilder: "initializeIterator",
  EncryptionQueryBuilder: "toEncryptionSqlQuerySpec",
};

// Classes that send nothing: the client's plumbing, and values that its caller makes or is given.
const SILENT = new Set(
  `AzureKeyVaultEncryptionKeyResolver ChangeFeedRetentionTimeSpan ClientContext ClientSideMetrics DatabaseAccount DiagnosticNodeInternal
   GlobalEndpointManager QueryMetrics QueryPreparationTimes RestError RuntimeExecutionTimes TimeSpan`.split(/\s+/),
);

const words = (text) => text?.split(/\s+/) ?? [];

function members(type) {
  const own = Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
  const fixed = Object.getOwnPropertyNames(type).filter((name) => !["length", "name", "prototype"].includes(name));
  return [...own, ...fixed];
}

// The exported classes, and the one that is only handed out.
function classes() {
  const builder = connect().database("d").container("c").items.getChangeFeedIterator().constructor;
  const found = Object.entries({ ...cosmos, ChangeFeedIteratorBuilder: builder }).filter(([, type]) => typeof type === "function" && type.prototype);
  return found.filter(([, type]) => members(type).length > 0);
}

for (const [name, type] of classes().filter(([name]) => !SILENT.has(name))) {
  test(`the methods of ${name} are those that tests call`, () => {
    const expected = [...Object.values(CALLED[name] ?? {}).flatMap(words), ...words(INTERNAL[name])];
    assert.deepEqual(members(type).sort(), expected.sort());
  });
}

for (const [name, files] of Object.entries(CALLED)) {
  test(`tests call the methods of ${name}`, () => {
    for (const [file, methods] of Object.entries(files)) {
      const text = readFileSync(new URL(`${file}.test.mjs`, import.meta.url), "utf8");
      const missing = words(methods).filter((method) => !new RegExp(`(\\.|[{,] )${method}\\b`).test(text));
      assert.deepEqual(missing, [], `${file}.test.mjs`);
    }
  });
}
