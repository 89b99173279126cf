// The official Gremlin client for JavaScript: texts and bytecode, over ws and wss, in the formats that it has.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import gremlin from "gremlin";
import { key, newDatabase } from "./server.mjs";

const { driver, process: traversals, structure } = gremlin;
const { statics: __, P, t: T } = traversals;
const plain = process.env.ORRERY_GREMLIN ?? "";
const urls = { ws: plain, wss: plain.replace("ws://127.0.0.1", "wss://localhost") };

const mimes = {
  graphson2: "application/vnd.gremlin-v2.0+json",
  graphson3: "application/vnd.gremlin-v3.0+json",
  graphbinary: "application/vnd.graphbinary-v1.0",
};

async function newGraph(t) {
  const database = await newDatabase(t);
  const id = `graph-${randomUUID()}`;
  await database.containers.create({ id, partitionKey: "/country", throughput: 40000 });
  return `/dbs/${database.id}/colls/${id}`;
}

async function options(user, scheme, format, password = key) {
  const authenticator = new driver.auth.PlainTextSaslAuthenticator(user, password);
  const trusted = scheme === "wss" ? { ca: [await readFile(process.env.ORRERY_CA, "utf8")] } : {};
  return { authenticator, mimeType: mimes[format], traversalSource: "g", ...trusted };
}

async function client(t, user, scheme, format, password) {
  const opened = new driver.Client(urls[scheme], await options(user, scheme, format, password));
  t.after(() => opened.close());
  return opened;
}

for (const [scheme, format] of [["ws", "graphson2"], ["ws", "graphson3"], ["ws", "graphbinary"], ["wss", "graphson3"]]) {
  test(`texts write and read over ${scheme} in ${format}`, async (t) => {
    const opened = await client(t, await newGraph(t), scheme, format);
    for (const [code, country] of [["SEA", "US"], ["LHR", "GB"]]) {
      const text = "g.addV('airport').property('id', code).property('country', country)";
      assert.equal((await opened.submit(text, { code, country })).length, 1);
    }
    await opened.submit("g.V('SEA').addE('route').to(g.V('LHR')).property('days', 7)");
    const results = await opened.submit("g.V('SEA').out('route').id()");
    assert.deepEqual(results.toArray(), ["LHR"]);
    const charge = format === "graphson2" ? results.attributes["x-ms-total-request-charge"] : results.attributes.get("x-ms-total-request-charge");
    assert.ok(charge > 0);
    const overlapping = Array.from({ length: 50 }, (_, number) => opened.submit("g.inject(x)", { x: number }));
    const numbers = (await Promise.all(overlapping)).map((result) => result.first());
    assert.deepEqual(numbers, [...Array(50).keys()]);
    await assert.rejects(opened.submit("g.V("), (error) => error.statusCode === 597);
    await assert.rejects(opened.submit("g.with('evaluationTimeout', 100).inject(1).repeat(identity())"), (error) => error.statusCode === 598);
  });
}

for (const [scheme, format] of [["ws", "graphson3"], ["ws", "graphbinary"], ["wss", "graphbinary"]]) {
  test(`bytecode writes and reads over ${scheme} in ${format}`, async (t) => {
    const connection = new driver.DriverRemoteConnection(urls[scheme], await options(await newGraph(t), scheme, format));
    t.after(() => connection.close());
    const g = traversals.AnonymousTraversalSource.traversal().withRemote(connection);
    await g.addV("airport").property(T.id, "SEA").property("country", "US").property("elevationFt", 433).iterate();
    await g.addV("airport").property(T.id, "LHR").property("country", "GB").property("elevationFt", 83).iterate();
    await g.V("SEA").addE("route").to(__.V("LHR")).iterate();
    assert.deepEqual(await g.V().has("elevationFt", P.gt(100)).id().toList(), ["SEA"]);
    const [vertex] = await g.V("SEA").out("route").toList();
    assert.ok(vertex instanceof structure.Vertex);
    assert.equal(vertex.id, "LHR");
  });
}

test("a wrong key is refused", async (t) => {
  const opened = await client(t, await newGraph(t), "ws", "graphson3", Buffer.from("not the key of this account").toString("base64"));
  await assert.rejects(opened.submit("g.V()"), (error) => error.statusCode === 401);
});
