// Many operations at once, grouped by the client into one request per physical partition.

import assert from "node:assert/strict";
import test from "node:test";
import { connect, endpoints, multiHash, newLargeContainer, schemes } from "./server.mjs";

const create = (id, pk, parts = {}) => ({ operationType: "Create", partitionKey: pk, resourceBody: { id, pk, ...parts } });

async function contents(container) {
  const { resources } = await container.items.query("SELECT c.id, c.pk, c.n FROM c").fetchAll();
  return new Map(resources.map((item) => [`${item.pk}/${item.id}`, item.n]));
}

for (const scheme of schemes) {
  test(`${scheme}: hundreds of operations reach every physical partition`, async (t) => {
    const container = await newLargeContainer(t, {}, connect({ endpoint: endpoints[scheme] }));
    const operations = Array.from({ length: 450 }, (_, n) => create(String(n), `p${n % 37}`, { n }));
    const results = await container.items.executeBulkOperations(operations);
    assert.equal(results.length, 450);
    for (const [n, { response, error, operationInput }] of results.entries()) {
      assert.equal(error, undefined);
      assert.equal(response.statusCode, 201);
      assert.equal(response.resourceBody.n, n, "results come in the operations' order");
      assert.equal(operationInput.resourceBody.id, String(n));
      assert.ok(response.sessionToken && response.activityId, "each result says where it came from");
    }
    const ranges = new Set(results.map(({ response }) => response.sessionToken.split(":")[0]));
    assert.ok(ranges.size > 1, `${ranges.size} ranges`);
    assert.equal((await contents(container)).size, 450);
  });
}

test("each operation of a bulk has its own outcome", async (t) => {
  const container = await newLargeContainer(t);
  await container.items.create({ id: "old", pk: "a", n: 1 });
  await container.items.create({ id: "gone", pk: "b", n: 1 });
  const { etag } = await container.items.create({ id: "guarded", pk: "c", n: 1 });
  const results = await container.items.executeBulkOperations([
    create("new", "a", { n: 0 }),
    create("old", "a", { n: 0 }),
    { operationType: "Upsert", partitionKey: "d", resourceBody: { id: "up", pk: "d", n: 4 } },
    { operationType: "Read", partitionKey: "a", id: "old" },
    { operationType: "Read", partitionKey: "z", id: "missing" },
    { operationType: "Replace", partitionKey: "c", id: "guarded", resourceBody: { id: "guarded", pk: "c", n: 2 }, ifMatch: '"stale"' },
    { operationType: "Replace", partitionKey: "c", id: "guarded", resourceBody: { id: "guarded", pk: "c", n: 3 }, ifMatch: etag },
    { operationType: "Patch", partitionKey: "a", id: "old", resourceBody: { operations: [{ op: "incr", path: "/n", value: 10 }] } },
    { operationType: "Delete", partitionKey: "b", id: "gone" },
  ]);
  const codes = results.map(({ response, error }) => response?.statusCode ?? error.code);
  assert.deepEqual(codes, [201, 409, 201, 200, 404, 412, 200, 200, 204]);
  assert.equal(results[3].response.resourceBody.id, "old");
  const expected = { "a/new": 0, "a/old": 11, "c/guarded": 3, "d/up": 4 };
  assert.deepEqual(Object.fromEntries([...(await contents(container))].sort()), expected);
});

test("keys of every type go to their partitions", async (t) => {
  const container = await newLargeContainer(t);
  const keys = ["x", "", 1, 1.5, -7, true, false, null];
  const results = await container.items.executeBulkOperations(keys.map((pk, n) => create("same", pk, { n })));
  assert.deepEqual(results.map(({ response, error }) => response?.statusCode ?? error), keys.map(() => 201));
  for (const [n, pk] of keys.entries()) assert.equal((await container.item("same", pk).read()).resource.n, n, String(pk));
});

test("hierarchical keys go to their partitions", async (t) => {
  const container = await newLargeContainer(t, { partitionKey: multiHash("/tenant", "/user") });
  const operations = Array.from({ length: 120 }, (_, n) => {
    const body = { id: String(n), tenant: `t${n % 11}`, user: n };
    return { operationType: "Create", partitionKey: [body.tenant, body.user], resourceBody: body };
  });
  const results = await container.items.executeBulkOperations(operations);
  assert.ok(results.every(({ response }) => response?.statusCode === 201), JSON.stringify(results.find(({ error }) => error)));
  assert.equal((await container.item("77", ["t0", 77]).read()).resource.user, 77);
});

test("the older bulk does up to a hundred operations per partition", async (t) => {
  const container = await newLargeContainer(t);
  const operations = Array.from({ length: 150 }, (_, n) => create(String(n), `p${n}`, { n }));
  const results = await container.items.bulk(operations);
  assert.deepEqual(results.map((one) => one.statusCode), operations.map(() => 201));
  assert.deepEqual(results.map((one) => one.resourceBody.n), operations.map((_, n) => n));
  const mixed = [
    { operationType: "Read", partitionKey: "p3", id: "3" },
    { operationType: "Create", resourceBody: { id: "3", pk: "p3" } },
    { operationType: "Upsert", resourceBody: { id: "4", pk: "p4", n: 40 } },
    { operationType: "Replace", partitionKey: "p5", id: "5", resourceBody: { id: "5", pk: "p5", n: 50 } },
    { operationType: "Patch", partitionKey: "p6", id: "6", resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] } },
    { operationType: "Delete", partitionKey: "p7", id: "7" },
  ];
  const outcome = await container.items.bulk(mixed, { continueOnError: true });
  assert.deepEqual(outcome.map((one) => one.statusCode), [200, 409, 200, 200, 200, 204]);
  assert.deepEqual([outcome[2].resourceBody.n, outcome[3].resourceBody.n, outcome[4].resourceBody.n], [40, 50, 7]);
  assert.equal((await contents(container)).size, 149);
});

test("without continuing, operations after a failed one on its partition are not done", async (t) => {
  const container = await newLargeContainer(t);
  await container.items.create({ id: "taken", pk: "x" });
  const operations = [create("before", "x"), create("taken", "x"), create("after", "x")];
  const results = await container.items.bulk(operations, { continueOnError: false });
  assert.deepEqual(results.map((one) => one.statusCode), [201, 409, 424]);
  assert.deepEqual([...(await contents(container)).keys()].sort(), ["x/before", "x/taken"]);
});
