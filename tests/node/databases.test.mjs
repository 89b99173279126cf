// Databases.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { newDatabase, refusal, shared } from "./server.mjs";

test("a database is created, read and deleted", async (t) => {
  const id = `node-${randomUUID()}`;
  const { resource, statusCode, database, etag } = await shared.databases.create({ id });
  assert.equal(statusCode, 201);
  assert.equal(resource.id, id);
  assert.equal(resource._self, `dbs/${resource._rid}/`);
  assert.deepEqual([resource._colls, resource._users], ["colls/", "users/"]);
  assert.equal(etag, resource._etag);
  assert.equal(database.url, `dbs/${id}`);
  assert.deepEqual((await database.read()).resource, resource);
  assert.equal((await database.delete()).statusCode, 204);
  await refusal(database.read(), 404);
  await refusal(database.delete(), 404);
});

test("an id is taken once", async (t) => {
  const database = await newDatabase(t);
  await refusal(shared.databases.create({ id: database.id }), 409);
  const found = await shared.databases.createIfNotExists({ id: database.id });
  assert.equal(found.statusCode, 200);
  assert.equal(found.resource._rid, (await database.read()).resource._rid);
});

test("create if not exists creates", async (t) => {
  const id = `node-${randomUUID()}`;
  const made = await shared.databases.createIfNotExists({ id });
  t.after(() => made.database.delete());
  assert.equal(made.statusCode, 201);
  assert.equal(made.resource.id, id);
});

test("databases are listed page by page", async (t) => {
  const mine = [await newDatabase(t), await newDatabase(t), await newDatabase(t)].map((database) => database.id);
  const pages = [];
  for await (const page of shared.databases.readAll({ maxItemCount: 2 }).getAsyncIterator()) {
    assert.ok(page.resources.length <= 2);
    pages.push(page);
  }
  const listed = pages.flatMap((page) => page.resources.map((database) => database.id));
  assert.equal(new Set(listed).size, listed.length, "no database twice");
  assert.deepEqual(mine.filter((id) => !listed.includes(id)), []);
});

test("databases are found by queries", async (t) => {
  const database = await newDatabase(t);
  const query = { query: "SELECT * FROM root r WHERE r.id = @id", parameters: [{ name: "@id", value: database.id }] };
  const { resources } = await shared.databases.query(query).fetchAll();
  assert.deepEqual(resources, [(await database.read()).resource]);
});

test("a recreated database is another one", async (t) => {
  const id = `node-${randomUUID()}`;
  const { resource: first, database } = await shared.databases.create({ id });
  await database.containers.create({ id: "c", partitionKey: "/pk" });
  await database.delete();
  const { resource: second } = await shared.databases.create({ id });
  t.after(() => database.delete());
  assert.notEqual(second._rid, first._rid);
  assert.deepEqual((await database.containers.readAll().fetchAll()).resources, []);
});

test("the client itself refuses an id that cannot stand in a path", async () => {
  for (const id of ["a/b", "a?b", "a#b", "a\\b"]) {
    await assert.rejects(shared.databases.create({ id }), { message: "Id contains illegal chars." }, id);
  }
});

test("containers and users of a missing database are not found", async () => {
  const missing = shared.database(`node-${randomUUID()}`);
  await refusal(missing.containers.create({ id: "c", partitionKey: "/pk" }), 404);
  await refusal(missing.containers.readAll().fetchAll(), 404);
  await refusal(missing.users.create({ id: "u" }), 404);
});
