// Entities one at a time, in lists and in transactions.

import assert from "node:assert/strict";
import test from "node:test";
import { TableTransaction, odata } from "@azure/data-tables";
import { accounts, all, newTable, refusal, written } from "./tables_server.mjs";

for (const [dialect, account] of Object.entries(accounts)) {
  test(`${dialect}: every type comes back as it was written`, async (t) => {
    const table = await newTable(t, account);
    const entity = {
      partitionKey: "it's", rowKey: "é 😀%25+",
      text: "ünï\u0000\"\\", empty: "", int: -2147483648, double: 1.5, exact: 9007199254740993n, least: -9223372036854775808n,
      yes: true, no: false, bytes: new Uint8Array([0, 255, 128]), none: new Uint8Array([]),
      when: new Date("2020-02-29T23:59:59.123Z"),
      old: { type: "DateTime", value: "1601-01-01T00:00:00.0000001Z" },
      id: { type: "Guid", value: "abcdef01-2345-6789-abcd-ef0123456789" },
      whole: { type: "Double", value: "7.0" },
      huge: { type: "Double", value: "1e+300" },
    };
    await table.createEntity(entity);
    const read = written(await table.getEntity(entity.partitionKey, entity.rowKey));
    assert.deepEqual(new Uint8Array(read.bytes), entity.bytes);
    assert.deepEqual(new Uint8Array(read.none), entity.none);
    const bytesAsRead = { bytes: read.bytes, none: read.none };
    assert.deepEqual(read, { ...entity, ...bytesAsRead, whole: 7, huge: 1e300, old: new Date("1601-01-01") });
    const exact = await table.getEntity(entity.partitionKey, entity.rowKey, { disableTypeConversion: true });
    assert.deepEqual([exact.old, exact.exact.value], [entity.old, "9007199254740993"]);
  });

  test(`${dialect}: a replace forgets and a merge keeps`, async (t) => {
    const table = await newTable(t, account);
    const key = { partitionKey: "p", rowKey: "r" };
    await table.createEntity({ ...key, a: 1, b: 2 });
    await table.updateEntity({ ...key, a: "text", c: 3 }, "Merge");
    assert.deepEqual(written(await table.getEntity("p", "r")), { ...key, a: "text", b: 2, c: 3 });
    await table.updateEntity({ ...key, d: 4 }, "Replace");
    assert.deepEqual(written(await table.getEntity("p", "r")), { ...key, d: 4 });
    await table.upsertEntity({ ...key, e: 5 }, "Merge");
    await table.upsertEntity({ partitionKey: "p", rowKey: "new", e: 5 }, "Replace");
    assert.deepEqual(written(await table.getEntity("p", "r")), { ...key, d: 4, e: 5 });
    await table.deleteEntity("p", "r");
    await refusal(table.getEntity("p", "r"), 404, "ResourceNotFound");
    await refusal(table.deleteEntity("p", "r"), 404, "ResourceNotFound");
    await refusal(table.updateEntity(key, "Merge"), 404, "ResourceNotFound");
    await refusal(table.createEntity({ partitionKey: "p", rowKey: "new" }), 409, "EntityAlreadyExists");
  });

  test(`${dialect}: a tag guards against lost updates`, async (t) => {
    const table = await newTable(t, account);
    const key = { partitionKey: "p", rowKey: "r" };
    const { etag } = await table.createEntity({ ...key, n: 1 });
    assert.equal((await table.getEntity("p", "r")).etag, etag);
    const second = await table.updateEntity({ ...key, n: 2 }, "Replace", { etag });
    await refusal(table.updateEntity({ ...key, n: 3 }, "Merge", { etag }), 412, "UpdateConditionNotSatisfied");
    await refusal(table.deleteEntity("p", "r", { etag }), 412, "UpdateConditionNotSatisfied");
    await table.deleteEntity("p", "r", { etag: second.etag });
  });

  test(`${dialect}: lists are filtered, selected, ordered and paged`, async (t) => {
    const table = await newTable(t, account);
    const entities = Array.from({ length: 60 }, (_, n) => ({ partitionKey: `p${n % 3}`, rowKey: String(n).padStart(3, "0"), n }));
    for (const partition of ["p0", "p1", "p2"]) {
      const own = entities.filter((entity) => entity.partitionKey === partition);
      await table.submitTransaction(own.map((entity) => ["create", entity]));
    }
    const keys = (found) => found.map((entity) => entity.partitionKey + entity.rowKey);
    const expected = entities.map((entity) => entity.partitionKey + entity.rowKey).sort();
    assert.deepEqual(keys(await all(table.listEntities())), expected);
    const pages = [];
    for await (const page of table.listEntities().byPage({ maxPageSize: 7 })) pages.push(page);
    assert.deepEqual(pages.map((page) => page.length), [7, 7, 7, 7, 7, 7, 7, 7, 4]);
    assert.deepEqual(keys(pages.flat()), expected);
    const filter = odata`PartitionKey eq ${"p1"} and n ge ${10} and n lt ${20}`;
    const some = await all(table.listEntities({ queryOptions: { filter, select: ["n"] } }));
    assert.deepEqual(some.map((entity) => entity.n), [10, 13, 16, 19]);
    const token = (await table.listEntities().byPage({ maxPageSize: 50 }).next()).value.continuationToken;
    const rest = (await table.listEntities().byPage({ maxPageSize: 50, continuationToken: token }).next()).value;
    assert.deepEqual(keys(rest), expected.slice(50));
    await refusal(all(table.listEntities({ queryOptions: { filter: "n eq" } })), 400, "InvalidInput");
  });

  test(`${dialect}: a transaction is done whole or not at all`, async (t) => {
    const table = await newTable(t, account);
    await table.createEntity({ partitionKey: "p", rowKey: "old", n: 1 });
    const transaction = new TableTransaction();
    transaction.createEntity({ partitionKey: "p", rowKey: "new", n: 1 });
    transaction.updateEntity({ partitionKey: "p", rowKey: "old", m: 2 }, "Merge");
    transaction.upsertEntity({ partitionKey: "p", rowKey: "upserted", n: 1 }, "Replace");
    const done = await table.submitTransaction(transaction.actions);
    assert.equal(done.status, 202);
    assert.deepEqual(done.subResponses.map((response) => response.status), [204, 204, 204]);
    assert.match(done.getResponseForEntity("new").etag, /^W\/"datetime'/);
    const failing = new TableTransaction([["delete", { partitionKey: "p", rowKey: "new" }]]);
    failing.deleteEntity("p", "none");
    const error = await refusal(table.submitTransaction(failing.actions), 404);
    assert.match(String(error.message), /^1:/);
    assert.equal((await table.getEntity("p", "new")).n, 1);
    assert.deepEqual(written(await table.getEntity("p", "old")), { partitionKey: "p", rowKey: "old", n: 1, m: 2 });
  });
}

test("an empty key is one for storage and none for Cosmos DB", async (t) => {
  const storage = await newTable(t);
  await storage.createEntity({ partitionKey: "", rowKey: "", n: 1 });
  assert.equal((await storage.getEntity("", "")).n, 1);
  const cosmos = await newTable(t, accounts.cosmos);
  await refusal(cosmos.createEntity({ partitionKey: "", rowKey: "r" }), 400, "PropertiesNeedValue");
});
