// Partial updates.

import assert from "node:assert/strict";
import test from "node:test";
import { newContainer, refusal, withoutSystem } from "./server.mjs";

async function newItem(t, parts) {
  const container = await newContainer(t);
  return (await container.items.create({ id: "1", pk: "x", ...parts })).item;
}

test("each operation does what it says, in order", async (t) => {
  const item = await newItem(t, { n: 1, tags: ["a", "c"], gone: 1, old: 1, deep: { x: 1 } });
  const { resource, statusCode } = await item.patch([
    { op: "incr", path: "/n", value: 2.5 },
    { op: "incr", path: "/made", value: -1 },
    { op: "add", path: "/tags/1", value: "b" },
    { op: "add", path: "/tags/-", value: "d" },
    { op: "remove", path: "/gone" },
    { op: "replace", path: "/old", value: { now: "object" } },
    { op: "set", path: "/deep/y", value: null },
    { op: "set", path: "/tags/0", value: "A" },
    { op: "add", path: "/a~1b", value: true },
  ]);
  assert.equal(statusCode, 200);
  const expected = { id: "1", pk: "x", n: 3.5, tags: ["A", "b", "c", "d"], old: { now: "object" }, deep: { x: 1, y: null }, made: -1, "a/b": true };
  assert.deepEqual(withoutSystem(resource), expected);
  assert.deepEqual((await item.read()).resource, resource);
});

test("a value moves", async (t) => {
  const item = await newItem(t, { from: { x: 1 }, to: {} });
  const { resource } = await item.patch([{ op: "move", from: "/from/x", path: "/to/x" }]);
  assert.deepEqual([resource.from, resource.to], [{}, { x: 1 }]);
});

test("a condition decides", async (t) => {
  const item = await newItem(t, { n: 1, state: "open" });
  const operations = [{ op: "incr", path: "/n", value: 1 }];
  await refusal(item.patch({ condition: "from c where c.state = 'closed'", operations }), 412);
  const { resource } = await item.patch({ condition: "from c where c.state = 'open' and c.n < 2", operations });
  assert.equal(resource.n, 2);
  await refusal(item.patch({ condition: "from c where c.state = 'open' and c.n < 2", operations }), 412);
  await refusal(item.patch({ condition: "from c where where", operations }), 400);
  assert.equal((await item.read()).resource.n, 2);
});

test("what cannot be done changes nothing", async (t) => {
  const item = await newItem(t, { n: 1, text: "a", tags: [1] });
  const { resource: before } = await item.read();
  const wrong = [
    { op: "replace", path: "/missing", value: 1 },
    { op: "remove", path: "/missing" },
    { op: "incr", path: "/text", value: 1 },
    { op: "set", path: "/id", value: "2" },
    { op: "set", path: "/pk", value: "y" },
    { op: "set", path: "/_etag", value: "y" },
    { op: "add", path: "/tags/5", value: 1 },
    { op: "add", path: "/missing/below", value: 1 },
    { op: "dance", path: "/n", value: 1 },
    { op: "set", path: "n", value: 1 },
  ];
  for (const operation of wrong) {
    const error = await refusal(item.patch([{ op: "incr", path: "/n", value: 1 }, operation]), 400);
    assert.ok(error.body.message, JSON.stringify(operation));
  }
  assert.deepEqual((await item.read()).resource, before);
});

test("eleven operations are one too many", async (t) => {
  const item = await newItem(t, { n: 0 });
  const operations = (count) => Array.from({ length: count }, () => ({ op: "incr", path: "/n", value: 1 }));
  assert.equal((await item.patch(operations(10))).resource.n, 10);
  await refusal(item.patch(operations(11)), 400, /10/);
});

test("what is missing is not found", async (t) => {
  const container = await newContainer(t);
  await refusal(container.item("none", "x").patch([{ op: "set", path: "/n", value: 1 }]), 404);
});
