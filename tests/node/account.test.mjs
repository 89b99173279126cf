// The account, and how clients reach and prove themselves to it.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { CosmosClient, CosmosDbDiagnosticLevel } from "@azure/cosmos";
import { connect, connectWithoutKey, endpoints, key, newContainer, newDatabase, refusal, schemes } from "./server.mjs";

for (const scheme of schemes) {
  test(`${scheme}: the account keeps clients where they came from`, async () => {
    const client = connect({ endpoint: endpoints[scheme] });
    const { resource, headers, requestCharge, statusCode } = await client.getDatabaseAccount();
    assert.equal(statusCode, 200);
    // The client leaves out the locations of an account called localhost, and stays where it is.
    assert.deepEqual([resource.writableLocations, resource.readableLocations], [[], []]);
    assert.deepEqual(resource.consistencyPolicy, "Session");
    assert.equal(resource.enableMultipleWritableLocations, false);
    assert.ok(headers["x-ms-activity-id"], "activity id");
    assert.ok(Number.isFinite(requestCharge));
    for (const found of [await client.getReadEndpoint(), await client.getWriteEndpoint()]) {
      assert.equal(new URL(found).origin, endpoints[scheme]);
    }
    assert.deepEqual([await client.getReadEndpoints(), await client.getWriteEndpoints()], [[], []]);
  });

  test(`${scheme}: an item makes the round trip`, async (t) => {
    const container = await newContainer(t, {}, connect({ endpoint: endpoints[scheme] }));
    const { resource: created } = await container.items.create({ id: "1", pk: "x", text: "Ünïcode 😀" });
    const { resource: read } = await container.item("1", "x").read();
    assert.deepEqual(read, created);
    assert.equal(read.text, "Ünïcode 😀");
    const { resources } = await container.items.query("SELECT VALUE c.text FROM c").fetchAll();
    assert.deepEqual(resources, ["Ünïcode 😀"]);
  });
}

test("connection strings name endpoint and key", async (t) => {
  const client = new CosmosClient(`AccountEndpoint=${endpoints.http}/;AccountKey=${key};`);
  t.after(() => client.dispose());
  const database = await newDatabase(t, client);
  assert.equal((await database.read()).resource.id, database.id);
});

test("a wrong key is refused with the payload that should have been signed", async () => {
  const stranger = connect({ key: Buffer.from("wrong").toString("base64") });
  await refusal(stranger.databases.readAll().fetchAll(), 401, /expected payload/);
});

test("a token provider signs for itself", async (t) => {
  const seen = [];
  const tokenProvider = async ({ verb, resourceType, resourceId, headers }) => {
    seen.push(`${verb} ${resourceType}`);
    const payload = [verb.toLowerCase(), resourceType.toLowerCase(), resourceId, headers["x-ms-date"].toLowerCase(), "", ""].join("\n");
    const signature = createHmac("sha256", Buffer.from(key, "base64")).update(payload).digest("base64");
    return `type=master&ver=1.0&sig=${signature}`;
  };
  const client = connectWithoutKey({ tokenProvider });
  const database = await newDatabase(t, client);
  const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  await container.items.create({ id: "1", pk: "x" });
  assert.equal((await container.item("1", "x").read()).resource.id, "1");
  assert.ok(seen.includes("POST docs") && seen.includes("GET docs"), seen.join());
});

test("diagnostics name what was asked and how it ended", async (t) => {
  const client = connect({ diagnosticLevel: CosmosDbDiagnosticLevel.debug });
  const container = await newContainer(t, {}, client);
  const { diagnostics } = await container.items.create({ id: "1", pk: "x" });
  const [call] = diagnostics.clientSideRequestStatistics.gatewayStatistics;
  assert.equal(call.statusCode, 201);
  assert.equal(call.operationType, "create");
  assert.ok(call.responsePayloadLengthInBytes > 100, "the reply's size");
  assert.deepEqual(diagnostics.clientConfig.endpoint, endpoints.http);
});

test("a host framework goes with the user agent", async (t) => {
  const client = connect({ userAgentSuffix: "orrery" });
  await client.updateHostFramework("framework/1");
  const database = await newDatabase(t, client);
  assert.equal((await database.read()).statusCode, 200);
});

test("an aborted request ends as aborted", async (t) => {
  const container = await newContainer(t);
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(container.items.create({ id: "1", pk: "x" }, { abortSignal: abort.signal }), { name: "AbortError" });
  assert.equal((await container.item("1", "x").read()).statusCode, 404);
});

test("disposing of a client ends its background work, not its use", async () => {
  const client = new CosmosClient({ endpoint: endpoints.http, key });
  client.dispose();
  assert.equal((await client.getDatabaseAccount()).statusCode, 200);
});

test("the reranking of another service asks for that service's credentials", async (t) => {
  const container = await newContainer(t);
  await assert.rejects(container.semanticRerank("query", ["a", "b"]), /AAD authentication/);
});
