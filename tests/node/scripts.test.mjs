// Stored procedures, triggers and user-defined functions: stored, listed and replaced; running one is refused by name.

import assert from "node:assert/strict";
import test from "node:test";
import { ids, newContainer, refusal, withoutSystem } from "./server.mjs";

const BODY = 'function run(name) { getContext().getResponse().setBody("hello " + name); }';
const OTHER_BODY = "function run() { return 1; }";

// The three kinds differ in where the client keeps them.
const kinds = {
  "stored procedures": {
    list: (scripts) => scripts.storedProcedures,
    one: (scripts, id) => scripts.storedProcedure(id),
    definition: { id: "s", body: BODY },
    ofResponse: (response) => response.sproc,
    segment: "sprocs",
  },
  triggers: {
    list: (scripts) => scripts.triggers,
    one: (scripts, id) => scripts.trigger(id),
    definition: { id: "s", body: BODY, triggerType: "Pre", triggerOperation: "Create" },
    ofResponse: (response) => response.trigger,
    segment: "triggers",
  },
  "user-defined functions": {
    list: (scripts) => scripts.userDefinedFunctions,
    one: (scripts, id) => scripts.userDefinedFunction(id),
    definition: { id: "s", body: BODY },
    ofResponse: (response) => response.udf,
    segment: "udfs",
  },
};

for (const [name, kind] of Object.entries(kinds)) {
  test(`${name} are created, read, replaced and deleted`, async (t) => {
    const container = await newContainer(t);
    const list = kind.list(container.scripts);
    const created = await list.create({ ...kind.definition });
    assert.equal(created.statusCode, 201);
    assert.deepEqual(withoutSystem(created.resource), kind.definition);
    assert.equal(created.etag, created.resource._etag);
    const script = kind.one(container.scripts, "s");
    assert.equal(kind.ofResponse(created).url, script.url);
    assert.equal(script.url, `${container.url}/${kind.segment}/s`);
    assert.deepEqual((await script.read()).resource, created.resource);
    await refusal(list.create({ ...kind.definition }), 409);
    const replaced = await script.replace({ ...kind.definition, body: OTHER_BODY });
    assert.equal(replaced.resource.body, OTHER_BODY);
    assert.equal(replaced.resource._rid, created.resource._rid);
    assert.equal((await script.delete()).statusCode, 204);
    await refusal(script.read(), 404);
    await refusal(script.delete(), 404);
  });

  test(`${name} are listed and queried`, async (t) => {
    const container = await newContainer(t);
    const list = kind.list(container.scripts);
    for (const id of ["a", "b", "c"]) await list.create({ ...kind.definition, id });
    assert.deepEqual(ids((await list.readAll({ maxItemCount: 2 }).fetchAll()).resources), ["a", "b", "c"]);
    const query = { query: "SELECT * FROM root r WHERE r.id = @id", parameters: [{ name: "@id", value: "b" }] };
    const { resources } = await list.query(query).fetchAll();
    assert.deepEqual(resources.map(withoutSystem), [{ ...kind.definition, id: "b" }]);
  });
}

test("scripts may be given as functions", async (t) => {
  const { scripts } = await newContainer(t);
  function hello() { return "hello"; }
  const { resource } = await scripts.storedProcedures.create({ id: "s", body: hello });
  assert.equal(resource.body, hello.toString());
});

test("running a stored procedure is refused by name", async (t) => {
  const { scripts } = await newContainer(t);
  await scripts.storedProcedures.create({ id: "s", body: BODY });
  await refusal(scripts.storedProcedure("s").execute("x", ["world"]), 400, /'s' cannot be run.*does not execute JavaScript/);
  await refusal(scripts.storedProcedure("none").execute("x", []), 404);
});

test("a write with triggers is refused, and not done without them", async (t) => {
  const container = await newContainer(t);
  await container.scripts.triggers.create({ id: "t", body: BODY, triggerType: "Pre", triggerOperation: "All" });
  for (const options of [{ preTriggerInclude: "t" }, { postTriggerInclude: ["t"] }]) {
    await refusal(container.items.create({ id: "1", pk: "x" }, options), 400, /'t' cannot be run/);
  }
  assert.equal((await container.item("1", "x").read()).statusCode, 404);
});

test("broken definitions are refused", async (t) => {
  const { scripts } = await newContainer(t);
  await refusal(scripts.storedProcedures.create({ id: "s" }), 400, /body/);
  await refusal(scripts.triggers.create({ id: "t", body: BODY, triggerType: "During", triggerOperation: "All" }), 400, /triggerType/);
});
