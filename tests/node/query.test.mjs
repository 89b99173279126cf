// Lists and queries.

import assert from "node:assert/strict";
import test from "node:test";
import { PartitionKeyBuilder } from "@azure/cosmos";
import { connect, endpoints, fill, ids, multiHash, newContainer, newLargeContainer, refusal, schemes } from "./server.mjs";

const COUNT = 60;
const KEYS = 13;

async function filled(t, client) {
  const container = await newLargeContainer(t, {}, client);
  return { container, items: await fill(container, COUNT, KEYS) };
}

async function rows(container, query, options) {
  return (await container.items.query(query, options).fetchAll()).resources;
}

for (const scheme of schemes) {
  test(`${scheme}: a list has every item of every physical partition once, page by page`, async (t) => {
    const { container, items } = await filled(t, connect({ endpoint: endpoints[scheme] }));
    const pages = [];
    for await (const page of container.items.readAll({ maxItemCount: 7 }).getAsyncIterator()) pages.push(page.resources);
    assert.ok(pages.every((page) => page.length <= 7) && pages.length >= COUNT / 7);
    assert.deepEqual(ids(pages.flat()), ids(items));
  });
}

test("a list can be of one logical partition", async (t) => {
  const { container, items } = await filled(t);
  const { resources, requestCharge } = await container.items.readAll({ partitionKey: "p5" }).fetchAll();
  assert.deepEqual(ids(resources), ids(items.filter((item) => item.pk === "p5")));
  assert.ok(requestCharge > 0);
});

test("filters, parameters and projections", async (t) => {
  const { container, items } = await filled(t);
  const query = (text, parameters = {}) => ({ query: text, parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })) });
  assert.deepEqual(ids(await rows(container, "SELECT * FROM c WHERE c.n >= 10 AND c.n < 20")), ids(items.slice(10, 20)));
  assert.deepEqual(await rows(container, query("SELECT c.id, c.n AS number FROM c WHERE c.n = @n", { "@n": 42 })), [{ id: "0042", number: 42 }]);
  assert.deepEqual((await rows(container, query("SELECT VALUE c.n FROM c WHERE ARRAY_CONTAINS(@list, c.n)", { "@list": [3, 5, 99] }))).sort(), [3, 5]);
  assert.deepEqual((await rows(container, "SELECT VALUE c.pk FROM c WHERE STARTSWITH(c.id, '000') AND c.n IN (1, 2, 30)")).sort(), ["p1", "p2"]);
  assert.deepEqual(await rows(container, "SELECT VALUE {id: c.id, twice: c.n * 2} FROM c WHERE c.n = 7"), [{ id: "0007", twice: 14 }]);
  assert.deepEqual(await rows(container, "SELECT * FROM c WHERE c.missing = 1"), []);
});

test("order is over all physical partitions, whatever the page", async (t) => {
  const { container, items } = await filled(t);
  const descending = items.map((item) => item.n).reverse();
  assert.deepEqual(await rows(container, "SELECT VALUE c.n FROM c ORDER BY c.n DESC", { maxItemCount: 11 }), descending);
  assert.deepEqual(await rows(container, "SELECT VALUE c.n FROM c ORDER BY c.n"), descending.toReversed());
  assert.deepEqual(await rows(container, "SELECT TOP 3 VALUE c.n FROM c WHERE c.n < 50 ORDER BY c.n DESC"), [49, 48, 47]);
  assert.deepEqual(await rows(container, "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 5 LIMIT 4"), [5, 6, 7, 8]);
  assert.equal((await rows(container, "SELECT TOP 9 * FROM c", { maxItemCount: 4 })).length, 9);
});

test("aggregates are over all physical partitions", async (t) => {
  const { container } = await filled(t);
  const one = async (text, options) => (await rows(container, text, options))[0];
  assert.equal(await one("SELECT VALUE COUNT(1) FROM c"), COUNT);
  assert.equal(await one("SELECT VALUE SUM(c.n) FROM c"), (COUNT * (COUNT - 1)) / 2);
  assert.equal(await one("SELECT VALUE AVG(c.n) FROM c WHERE c.n < 5"), 2);
  assert.equal(await one("SELECT VALUE MIN(c.id) FROM c"), "0000");
  assert.equal(await one("SELECT VALUE MAX(c.n) FROM c"), COUNT - 1);
  assert.equal(await one("SELECT VALUE COUNT(1) FROM c", { partitionKey: "p0" }), Math.ceil(COUNT / KEYS));
});

test("a query is read page by page, and goes on from a continuation token", async (t) => {
  const { container } = await filled(t);
  const text = "SELECT VALUE c.n FROM c WHERE c.n < 40 ORDER BY c.n";
  for (const options of [{}, { partitionKey: "p3" }]) {
    const expected = await rows(container, text, options);
    const found = [];
    let continuationToken;
    do {
      const page = await container.items.query(text, { ...options, maxItemCount: 1 + found.length, continuationToken }).fetchNext();
      assert.ok(page.resources.length <= 1 + found.length);
      found.push(...page.resources);
      continuationToken = page.continuationToken;
      assert.equal(page.hasMoreResults, continuationToken !== undefined);
    } while (continuationToken !== undefined);
    assert.deepEqual(found, expected);
  }
});

test("an iterator starts again after a reset", async (t) => {
  const { container } = await filled(t);
  const iterator = container.items.query("SELECT VALUE c.n FROM c ORDER BY c.n", { maxItemCount: 2 });
  assert.equal(iterator.hasMoreResults(), true);
  assert.deepEqual((await iterator.fetchNext()).resources, [0, 1]);
  assert.deepEqual((await iterator.fetchNext()).resources, [2, 3]);
  iterator.reset();
  assert.deepEqual((await iterator.fetchNext()).resources, [0, 1]);
  assert.equal((await iterator.fetchAll()).resources.length, COUNT);
  assert.equal(iterator.hasMoreResults(), false);
});

test("a broken continuation token is refused", async (t) => {
  const { container } = await filled(t);
  await refusal(container.items.query("SELECT * FROM c", { continuationToken: "garbage" }).fetchNext(), 400, /continuation/);
});

test("a prefix of a hierarchical key narrows a query", async (t) => {
  const container = await newLargeContainer(t, { partitionKey: multiHash("/tenant", "/user", "/session") });
  for (const tenant of ["a", "b"]) {
    for (let n = 0; n < 12; n += 1) await container.items.create({ id: `${tenant}${n}`, tenant, user: `u${n % 3}`, session: n });
  }
  const count = async (partitionKey) => (await rows(container, "SELECT * FROM c", { partitionKey })).length;
  assert.deepEqual([await count(["a"]), await count(["a", "u1"]), await count(["a", "u1", 4]), await count(["z"])], [12, 4, 1, 0]);
  assert.equal((await container.item("b5", ["b", "u2", 5]).read()).resource.session, 5);
  await refusal(container.items.create({ id: "x", tenant: "a", user: { no: "key" }, session: 1 }), 400);
});

test("query metrics and charges come when asked for", async (t) => {
  const { container } = await filled(t);
  const page = await container.items.query("SELECT * FROM c WHERE c.n < 10", { populateQueryMetrics: true, partitionKey: "p1" }).fetchNext();
  assert.ok(page.requestCharge > 0 && page.activityId && page.correlatedActivityId);
  const [ofPage] = Object.values(page.queryMetrics);
  assert.equal(ofPage.outputDocumentCount, 1);
  assert.ok(ofPage.retrievedDocumentCount >= 1 && ofPage.outputDocumentSize > 0 && ofPage.totalQueryExecutionTime.totalMilliseconds() > 0);
  const { queryMetrics } = await container.items.query("SELECT * FROM c WHERE c.n < 10", { populateQueryMetrics: true }).fetchAll();
  assert.equal(Object.values(queryMetrics).reduce((sum, metrics) => sum + metrics.outputDocumentCount, 0), 10);
  assert.equal((await container.items.query("SELECT * FROM c").fetchNext()).queryMetrics?.["0"], undefined);
});

test("index metrics come when asked for, in the form that the client decodes", async (t) => {
  const { container } = await filled(t);
  const page = await container.items.query("SELECT * FROM c WHERE c.n = 1", { populateIndexMetrics: true }).fetchNext();
  assert.equal(page.resources.length, 1);
  const { UtilizedIndexes: utilized, PotentialIndexes: potential } = JSON.parse(page.indexMetrics);
  for (const indexes of [utilized, potential]) assert.ok(Array.isArray(indexes.SingleIndexes) && Array.isArray(indexes.CompositeIndexes));
  assert.equal((await container.items.query("SELECT * FROM c WHERE c.n = 1").fetchNext()).indexMetrics, "{}");
});

test("keys are put together part by part", async (t) => {
  const container = await newContainer(t, { partitionKey: multiHash("/a", "/b", "/c") });
  await container.items.create({ id: "1", a: "x", b: null });
  const key = new PartitionKeyBuilder().addValue("x").addNullValue().addNoneValue().build();
  assert.equal((await container.item("1", key).read()).resource.id, "1");
  assert.deepEqual(ids(await rows(container, "SELECT * FROM c", { partitionKey: key })), ["1"]);
});

test("broken queries are refused with the reason", async (t) => {
  const container = await newContainer(t);
  await refusal(container.items.query("SELEC * FROM c").fetchAll(), 400, /[Ss]yntax/);
  await refusal(container.items.query("SELECT * FROM c WHERE c.n = @missing").fetchAll(), 400, /@missing/);
  await refusal(container.items.query("SELECT VALUE NO_SUCH(c.n) FROM c").fetchAll(), 400, /NO_SUCH/);
});

test("a search gives the same rows whether the server merges them or the client", async (t) => {
  const path = "/vector";
  const container = await newLargeContainer(t, {
    vectorEmbeddingPolicy: { vectorEmbeddings: [{ path, dataType: "float32", dimensions: 2, distanceFunction: "euclidean" }] },
    fullTextPolicy: { defaultLanguage: "en-US", fullTextPaths: [{ path: "/text", language: "en-US" }] },
    indexingPolicy: { vectorIndexes: [{ path, type: "flat" }], fullTextIndexes: [{ path: "/text" }] },
  });
  for (let n = 0; n < 40; n += 1) {
    const text = `${"red ".repeat(1 + (n % 9))}${"plain ".repeat(n)}${n % 4 === 0 ? "bicycle" : "car"}`;
    await container.items.create({ id: `i${n}`, pk: `p${n % 7}`, n, text, vector: [n, n * n] });
  }
  // The client takes rows of a search for objects.
  const nearest = "SELECT TOP 6 c.n FROM c ORDER BY VectorDistance(c.vector, [7, 49])";
  const ranked = "SELECT TOP 6 c.n FROM c ORDER BY RANK FullTextScore(c.text, 'bicycle')";
  const fused = "SELECT TOP 6 c.n FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'bicycle'), VectorDistance(c.vector, [7, 49]))";
  for (const [text, first] of [[nearest, 7], [ranked, 0], [fused, 8]]) {
    const merged = await rows(container, text);
    assert.deepEqual([merged.length, merged[0].n], [6, first], text);
    assert.deepEqual(await rows(container, text, { forceQueryPlan: true }), merged, text);
  }
  assert.deepEqual(await rows(container, nearest), [7, 6, 8, 5, 9, 4].map((n) => ({ n })));
});
