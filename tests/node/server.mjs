// The running server as tests see it: clients of it, and databases and containers of a test's own. `cargo xtask test` starts the
// server and sets the variables.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import { CosmosClient } from "@azure/cosmos";

export const endpoints = { http: variable("ORRERY_ENDPOINT"), https: variable("ORRERY_HTTPS_ENDPOINT") };
export const schemes = Object.keys(endpoints);
export const key = variable("ORRERY_KEY");

// RU/s that give a container several physical partitions, so that clients have something to route and merge.
export const MANY_PARTITIONS_RU = 40000;

const opened = [];
after(() => opened.forEach((client) => client.dispose()));

// A client with the account key, over plain HTTP unless the options say otherwise.
export function connect(options = {}) {
  return remember(new CosmosClient({ endpoint: endpoints.http, key, ...options }));
}

// A client that has no account key, only what the options hold.
export function connectWithoutKey(options) {
  return remember(new CosmosClient({ endpoint: endpoints.http, ...options }));
}

export const shared = connect();

// A new database, dropped when the test ends.
export async function newDatabase(t, client = shared) {
  const { database } = await client.databases.create({ id: `node-${randomUUID()}` });
  t.after(() => shared.database(database.id).delete());
  return database;
}

// A new container by the key /pk in a database of its own.
export async function newContainer(t, definition = {}, client = shared) {
  const database = await newDatabase(t, client);
  const { container } = await database.containers.create({ id: "items", partitionKey: hash("/pk"), ...definition });
  return container;
}

// A new container by the key /pk in several physical partitions.
export async function newLargeContainer(t, definition = {}, client = shared) {
  return newContainer(t, { throughput: MANY_PARTITIONS_RU, ...definition }, client);
}

export function hash(path) {
  return { paths: [path], kind: "Hash", version: 2 };
}

export function multiHash(...paths) {
  return { paths, kind: "MultiHash", version: 2 };
}

// Creates `count` items {id: "0007", pk: "p<number % keys>", n: 7} and returns them in order of n.
export async function fill(container, count, keys) {
  const items = Array.from({ length: count }, (_, n) => ({ id: String(n).padStart(4, "0"), pk: `p${n % keys}`, n }));
  await Promise.all(items.map((item) => container.items.create(item)));
  return items;
}

// Waits for the error of `promise`, checks its status and words, and returns it.
export async function refusal(promise, code, words = /./) {
  const outcome = await Promise.resolve(promise).then((value) => ({ value }), (error) => ({ error }));
  assert.ok(outcome.error, `expected ${code}, but it succeeded`);
  assert.equal(outcome.error.code, code, String(outcome.error.message));
  assert.match(String(outcome.error.message), words);
  return outcome.error;
}

// The parts of an item that its owner wrote.
export function withoutSystem(item) {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !name.startsWith("_")));
}

export function ids(items) {
  return items.map((item) => item.id).sort();
}

// Repeats `probe` until it returns something truthy.
export async function eventually(probe, what) {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const found = await probe();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`did not happen in time: ${what}`);
}

function remember(client) {
  opened.push(client);
  return client;
}

function variable(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run this through cargo xtask test`);
  return value;
}
