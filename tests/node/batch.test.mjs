// Transactions within a logical partition.

import assert from "node:assert/strict";
import test from "node:test";
import { ids, multiHash, newContainer, newLargeContainer, withoutSystem } from "./server.mjs";

const create = (id, parts = {}) => ({ operationType: "Create", resourceBody: { id, pk: "x", ...parts } });

test("every kind of operation, in one batch", async (t) => {
  const container = await newLargeContainer(t);
  await container.items.create({ id: "old", pk: "x", n: 1 });
  await container.items.create({ id: "gone", pk: "x" });
  const operations = [
    create("new"),
    { operationType: "Upsert", resourceBody: { id: "up", pk: "x" } },
    { operationType: "Read", id: "old" },
    { operationType: "Replace", id: "old", resourceBody: { id: "old", pk: "x", n: 2 } },
    { operationType: "Patch", id: "old", resourceBody: { operations: [{ op: "incr", path: "/n", value: 5 }] } },
    { operationType: "Patch", id: "old", resourceBody: { condition: "from c where c.n = 7", operations: [{ op: "set", path: "/seen", value: true }] } },
    { operationType: "Delete", id: "gone" },
  ];
  const { result, code, headers } = await container.items.batch(operations, "x");
  assert.equal(code, 200);
  assert.deepEqual(result.map((one) => one.statusCode), [201, 201, 200, 200, 200, 200, 204]);
  const bodies = result.map((one) => one.resourceBody && withoutSystem(one.resourceBody));
  assert.deepEqual(bodies[0], { id: "new", pk: "x" });
  assert.deepEqual(bodies[2], { id: "old", pk: "x", n: 1 });
  assert.deepEqual(bodies[5], { id: "old", pk: "x", n: 7, seen: true });
  assert.ok(!bodies[6], "nothing left to show");
  assert.equal(result[5].eTag, (await container.item("old", "x").read()).resource._etag);
  assert.ok(result.every((one) => one.requestCharge > 0) && Number(headers["x-ms-request-charge"]) > 0);
  assert.deepEqual(ids((await container.items.readAll().fetchAll()).resources), ["new", "old", "up"]);
});

test("a batch that fails leaves nothing behind", async (t) => {
  const container = await newContainer(t);
  await container.items.create({ id: "taken", pk: "x" });
  const { result, code } = await container.items.batch([create("1"), create("taken"), create("2")], "x");
  assert.equal(code, 207);
  assert.deepEqual(result.map((one) => one.statusCode), [424, 409, 424]);
  assert.deepEqual(ids((await container.items.readAll().fetchAll()).resources), ["taken"]);
});

test("etags guard the operations of a batch", async (t) => {
  const container = await newContainer(t);
  const { etag } = await container.items.create({ id: "1", pk: "x", n: 1 });
  const replace = (n, ifMatch) => ({ operationType: "Replace", id: "1", resourceBody: { id: "1", pk: "x", n }, ifMatch });
  assert.deepEqual((await container.items.batch([replace(2, etag)], "x")).result.map((one) => one.statusCode), [200]);
  assert.deepEqual((await container.items.batch([create("2"), replace(3, etag)], "x")).result.map((one) => one.statusCode), [424, 412]);
  assert.equal((await container.item("1", "x").read()).resource.n, 2);
});

test("an operation sees those before it", async (t) => {
  const container = await newContainer(t);
  const operations = [create("1", { n: 1 }), { operationType: "Read", id: "1" }, { operationType: "Delete", id: "1" }, create("1", { n: 2 })];
  const { result } = await container.items.batch(operations, "x");
  assert.deepEqual(result.map((one) => one.statusCode), [201, 200, 204, 201]);
  assert.equal((await container.item("1", "x").read()).resource.n, 2);
});

test("an item of another logical partition fails the batch", async (t) => {
  const container = await newContainer(t);
  const stray = { operationType: "Create", resourceBody: { id: "2", pk: "y" } };
  const { result, code } = await container.items.batch([create("1"), stray], "x");
  assert.equal(code, 207);
  assert.deepEqual(result.map((one) => one.statusCode), [424, 400]);
  assert.deepEqual((await container.items.readAll().fetchAll()).resources, []);
});

test("a hierarchical key takes batches", async (t) => {
  const container = await newContainer(t, { partitionKey: multiHash("/tenant", "/user") });
  const body = (id) => ({ id, tenant: "t", user: 1 });
  const operations = ["1", "2"].map((id) => ({ operationType: "Create", resourceBody: body(id) }));
  assert.deepEqual((await container.items.batch(operations, ["t", 1])).result.map((one) => one.statusCode), [201, 201]);
  assert.equal((await container.item("2", ["t", 1]).read()).resource.id, "2");
});

test("a hundred operations go, and the replies can do without bodies", async (t) => {
  const container = await newContainer(t);
  const operations = Array.from({ length: 100 }, (_, n) => create(String(n)));
  const { result } = await container.items.batch(operations, "x", { contentResponseOnWriteEnabled: false });
  assert.ok(result.length === 100 && result.every((one) => one.statusCode === 201 && !one.resourceBody));
  await assert.rejects(container.items.batch([...operations, create("100")], "x"), /more than 100/);
  assert.equal((await container.items.readAll().fetchAll()).resources.length, 100);
});
