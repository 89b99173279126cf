// Every public method of the client of tables is called by some test: a new version's new method fails here until one calls it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as tables from "@azure/data-tables";

const CALLED = {
  TableServiceClient: { tables: "createTable deleteTable listTables getProperties setProperties getStatistics fromConnectionString" },
  TableClient: {
    tables: "createTable deleteTable getAccessPolicy setAccessPolicy fromConnectionString",
    tables_entities: "createEntity getEntity listEntities updateEntity upsertEntity deleteEntity submitTransaction",
  },
  TableTransaction: { tables_entities: "createEntity updateEntity upsertEntity deleteEntity" },
};
const FUNCTIONS = { tables: "generateAccountSas generateTableSas", tables_entities: "odata" };

// Classes that send nothing, and methods that the client's own declarations leave out.
const SILENT = new Set(["AzureNamedKeyCredential", "AzureSASCredential", "RestError"]);
const INTERNAL = { TableClient: "_listEntities listEntitiesAll listEntitiesPage", TableServiceClient: "_listTables listTablesAll listTablesPage" };

const words = (text) => text?.split(/\s+/) ?? [];
const classes = Object.entries(tables).filter(([, type]) => typeof type === "function" && /^class/.test(Function.prototype.toString.call(type)));

for (const [name, type] of classes.filter(([name]) => !SILENT.has(name))) {
  test(`the methods of ${name} are those that tests call`, () => {
    const own = Object.getOwnPropertyNames(type.prototype).filter((method) => method !== "constructor");
    const fixed = Object.getOwnPropertyNames(type).filter((method) => !["length", "name", "prototype"].includes(method));
    const internal = new Set(words(INTERNAL[name]));
    const members = [...own, ...fixed].filter((method) => !internal.has(method));
    const expected = new Set(Object.values(CALLED[name] ?? {}).flatMap(words));
    assert.deepEqual(members.sort(), [...expected].sort());
  });
}

test("the functions of the package are those that tests call", () => {
  const functions = Object.entries(tables).filter(([name, value]) => typeof value === "function" && !classes.some(([own]) => own === name));
  const expected = Object.values(FUNCTIONS).flatMap(words);
  assert.deepEqual(functions.map(([name]) => name).filter((name) => !/^Known/.test(name)).sort(), expected.sort());
});

for (const [name, files] of Object.entries({ ...CALLED, functions: FUNCTIONS })) {
  test(`tests call what belongs to ${name}`, () => {
    for (const [file, methods] of Object.entries(files)) {
      const text = readFileSync(new URL(`${file}.test.mjs`, import.meta.url), "utf8");
      const missing = words(methods).filter((method) => !new RegExp(`(\\.|[{, ]\\s*)${method}\\b`).test(text));
      assert.deepEqual(missing, [], `${file}.test.mjs`);
    }
  });
}
