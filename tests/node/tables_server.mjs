// The Table API of the running server as tests see it: its two accounts, and tables of a test's own.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { AzureNamedKeyCredential, TableClient, TableServiceClient } from "@azure/data-tables";

const PUBLIC_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// The account of the storage emulators with the rules of storage, and the server's own with those of Cosmos DB. Both see the same tables.
export const accounts = {
  storage: account("devstoreaccount1", variable("ORRERY_AZURITE"), PUBLIC_KEY),
  cosmos: account("localhost", `${variable("ORRERY_TABLE")}/localhost`, variable("ORRERY_KEY")),
};

const options = { allowInsecureConnection: true };

export function service(account = accounts.storage, more = {}) {
  return new TableServiceClient(account.url, account.credential, { ...options, ...more });
}

export function client(name, account = accounts.storage, more = {}) {
  return new TableClient(account.url, name, account.credential, { ...options, ...more });
}

// A client without a key: its credential is a shared access signature.
export function clientWith(credential, name, account = accounts.storage) {
  return new TableClient(account.url, name, credential, options);
}

export function newName() {
  return `t${randomUUID().replaceAll("-", "")}`;
}

// A new table, deleted when the test ends.
export async function newTable(t, account = accounts.storage) {
  const table = client(newName(), account);
  await table.createTable();
  t.after(() => table.deleteTable());
  return table;
}

// Waits for the error of `promise`, and checks its status and its code.
export async function refusal(promise, status, code) {
  const outcome = await Promise.resolve(promise).then((value) => ({ value }), (error) => ({ error }));
  assert.ok(outcome.error, `expected ${status}, but it succeeded`);
  assert.equal(outcome.error.statusCode, status, String(outcome.error.message));
  if (code) {
    assert.equal(outcome.error.details?.odataError?.code ?? outcome.error.code, code);
  }
  return outcome.error;
}

export async function all(iterator) {
  const found = [];
  for await (const one of iterator) found.push(one);
  return found;
}

// The properties that a client wrote, and the keys.
export function written(entity) {
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !name.startsWith("odata.") && !["etag", "timestamp"].includes(name)));
}

function account(name, url, key) {
  const connectionString = `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};TableEndpoint=${url};`;
  return { name, url, key, connectionString, credential: new AzureNamedKeyCredential(name, key) };
}

function variable(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run this through cargo xtask test`);
  return value;
}
