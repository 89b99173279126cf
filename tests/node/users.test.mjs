// Users, permissions, and what the tokens of permissions open.

import assert from "node:assert/strict";
import test from "node:test";
import { PermissionMode } from "@azure/cosmos";
import { connectWithoutKey, ids, newContainer, newDatabase, refusal } from "./server.mjs";

test("users are created, read, renamed and deleted", async (t) => {
  const database = await newDatabase(t);
  const { resource, statusCode, user } = await database.users.create({ id: "u" });
  assert.equal(statusCode, 201);
  assert.equal(resource._permissions, "permissions/");
  assert.equal(user.url, `dbs/${database.id}/users/u`);
  assert.deepEqual((await database.user("u").read()).resource, resource);
  await refusal(database.users.create({ id: "u" }), 409);
  const { resource: renamed } = await user.replace({ id: "v" });
  assert.deepEqual([renamed.id, renamed._rid], ["v", resource._rid]);
  await refusal(database.user("u").read(), 404);
  assert.equal((await database.user("v").delete()).statusCode, 204);
  await refusal(database.user("v").delete(), 404);
});

test("users are upserted, listed and queried", async (t) => {
  const database = await newDatabase(t);
  for (const id of ["a", "b", "c"]) assert.equal((await database.users.upsert({ id })).statusCode, 201);
  assert.equal((await database.users.upsert({ id: "a" })).statusCode, 200);
  assert.deepEqual(ids((await database.users.readAll({ maxItemCount: 2 }).fetchAll()).resources), ["a", "b", "c"]);
  const { resources } = await database.users.query("SELECT * FROM root r WHERE r.id != 'b'").fetchAll();
  assert.deepEqual(ids(resources), ["a", "c"]);
});

test("permissions are created, read, replaced and deleted", async (t) => {
  const container = await newContainer(t);
  const { user } = await container.database.users.create({ id: "u" });
  const definition = { id: "p", permissionMode: PermissionMode.Read, resource: container.url };
  const { resource, permission, statusCode } = await user.permissions.create(definition);
  assert.equal(statusCode, 201);
  assert.match(resource._token, /^type=resource&ver=1/);
  assert.deepEqual([resource.permissionMode, resource.resource], [PermissionMode.Read, container.url]);
  assert.equal(permission.url, `${user.url}/permissions/p`);
  assert.equal((await user.permission("p").read()).resource._rid, resource._rid);
  await refusal(user.permissions.create(definition), 409);
  const { resource: replaced } = await permission.replace({ ...definition, permissionMode: PermissionMode.All });
  assert.equal(replaced.permissionMode, PermissionMode.All);
  assert.equal((await permission.read()).resource.permissionMode, PermissionMode.All);
  assert.equal((await permission.delete()).statusCode, 204);
  await refusal(permission.read(), 404);
});

test("permissions are upserted, listed and queried", async (t) => {
  const container = await newContainer(t);
  const { user } = await container.database.users.create({ id: "u" });
  const all = (id) => ({ id, permissionMode: PermissionMode.All, resource: container.url, resourcePartitionKey: [id] });
  for (const id of ["a", "b", "c"]) assert.equal((await user.permissions.upsert(all(id))).statusCode, 201);
  assert.equal((await user.permissions.upsert(all("a"))).statusCode, 200);
  assert.deepEqual(ids((await user.permissions.readAll({ maxItemCount: 2 }).fetchAll()).resources), ["a", "b", "c"]);
  const { resources } = await user.permissions.query("SELECT * FROM root r WHERE r.id = 'b'").fetchAll();
  assert.deepEqual(resources.map((found) => found.resourcePartitionKey), [["b"]]);
});

test("broken permissions are refused", async (t) => {
  const { user } = await (await newDatabase(t)).users.create({ id: "u" });
  await refusal(user.permissions.create({ id: "p", permissionMode: "Write", resource: "dbs/a/colls/b" }), 400, /permissionMode/);
  await refusal(user.permissions.create({ id: "p", permissionMode: "Read" }), 400, /resource/);
  const expiry = { resourceTokenExpirySeconds: 1 };
  await refusal(user.permissions.create({ id: "p", permissionMode: "Read", resource: "dbs/a/colls/b" }, expiry), 400, /expiry/);
});

// A container with one item for each of two keys, and what a guest with the permission sees of it.
async function guestOf(t, permission) {
  const container = await newContainer(t);
  await container.items.create({ id: "1", pk: "x" });
  await container.items.create({ id: "1", pk: "y" });
  const { user } = await container.database.users.create({ id: "u" });
  const { resource } = await user.permissions.create({ id: "p", resource: container.url, ...permission });
  const client = connectWithoutKey({ resourceTokens: { [container.url]: resource._token } });
  return { container, resource, guest: client.database(container.database.id).container(container.id) };
}

async function forbidden(promise) {
  const error = await promise.then(() => undefined, (error) => error);
  assert.ok(error && [401, 403].includes(error.code), String(error?.code));
}

test("a token to read reads, and does no more", async (t) => {
  const { guest, container } = await guestOf(t, { permissionMode: PermissionMode.Read });
  assert.equal((await guest.item("1", "x").read()).resource.pk, "x");
  assert.equal((await guest.items.query("SELECT * FROM c", { partitionKey: "y" }).fetchAll()).resources.length, 1);
  await forbidden(guest.items.create({ id: "2", pk: "x" }));
  await forbidden(guest.item("1", "x").delete());
  assert.equal((await container.item("1", "x").read()).statusCode, 200);
});

test("a token for all writes in its container, and in no other", async (t) => {
  const { guest, container, resource } = await guestOf(t, { permissionMode: PermissionMode.All });
  await guest.items.create({ id: "2", pk: "x", from: "guest" });
  assert.equal((await container.item("2", "x").read()).resource.from, "guest");
  await forbidden(guest.delete());
  const { container: other } = await container.database.containers.create({ id: "other", partitionKey: "/pk" });
  const client = connectWithoutKey({ resourceTokens: { [other.url]: resource._token } });
  await forbidden(client.database(other.database.id).container("other").items.create({ id: "1", pk: "x" }));
});

test("a token for one logical partition opens no other", async (t) => {
  const { guest } = await guestOf(t, { permissionMode: PermissionMode.All, resourcePartitionKey: ["x"] });
  assert.equal((await guest.item("1", "x").read()).resource.pk, "x");
  await forbidden(guest.item("1", "y").read());
  await forbidden(guest.items.create({ id: "2", pk: "y" }));
});

test("a permission feed opens what its permissions are on", async (t) => {
  const { container, resource } = await guestOf(t, { permissionMode: PermissionMode.Read });
  const client = connectWithoutKey({ permissionFeed: [resource] });
  const guest = client.database(container.database.id).container(container.id);
  assert.equal((await guest.item("1", "y").read()).resource.pk, "y");
});

test("a forged token is refused", async (t) => {
  const { container, resource } = await guestOf(t, { permissionMode: PermissionMode.Read });
  const forged = resource._token.replace(/.(?=.{10}$)/, (character) => (character === "A" ? "B" : "A"));
  assert.notEqual(forged, resource._token);
  const client = connectWithoutKey({ resourceTokens: { [container.url]: forged } });
  await forbidden(client.database(container.database.id).container(container.id).item("1", "x").read());
});
