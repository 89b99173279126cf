// Containers and their settings.

import assert from "node:assert/strict";
import test from "node:test";
import { connect, fill, hash, ids, multiHash, newContainer, newDatabase, newLargeContainer, refusal } from "./server.mjs";

test("a container is created with the service's defaults", async (t) => {
  const database = await newDatabase(t);
  const { resource, statusCode, container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  assert.equal(statusCode, 201);
  assert.deepEqual(resource.partitionKey.paths, ["/pk"]);
  assert.equal(resource.partitionKey.kind, "Hash");
  assert.deepEqual(resource.indexingPolicy.includedPaths, [{ path: "/*" }]);
  assert.deepEqual(resource.indexingPolicy.excludedPaths, [{ path: '/"_etag"/?' }]);
  assert.equal(resource.indexingPolicy.indexingMode, "consistent");
  assert.equal(resource.conflictResolutionPolicy.mode, "LastWriterWins");
  assert.equal(container.url, `dbs/${database.id}/colls/c`);
  const links = [resource._docs, resource._sprocs, resource._triggers, resource._udfs, resource._conflicts];
  assert.deepEqual(links, ["docs/", "sprocs/", "triggers/", "udfs/", "conflicts/"]);
  assert.deepEqual((await container.read()).resource, resource);
});

test("settings are kept as they were given", async (t) => {
  const database = await newDatabase(t);
  const settings = {
    id: "c",
    partitionKey: multiHash("/tenant", "/user"),
    defaultTtl: 3600,
    indexingPolicy: {
      indexingMode: "consistent",
      automatic: true,
      includedPaths: [{ path: "/name/?" }, { path: "/tags/[]/*" }],
      excludedPaths: [{ path: "/*" }],
      compositeIndexes: [[{ path: "/name", order: "ascending" }, { path: "/age", order: "descending" }]],
      spatialIndexes: [{ path: "/place/*", types: ["Point", "Polygon"] }],
    },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email", "/kind"] }] },
    conflictResolutionPolicy: { mode: "LastWriterWins", conflictResolutionPath: "/changed", conflictResolutionProcedure: "" },
    geospatialConfig: { type: "Geometry" },
    computedProperties: [{ name: "lower", query: "SELECT VALUE LOWER(c.name) FROM c" }],
  };
  const { container } = await database.containers.create(structuredClone(settings));
  const { resource } = await container.read();
  for (const name of ["partitionKey", "defaultTtl", "conflictResolutionPolicy", "geospatialConfig", "computedProperties"]) {
    assert.deepEqual(resource[name], settings[name], name);
  }
  assert.deepEqual(resource.uniqueKeyPolicy.uniqueKeys.map((unique) => unique.paths), [["/email", "/kind"]]);
  for (const name of ["indexingMode", "automatic", "includedPaths", "compositeIndexes"]) {
    assert.deepEqual(resource.indexingPolicy[name], settings.indexingPolicy[name], name);
  }
  assert.ok(resource.indexingPolicy.excludedPaths.some(({ path }) => path === "/*"));
  assert.equal(resource.indexingPolicy.spatialIndexes[0].path, "/place/*");
});

test("settings are replaced, the partition key is not", async (t) => {
  const container = await newContainer(t);
  const { resource: before } = await container.read();
  const policy = { ...before.indexingPolicy, excludedPaths: [{ path: "/secret/*" }, { path: '/"_etag"/?' }] };
  const { resource: after, statusCode } = await container.replace({ ...before, indexingPolicy: policy, defaultTtl: 60 });
  assert.equal(statusCode, 200);
  assert.equal(after.defaultTtl, 60);
  assert.deepEqual(after.indexingPolicy.excludedPaths, policy.excludedPaths);
  assert.equal(after._rid, before._rid);
  assert.notEqual(after._etag, before._etag);
  assert.deepEqual((await container.read()).resource, after);
  await refusal(container.replace({ ...after, partitionKey: hash("/other") }), 400, /partitionKey.* cannot change/);
});

test("the etag guards a replacement of settings", async (t) => {
  const container = await newContainer(t);
  const { resource: first } = await container.read();
  await container.replace({ ...first, defaultTtl: 60 });
  const stale = { accessCondition: { type: "IfMatch", condition: first._etag } };
  await refusal(container.replace({ ...first, defaultTtl: 90 }, stale), 412);
  assert.equal((await container.read()).resource.defaultTtl, 60);
});

test("a container is deleted with its items", async (t) => {
  const database = await newDatabase(t);
  const { container, resource: first } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  await container.items.create({ id: "1", pk: "x" });
  assert.equal((await container.delete()).statusCode, 204);
  await refusal(container.read(), 404);
  await refusal(container.items.create({ id: "1", pk: "x" }), 404);
  const { resource: second } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  assert.notEqual(second._rid, first._rid);
  assert.deepEqual((await container.items.readAll().fetchAll()).resources, []);
});

test("an id is taken once in a database", async (t) => {
  const container = await newContainer(t);
  const { containers } = container.database;
  await refusal(containers.create({ id: "items", partitionKey: "/pk" }), 409);
  assert.equal((await containers.createIfNotExists({ id: "items", partitionKey: "/pk" })).statusCode, 200);
  assert.equal((await containers.createIfNotExists({ id: "more", partitionKey: "/pk" })).statusCode, 201);
});

test("containers are listed and queried", async (t) => {
  const database = await newDatabase(t);
  for (const id of ["a", "b", "c"]) await database.containers.create({ id, partitionKey: "/pk" });
  const iterator = database.containers.readAll({ maxItemCount: 2 });
  const pages = [];
  while (iterator.hasMoreResults()) pages.push((await iterator.fetchNext()).resources);
  assert.ok(pages.every((page) => page.length <= 2));
  assert.deepEqual(ids(pages.flat()), ["a", "b", "c"]);
  const { resources } = await database.containers.query("SELECT * FROM root r WHERE r.id = 'b'").fetchAll();
  assert.deepEqual(resources, [(await database.container("b").read()).resource]);
});

test("the partition key definition is read once and remembered", async (t) => {
  const container = await newContainer(t, { partitionKey: multiHash("/a", "/b/c") });
  const other = connect().database(container.database.id).container(container.id);
  const { resource, statusCode } = await other.getPartitionKeyDefinition();
  assert.deepEqual(resource, { paths: ["/a", "/b/c"], kind: "MultiHash", version: 2 });
  assert.equal(statusCode, 200);
  assert.deepEqual((await other.readPartitionKeyDefinition({ addData() {} })).resource, resource);
});

test("partition key ranges cover the key space without gaps", async (t) => {
  const container = await newLargeContainer(t);
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  assert.ok(resources.length > 1, `${resources.length} ranges`);
  const ranges = resources.toSorted((a, b) => (a.minInclusive < b.minInclusive ? -1 : 1));
  assert.equal(ranges[0].minInclusive, "");
  assert.equal(ranges.at(-1).maxExclusive, "FF");
  ranges.slice(1).forEach((range, index) => assert.equal(range.minInclusive, ranges[index].maxExclusive));
  const feedRanges = await container.getFeedRanges();
  const bounds = ({ minInclusive, maxExclusive }) => `${minInclusive}-${maxExclusive}`;
  assert.deepEqual(feedRanges.map(bounds).sort(), resources.map(bounds).sort());
});

test("a container reports how much it holds", async (t) => {
  const container = await newContainer(t);
  await fill(container, 20, 3);
  const { headers } = await container.read({ populateQuotaInfo: true });
  assert.match(headers["x-ms-resource-usage"], /documentsCount=20\b/);
  assert.match(headers["x-ms-resource-quota"], /collectionSize=/);
});

test("unknown settings and broken ones are refused", async (t) => {
  const { containers } = await newDatabase(t);
  const wrong = [
    { partitionKey: { paths: ["pk"], kind: "Hash", version: 2 } },
    { partitionKey: { paths: ["/pk"], kind: "Range", version: 2 } },
    { partitionKey: { paths: ["/a", "/b", "/c", "/d"], kind: "MultiHash", version: 2 } },
    { partitionKey: hash("/pk"), defaultTtl: 0 },
    { partitionKey: hash("/pk"), indexingPolicy: { indexingMode: "sometimes" } },
  ];
  for (const [number, settings] of wrong.entries()) {
    await refusal(containers.create({ id: `c${number}`, ...settings }), 400);
  }
  assert.deepEqual((await containers.readAll().fetchAll()).resources, []);
});

test("a container without conflicts has an empty list of them", async (t) => {
  const container = await newContainer(t);
  assert.deepEqual((await container.conflicts.readAll().fetchAll()).resources, []);
  assert.deepEqual((await container.conflicts.query("SELECT * FROM c").fetchAll()).resources, []);
  const conflict = container.conflict("none", "x");
  assert.equal(conflict.url, `/${container.url}/conflicts/none`);
  await refusal(conflict.read(), 404);
  await refusal(conflict.delete(), 404);
});
