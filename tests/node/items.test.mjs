// Items one at a time.

import assert from "node:assert/strict";
import test from "node:test";
import { connect, endpoints, eventually, hash, ids, newContainer, newLargeContainer, refusal, schemes, withoutSystem } from "./server.mjs";

for (const scheme of schemes) {
  test(`${scheme}: an item comes back as it was written`, async (t) => {
    const container = await newContainer(t, {}, connect({ endpoint: endpoints[scheme] }));
    const written = {
      id: "a b%20ü+&",
      pk: "x",
      text: 'Ünïcode 😀 "quoted"\n\u0000',
      numbers: [0, -1, 1.5, 1e21, 9007199254740991, 5e-324],
      nested: { null: null, true: true, "": { "a/b": [[]] } },
    };
    const { resource, statusCode, item, etag } = await container.items.create(written);
    assert.equal(statusCode, 201);
    assert.deepEqual(withoutSystem(resource), written);
    assert.equal(etag, resource._etag);
    assert.match(resource._self, /^dbs\/.+\/colls\/.+\/docs\/.+\/$/);
    assert.ok(Math.abs(resource._ts - Date.now() / 1000) < 60, "written now");
    assert.equal(item.url, `dbs/${container.database.id}/colls/items/docs/${written.id}`);
    assert.deepEqual((await item.read()).resource, resource);
    assert.deepEqual((await container.item(written.id, "x").read()).resource, resource);
  });
}

test("properties keep their order", async (t) => {
  const container = await newContainer(t);
  await container.items.create({ z: 1, id: "1", b: 2, pk: "x", a: 3 });
  const { resource } = await container.item("1", "x").read();
  assert.deepEqual(Object.keys(withoutSystem(resource)), ["z", "id", "b", "pk", "a"]);
});

test("an item without an id gets one from the client, or is refused", async (t) => {
  const container = await newContainer(t);
  const { resource } = await container.items.create({ pk: "x" });
  assert.match(resource.id, /^[0-9a-f-]{36}$/);
  await refusal(container.items.create({ pk: "x" }, { disableAutomaticIdGeneration: true }), 400, /id/);
  await refusal(container.items.upsert({ pk: "x" }, { disableAutomaticIdGeneration: true }), 400, /id/);
});

test("an id is taken once in a logical partition", async (t) => {
  const container = await newContainer(t);
  await container.items.create({ id: "1", pk: "x", n: 1 });
  await refusal(container.items.create({ id: "1", pk: "x", n: 2 }), 409);
  await container.items.create({ id: "1", pk: "y", n: 3 });
  assert.equal((await container.item("1", "x").read()).resource.n, 1);
  assert.equal((await container.item("1", "y").read()).resource.n, 3);
});

test("a missing item reads as 404 without a body", async (t) => {
  const container = await newContainer(t);
  const { resource, statusCode } = await container.item("none", "x").read();
  assert.deepEqual([resource, statusCode], [undefined, 404]);
  await refusal(container.item("none", "x").delete(), 404);
  await refusal(container.item("none", "x").replace({ id: "none", pk: "x" }), 404);
});

test("upsert creates, then replaces", async (t) => {
  const container = await newContainer(t);
  const created = await container.items.upsert({ id: "1", pk: "x", n: 1, old: true });
  assert.equal(created.statusCode, 201);
  const replaced = await container.items.upsert({ id: "1", pk: "x", n: 2 });
  assert.equal(replaced.statusCode, 200);
  assert.deepEqual(withoutSystem(replaced.resource), { id: "1", pk: "x", n: 2 });
  assert.equal(replaced.resource._rid, created.resource._rid);
  assert.notEqual(replaced.etag, created.etag);
  assert.deepEqual((await container.item("1", "x").read()).resource, replaced.resource);
});

test("replace writes the whole item anew", async (t) => {
  const container = await newContainer(t);
  const { item } = await container.items.create({ id: "1", pk: "x", old: true });
  const { resource, statusCode } = await item.replace({ id: "1", pk: "x", n: 2 });
  assert.equal(statusCode, 200);
  assert.deepEqual(withoutSystem(resource), { id: "1", pk: "x", n: 2 });
  await refusal(item.replace({ id: "1", pk: "y" }), 400);
  assert.deepEqual((await item.read()).resource, resource);
});

test("a deleted item is gone and can come back", async (t) => {
  const container = await newContainer(t);
  const { item, resource: first } = await container.items.create({ id: "1", pk: "x" });
  const deleted = await item.delete();
  assert.equal(deleted.statusCode, 204);
  assert.ok(!deleted.resource, "no body");
  assert.equal((await item.read()).statusCode, 404);
  await refusal(item.delete(), 404);
  const { resource: second } = await container.items.create({ id: "1", pk: "x" });
  assert.notEqual(second._rid, first._rid);
});

test("etags guard replace, upsert, patch and delete", async (t) => {
  const container = await newContainer(t);
  const { item, etag: stale } = await container.items.create({ id: "1", pk: "x", n: 1 });
  const ifMatch = (condition) => ({ accessCondition: { type: "IfMatch", condition } });
  const { etag: fresh } = await item.replace({ id: "1", pk: "x", n: 2 }, ifMatch(stale));
  await refusal(item.replace({ id: "1", pk: "x", n: 3 }, ifMatch(stale)), 412);
  await refusal(container.items.upsert({ id: "1", pk: "x", n: 3 }, ifMatch(stale)), 412);
  await refusal(item.patch([{ op: "incr", path: "/n", value: 1 }], ifMatch(stale)), 412);
  await refusal(item.delete(ifMatch(stale)), 412);
  assert.deepEqual((await item.read()).resource.n, 2);
  assert.equal((await item.delete(ifMatch(fresh))).statusCode, 204);
});

test("an unchanged item is not sent again", async (t) => {
  const container = await newContainer(t);
  const { item, etag } = await container.items.create({ id: "1", pk: "x", n: 1 });
  const unlessMatch = { accessCondition: { type: "IfNoneMatch", condition: etag } };
  const same = await item.read(unlessMatch);
  assert.equal(same.statusCode, 304);
  assert.ok(!same.resource || Object.keys(same.resource).length === 0, "no body");
  await item.replace({ id: "1", pk: "x", n: 2 });
  const changed = await item.read(unlessMatch);
  assert.deepEqual([changed.statusCode, changed.resource.n], [200, 2]);
});

test("a write can ask for no body in the reply", async (t) => {
  const container = await newContainer(t);
  const quietly = { initialHeaders: { prefer: "return=minimal" } };
  const { item } = await container.items.create({ id: "1", pk: "x", n: 1 });
  const replaced = await item.replace({ id: "1", pk: "x", n: 2 }, quietly);
  assert.equal(replaced.statusCode, 200);
  assert.ok(!replaced.resource || Object.keys(replaced.resource).length === 0, "no body");
  assert.equal(replaced.headers.etag, (await item.read()).resource._etag);
  assert.equal((await item.read()).resource.n, 2);
});

test("keys of every type are kept apart", async (t) => {
  const container = await newLargeContainer(t);
  const keys = ["x", "", "1", 1, 0, 1.5, -1e300, true, false, null, undefined, "ü😀"];
  for (const [number, pk] of keys.entries()) await container.items.create({ id: "same", pk, number });
  for (const [number, pk] of keys.entries()) {
    const { resource } = await container.item("same", pk).read();
    assert.equal(resource?.number, number, String(pk));
  }
  assert.equal((await container.items.readAll().fetchAll()).resources.length, keys.length);
  // An object is how the client writes that there is no key.
  assert.equal((await container.item("same", {}).read()).resource.number, keys.indexOf(undefined));
});

test("a nested path can be the partition key", async (t) => {
  const container = await newContainer(t, { partitionKey: hash("/address/zip code") });
  await container.items.create({ id: "1", address: { "zip code": "98101" } });
  assert.equal((await container.item("1", "98101").read()).resource.address["zip code"], "98101");
});

test("the key given and the key in the body must agree", async (t) => {
  const container = await newContainer(t);
  await container.items.create({ id: "1", pk: "x" });
  const error = await refusal(container.item("1", "x").replace({ id: "1", pk: "other" }), 400);
  assert.equal(error.substatus, 1001);
});

test("unique keys hold within a logical partition", async (t) => {
  const uniqueKeyPolicy = { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/first", "/last"] }] };
  const container = await newContainer(t, { uniqueKeyPolicy });
  const person = { pk: "x", email: "a@b", first: "A", last: "B" };
  await container.items.create({ ...person, id: "1" });
  await refusal(container.items.create({ ...person, id: "2", first: "C" }), 409);
  await refusal(container.items.create({ ...person, id: "2", email: "c@d" }), 409);
  await container.items.create({ ...person, id: "2", email: "c@d", last: "D" });
  await refusal(container.item("2", "x").replace({ ...person, id: "2", last: "D" }), 409);
  await refusal(container.item("2", "x").patch([{ op: "set", path: "/email", value: "a@b" }]), 409);
  await container.items.create({ ...person, id: "1", pk: "y" });
  await container.item("1", "x").delete();
  await container.items.create({ ...person, id: "3" });
  assert.deepEqual(ids((await container.items.readAll({ partitionKey: "x" }).fetchAll()).resources), ["2", "3"]);
});

test("items end when their time to live is over", async (t) => {
  const container = await newContainer(t, { defaultTtl: -1 });
  await container.items.create({ id: "short", pk: "x", ttl: 1 });
  await container.items.create({ id: "long", pk: "x", ttl: 3600 });
  await container.items.create({ id: "ever", pk: "x" });
  await eventually(async () => (await container.item("short", "x").read()).statusCode === 404, "the item ends");
  assert.deepEqual(ids((await container.items.query("SELECT * FROM c").fetchAll()).resources), ["ever", "long"]);
  await container.items.create({ id: "short", pk: "x", again: true });
  await refusal(container.items.create({ id: "bad", pk: "x", ttl: 0 }), 400);
});

test("a container's time to live counts for items that name none", async (t) => {
  const container = await newContainer(t, { defaultTtl: 1 });
  await container.items.create({ id: "ever", pk: "x", ttl: -1 });
  await container.items.create({ id: "default", pk: "x" });
  await eventually(async () => (await container.item("default", "x").read()).statusCode === 404, "the item ends");
  assert.equal((await container.item("ever", "x").read()).statusCode, 200);
});

test("an item over two megabytes is refused", async (t) => {
  const container = await newContainer(t);
  await refusal(container.items.create({ id: "big", pk: "x", text: "a".repeat(2 * 1024 * 1024) }), 413);
  await container.items.create({ id: "big", pk: "x", text: "a".repeat(1_900_000) });
  assert.equal((await container.item("big", "x").read()).resource.text.length, 1_900_000);
});

test("replies carry a charge and a session token that moves on", async (t) => {
  const container = await newContainer(t);
  const first = await container.items.create({ id: "1", pk: "x" });
  const second = await container.items.create({ id: "2", pk: "x" });
  assert.ok(first.activityId && first.activityId !== second.activityId);
  assert.ok(first.requestCharge > 1, `charge ${first.requestCharge}`);
  assert.ok((await container.item("1", "x").read()).requestCharge >= 1);
  const number = ({ headers }) => Number(/^\d+:-?\d+#(\d+)/.exec(headers["x-ms-session-token"])[1]);
  assert.ok(number(second) > number(first));
});

test("a session token lets another client read what was written", async (t) => {
  const container = await newContainer(t);
  const { headers } = await container.items.create({ id: "1", pk: "x", n: 1 });
  const other = connect().database(container.database.id).container("items");
  const { resource, diagnostics } = await other.item("1", "x").read({ sessionToken: headers["x-ms-session-token"] });
  assert.equal(resource.n, 1);
  assert.deepEqual(failedAttempts(diagnostics), []);
});

test("a session token from the future is not available, and the client goes on without it", async (t) => {
  const container = await newContainer(t);
  const { headers } = await container.items.create({ id: "1", pk: "x", n: 1 });
  const [, range, version] = /^(\d+):(-?\d+)#/.exec(headers["x-ms-session-token"]);
  const other = connect().database(container.database.id).container("items");
  const { resource, diagnostics } = await other.item("1", "x").read({ sessionToken: `${range}:${version}#999999999` });
  assert.equal(resource.n, 1);
  // Of all the kinds of 404 the client repeats 1002 alone, and reports it without its sub-status.
  assert.deepEqual(failedAttempts(diagnostics), [404]);
});

function failedAttempts(diagnostics) {
  return diagnostics.clientSideRequestStatistics.retryDiagnostics.failedAttempts.map((attempt) => attempt.statusCode);
}
