// Whole logical partitions.

import assert from "node:assert/strict";
import test from "node:test";
import { connect, endpoints, eventually, ids, multiHash, newLargeContainer, schemes } from "./server.mjs";

for (const scheme of schemes) {
  test(`${scheme}: a logical partition is deleted whole, and the others stay`, async (t) => {
    const container = await newLargeContainer(t, {}, connect({ endpoint: endpoints[scheme] }));
    const operations = Array.from({ length: 150 }, (_, n) => {
      const pk = n % 3 ? "gone" : `kept${n % 7}`;
      return { operationType: "Create", partitionKey: pk, resourceBody: { id: String(n), pk } };
    });
    await container.items.executeBulkOperations(operations);
    const { statusCode } = await container.deleteAllItemsForPartitionKey("gone");
    assert.equal(statusCode, 200);
    const left = async () => (await container.items.readAll().fetchAll()).resources;
    await eventually(async () => (await left()).length === 50, "the partition is empty");
    assert.ok((await left()).every((item) => item.pk.startsWith("kept")));
    await container.items.create({ id: "1", pk: "gone", again: true });
    assert.deepEqual(ids((await container.items.readAll({ partitionKey: "gone" }).fetchAll()).resources), ["1"]);
  });
}

test("a hierarchical key deletes exactly its own items", async (t) => {
  const container = await newLargeContainer(t, { partitionKey: multiHash("/tenant", "/user") });
  for (let n = 0; n < 9; n += 1) await container.items.create({ id: String(n), tenant: "t", user: `u${n % 3}` });
  await container.deleteAllItemsForPartitionKey(["t", "u1"]);
  const left = async () => ids((await container.items.readAll().fetchAll()).resources);
  await eventually(async () => (await left()).length === 6, "the partition is empty");
  assert.deepEqual(await left(), ["0", "2", "3", "5", "6", "8"]);
});

test("deleting an empty partition is no error", async (t) => {
  const container = await newLargeContainer(t);
  await container.items.create({ id: "1", pk: "x" });
  const { statusCode } = await container.deleteAllItemsForPartitionKey("none");
  assert.equal(statusCode, 200);
  assert.equal((await container.items.readAll().fetchAll()).resources.length, 1);
});
