// Tables, policies and the properties of the service.

import assert from "node:assert/strict";
import test from "node:test";
import { AzureSASCredential, TableClient, TableServiceClient, generateAccountSas, generateTableSas } from "@azure/data-tables";
import { accounts, all, client, clientWith, newName, newTable, refusal, service } from "./tables_server.mjs";

for (const [dialect, account] of Object.entries(accounts)) {
  test(`${dialect}: a table is created, listed and deleted`, async () => {
    const tables = service(account);
    const name = newName();
    await tables.createTable(name);
    await tables.createTable(name); // The client takes a table that is there for success.
    const filter = `TableName eq '${name}'`;
    assert.deepEqual((await all(tables.listTables({ queryOptions: { filter } }))).map((table) => table.name), [name]);
    await tables.deleteTable(name);
    await tables.deleteTable(name); // Likewise one that is gone.
    assert.deepEqual(await all(tables.listTables({ queryOptions: { filter } })), []);
    await refusal(client(name, account).createEntity({ partitionKey: "p", rowKey: "r" }), 404);
  });

  test(`${dialect}: tables are listed page by page`, async (t) => {
    const tables = service(account);
    const prefix = newName().slice(0, 20);
    const names = ["a", "b", "c"].map((end) => prefix + end);
    for (const name of names) {
      await tables.createTable(name);
      t.after(() => tables.deleteTable(name));
    }
    const filter = `TableName ge '${prefix}' and TableName lt '${prefix}z'`;
    const pages = [];
    for await (const page of tables.listTables({ queryOptions: { filter } }).byPage({ maxPageSize: 2 })) {
      pages.push(page.map((table) => table.name));
    }
    assert.deepEqual(pages, [names.slice(0, 2), names.slice(2)]);
  });

  test(`${dialect}: a client is made of a connection string`, async (t) => {
    const name = newName();
    const options = { allowInsecureConnection: true };
    const table = TableClient.fromConnectionString(account.connectionString, name, options);
    await table.createTable();
    t.after(() => table.deleteTable());
    const tables = TableServiceClient.fromConnectionString(account.connectionString, options);
    const found = await all(tables.listTables({ queryOptions: { filter: `TableName eq '${name}'` } }));
    assert.equal(found.length, 1);
  });
}

test("both accounts see the same tables", async (t) => {
  const table = await newTable(t, accounts.storage);
  const { etag } = await table.createEntity({ partitionKey: "p", rowKey: "r", n: 1 });
  const same = client(table.tableName, accounts.cosmos);
  assert.equal((await same.getEntity("p", "r")).etag, etag);
  await same.updateEntity({ partitionKey: "p", rowKey: "r", n: 2 }, "Merge", { etag });
  assert.equal((await table.getEntity("p", "r")).n, 2);
});

test("names are refused by the rules of the account", async () => {
  for (const name of ["1abc", "my-table", "tables"]) {
    await refusal(service().createTable(name), 400, "InvalidResourceName");
  }
  await refusal(service().createTable("ab"), 400, "OutOfRangeInput");
  const cosmos = service(accounts.cosmos);
  await cosmos.createTable("my-table");
  await cosmos.deleteTable("my-table");
});

test("policies are kept with their table", async (t) => {
  const table = await newTable(t);
  assert.deepEqual(await policies(table), []);
  const accessPolicy = { start: new Date("2020-01-01"), expiry: new Date("2099-01-01"), permission: "ra" };
  await table.setAccessPolicy([{ id: "one", accessPolicy }, { id: "empty" }]);
  const [one, empty] = await policies(table);
  assert.deepEqual([one.id, one.accessPolicy.permission, empty.id], ["one", "ra", "empty"]);
  assert.equal(new Date(one.accessPolicy.expiry).getTime(), accessPolicy.expiry.getTime());
  const many = Array.from({ length: 6 }, (_, n) => ({ id: String(n) }));
  await refusal(table.setAccessPolicy(many), 400, "InvalidXmlDocument");
});

async function policies(table) {
  return [...(await table.getAccessPolicy())];
}

test("properties of the service are set and read", async (t) => {
  const tables = service();
  t.after(() => tables.setProperties({ cors: [] }));
  const rule = { allowedOrigins: "http://a.example", allowedMethods: "GET", allowedHeaders: "x-ms-*", exposedHeaders: "x-ms-*", maxAgeInSeconds: 60 };
  const logging = { version: "1.0", read: true, write: false, delete: false, retentionPolicy: { enabled: true, days: 7 } };
  await tables.setProperties({ logging, cors: [rule] });
  const properties = await tables.getProperties();
  assert.deepEqual([properties.logging.read, properties.logging.retentionPolicy.days], [true, 7]);
  assert.deepEqual(properties.cors, [rule]);
  const preflight = await fetch(`${accounts.storage.url}/Tables`, {
    method: "OPTIONS",
    headers: { origin: "http://a.example", "access-control-request-method": "GET", "access-control-request-headers": "x-ms-date" },
  });
  assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [200, "http://a.example"]);
});

test("statistics are told by the secondary", async () => {
  const { name, url, credential } = accounts.storage;
  const secondary = service({ url: url.replace(name, `${name}-secondary`), credential });
  const { geoReplication } = await secondary.getStatistics();
  assert.equal(geoReplication.status, "live");
  assert.ok(geoReplication.lastSyncTime instanceof Date);
  await refusal(service().getStatistics(), 400);
});

test("a signature for a table allows what it says", async (t) => {
  const table = await newTable(t);
  await table.createEntity({ partitionKey: "a", rowKey: "1" });
  await table.createEntity({ partitionKey: "b", rowKey: "1" });
  const sas = (more) => generateTableSas(table.tableName, accounts.storage.credential, { expiresOn: new Date(Date.now() + 3600e3), ...more });
  const reader = clientWith(new AzureSASCredential(sas({ permissions: { query: true } })), table.tableName);
  assert.equal((await all(reader.listEntities())).length, 2);
  await refusal(reader.createEntity({ partitionKey: "c", rowKey: "1" }), 403, "AuthorizationPermissionMismatch");
  const partition = { startPartitionKey: "b", endPartitionKey: "b" };
  const ranged = clientWith(new AzureSASCredential(sas({ permissions: { query: true }, ...partition })), table.tableName);
  assert.deepEqual((await all(ranged.listEntities())).map((entity) => entity.partitionKey), ["b"]);
  await table.setAccessPolicy([{ id: "pol", accessPolicy: { expiry: new Date("2099-01-01"), permission: "a" } }]);
  const bySas = generateTableSas(table.tableName, accounts.storage.credential, { identifier: "pol" });
  const adder = clientWith(new AzureSASCredential(bySas), table.tableName);
  await adder.createEntity({ partitionKey: "c", rowKey: "1" });
  await refusal(adder.getEntity("c", "1"), 403);
});

test("a signature for the account allows what it says", async (t) => {
  for (const account of Object.values(accounts)) {
    const table = await newTable(t, account);
    await table.createEntity({ partitionKey: "a", rowKey: "1" });
    const expiresOn = new Date(Date.now() + 3600e3);
    const everything = new AzureSASCredential(generateAccountSas(account.credential, { expiresOn }));
    assert.equal((await all(clientWith(everything, table.tableName, account).listEntities())).length, 1);
    const permissions = { query: true };
    const reading = generateAccountSas(account.credential, { expiresOn, permissions, resourceTypes: "o" });
    const reader = clientWith(new AzureSASCredential(reading), table.tableName, account);
    await refusal(reader.deleteEntity("a", "1"), 403, "AuthorizationPermissionMismatch");
    await refusal(reader.getAccessPolicy(), 403, "AuthorizationResourceTypeMismatch");
  }
});
