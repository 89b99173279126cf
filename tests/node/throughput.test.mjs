// Provisioned throughput: offers of databases and containers.

import assert from "node:assert/strict";
import test from "node:test";
import { randomUUID } from "node:crypto";
import { newContainer, newDatabase, refusal, shared } from "./server.mjs";

test("manual throughput is read and replaced", async (t) => {
  const container = await newContainer(t, { throughput: 500 });
  const { resource, offer } = await container.readOffer();
  assert.equal(resource.content.offerThroughput, 500);
  assert.equal(resource.offerVersion, "V2");
  assert.equal(resource.resource, (await container.read()).resource._self);
  assert.equal(offer.url, `/offers/${resource._rid}`);
  const { resource: replaced } = await offer.replace({ ...resource, content: { ...resource.content, offerThroughput: 1200 } });
  assert.equal(replaced.content.offerThroughput, 1200);
  assert.deepEqual((await shared.offer(resource.id).read()).resource, replaced);
  assert.equal((await container.readOffer()).resource.content.offerThroughput, 1200);
});

test("amounts that the service does not sell are refused", async (t) => {
  const container = await newContainer(t, { throughput: 400 });
  const { resource, offer } = await container.readOffer();
  for (const offerThroughput of [0, 399, 450, -100]) {
    await refusal(offer.replace({ ...resource, content: { ...resource.content, offerThroughput } }), 400);
  }
  assert.equal((await offer.read()).resource.content.offerThroughput, 400);
  await refusal(container.database.containers.create({ id: "c", partitionKey: "/pk", throughput: 100 }), 400, /throughput/);
});

test("autoscale throughput is read and replaced", async (t) => {
  const container = await newContainer(t, { maxThroughput: 4000 });
  const { resource, offer } = await container.readOffer();
  assert.equal(resource.content.offerAutopilotSettings.maxThroughput, 4000);
  const content = { ...resource.content, offerAutopilotSettings: { maxThroughput: 6000 } };
  assert.equal((await offer.replace({ ...resource, content })).resource.content.offerAutopilotSettings.maxThroughput, 6000);
  assert.equal((await offer.read()).resource.content.offerAutopilotSettings.maxThroughput, 6000);
});

test("throughput is turned from manual to autoscale and back", async (t) => {
  const container = await newContainer(t, { throughput: 5000 });
  const { resource, offer } = await container.readOffer();
  const toAutoscale = { initialHeaders: { "x-ms-cosmos-migrate-offer-to-autopilot": "true" } };
  const { resource: scaled } = await offer.replace(resource, toAutoscale);
  assert.equal(scaled.content.offerAutopilotSettings.maxThroughput, 5000);
  const toManual = { initialHeaders: { "x-ms-cosmos-migrate-offer-to-manual-throughput": "true" } };
  const { resource: manual } = await offer.replace(scaled, toManual);
  assert.equal(manual.content.offerAutopilotSettings, undefined);
  assert.equal(manual.content.offerThroughput, 5000);
});

test("a database shares its throughput among its containers", async (t) => {
  const { database } = await shared.databases.create({ id: `node-${randomUUID()}`, throughput: 700 });
  t.after(() => database.delete());
  const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  assert.equal((await database.readOffer()).resource.content.offerThroughput, 700);
  const ofContainer = await container.readOffer();
  assert.equal(ofContainer.resource, undefined);
  assert.equal(ofContainer.offer, undefined);
});

test("a database without throughput has no offer", async (t) => {
  const database = await newDatabase(t);
  assert.equal((await database.readOffer()).resource, undefined);
});

test("offers are listed and queried, and go with what they belong to", async (t) => {
  const container = await newContainer(t, { throughput: 600 });
  const { resource } = await container.readOffer();
  const listed = (await shared.offers.readAll({ maxItemCount: 3 }).fetchAll()).resources;
  assert.deepEqual(listed.filter((offer) => offer._rid === resource._rid), [resource]);
  const query = { query: "SELECT * FROM root r WHERE r.offerResourceId = @rid", parameters: [{ name: "@rid", value: resource.offerResourceId }] };
  assert.deepEqual((await shared.offers.query(query).fetchAll()).resources, [resource]);
  await container.delete();
  await refusal(shared.offer(resource.id).read(), 404);
  assert.deepEqual((await shared.offers.query(query).fetchAll()).resources, []);
});
