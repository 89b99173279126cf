// Every shape of query, asked both ways: merged by the server, and by the client from the query plan and the ranges' rows. Expected
// rows are computed here from the same items.

import assert from "node:assert/strict";
import test from "node:test";
import { newLargeContainer, refusal, withoutSystem } from "./server.mjs";

const COUNT = 48;
const CITIES = ["Bern", "Oslo", "Lima", "Bonn", undefined];

function item(n) {
  const made = { id: `i${n}`, pk: `p${n % 11}`, n, half: Math.floor(n / 2), third: n % 3, tags: ["a", "b", "c"].slice(0, n % 4), stops: [] };
  for (let stop = 0; stop < n % 3; stop += 1) made.stops.push({ name: `s${stop}`, wait: stop * 10 + (n % 5) });
  const city = CITIES[n % CITIES.length];
  if (city) made.address = { city, zip: 1000 + n };
  return made;
}

const items = Array.from({ length: COUNT }, (_, n) => item(n));

// How a query may be sent. Sizes of pages are chosen so that they end within ranges, groups and items.
const ways = {
  "merged by the server": {},
  "merged by the server, 5 a page": { maxItemCount: 5 },
  "merged by the client": { forceQueryPlan: true },
  "merged by the client, 3 a page": { forceQueryPlan: true, maxItemCount: 3 },
  // The client never ends with -1 items a page and a plan of its own to run.
  "merged by the client, all ranges at once": { forceQueryPlan: true, maxDegreeOfParallelism: -1, maxItemCount: 1000 },
};

const by = (key) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
const sorted = (values) => values.map((value) => JSON.stringify(value)).sort();
const unique = (values) => [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
const groups = (key) => unique(items.map((one) => [key(one)])).map(([value]) => [value, items.filter((one) => key(one) === value)]);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const join = (list) => items.flatMap((one) => one[list].map((element) => ({ item: one, element })));

// [query, expected rows, whether their order counts]
const shapes = [
  ["SELECT c.id, c.n FROM c WHERE c.n BETWEEN 10 AND 19", () => items.slice(10, 20).map(({ id, n }) => ({ id, n }))],
  ["SELECT VALUE c.n FROM c WHERE c.address.city = 'Oslo' OR c.n IN (0, 5)", () => items.filter((i) => i.address?.city === "Oslo" || i.n === 0 || i.n === 5).map((i) => i.n)],
  ["SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.address)", () => items.filter((i) => !i.address).map((i) => i.id)],
  ["SELECT VALUE c.n FROM c ORDER BY c.n DESC", () => items.map((i) => i.n).reverse(), true],
  ["SELECT c.third, c.n FROM c ORDER BY c.third, c.n DESC", () => items.toSorted((a, b) => a.third - b.third || b.n - a.n).map(({ third, n }) => ({ third, n })), true],
  ["SELECT TOP 7 VALUE c.n FROM c ORDER BY c.n", () => [0, 1, 2, 3, 4, 5, 6], true],
  ["SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 6 LIMIT 9", () => items.slice(6, 15).map((i) => i.n), true],
  ["SELECT VALUE c.id FROM c WHERE c.n > 40 AND IS_DEFINED(c.address) ORDER BY c.address.zip", () => items.filter((i) => i.n > 40 && i.address).toSorted(by((i) => i.address.zip)).map((i) => i.id), true],
  ["SELECT DISTINCT c.third FROM c", () => [{ third: 0 }, { third: 1 }, { third: 2 }]],
  ["SELECT DISTINCT VALUE c.address.city FROM c", () => ["Bern", "Oslo", "Lima", "Bonn"]],
  ["SELECT DISTINCT VALUE c.address.city FROM c ORDER BY c.address.city", () => ["Bern", "Bonn", "Lima", "Oslo"], true],
  ["SELECT DISTINCT VALUE c.tags FROM c", () => unique(items.map((i) => i.tags))],
  ["SELECT VALUE COUNT(1) FROM c", () => [COUNT]],
  ["SELECT VALUE COUNT(c.address.city) FROM c", () => [items.filter((i) => i.address).length]],
  ["SELECT VALUE SUM(c.n) FROM c WHERE c.third = 1", () => [sum(items.filter((i) => i.third === 1).map((i) => i.n))]],
  ["SELECT VALUE AVG(c.n) FROM c", () => [sum(items.map((i) => i.n)) / COUNT]],
  ["SELECT VALUE MIN(c.address.city) FROM c", () => ["Bern"]],
  ["SELECT VALUE MAX(c.n) FROM c WHERE c.n < 20", () => [19]],
  ["SELECT COUNT(1) AS count, MAX(c.n) AS most FROM c", () => [{ count: COUNT, most: COUNT - 1 }]],
  ["SELECT c.third, COUNT(1) AS count, SUM(c.n) AS total FROM c GROUP BY c.third", () => groups((i) => i.third).map(([third, of]) => ({ third, count: of.length, total: sum(of.map((i) => i.n)) }))],
  ["SELECT c.address.city, AVG(c.n) AS mean FROM c GROUP BY c.address.city", () => groups((i) => i.address?.city).map(([city, of]) => ({ ...(city ? { city } : {}), mean: sum(of.map((i) => i.n)) / of.length }))],
  ["SELECT c.pk, c.third, MIN(c.n) AS least FROM c GROUP BY c.pk, c.third", () => groups((i) => `${i.pk}|${i.third}`).map(([, of]) => ({ pk: of[0].pk, third: of[0].third, least: of[0].n }))],
  ["SELECT c.id, t AS tag FROM c JOIN t IN c.tags", () => join("tags").map(({ item: { id }, element }) => ({ id, tag: element }))],
  ["SELECT VALUE {id: c.id, wait: s.wait} FROM c JOIN s IN c.stops WHERE s.wait > 10", () => join("stops").filter((row) => row.element.wait > 10).map((row) => ({ id: row.item.id, wait: row.element.wait }))],
  ["SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags JOIN s IN c.stops", () => [sum(items.map((i) => i.tags.length * i.stops.length))]],
  ["SELECT VALUE t FROM t IN c.tags", () => join("tags").map((row) => row.element)],
  ["SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE s FROM s IN c.stops WHERE s.wait >= 12)", () => items.filter((i) => i.stops.some((s) => s.wait >= 12)).map((i) => i.id)],
  ["SELECT c.id, ARRAY(SELECT VALUE s.name FROM s IN c.stops) AS names FROM c WHERE c.n < 6", () => items.slice(0, 6).map((i) => ({ id: i.id, names: i.stops.map((s) => s.name) }))],
  ["SELECT c.id, (SELECT VALUE COUNT(1) FROM t IN c.tags) AS tags FROM c WHERE c.n < 6", () => items.slice(0, 6).map((i) => ({ id: i.id, tags: i.tags.length }))],
  ["SELECT c.id, s.longest FROM c JOIN (SELECT MAX(w.wait) AS longest FROM w IN c.stops) AS s WHERE c.n < 9", () => items.slice(0, 9).map((i) => ({ id: i.id, ...(i.stops.length ? { longest: Math.max(...i.stops.map((s) => s.wait)) } : {}) }))],
  ["SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.tags, 'c') AND c.address.zip >= 1020", () => items.filter((i) => i.tags.includes("c") && i.address?.zip >= 1020).map((i) => i.id)],
  ["SELECT TOP 4 VALUE c.third FROM c WHERE c.third = 2", () => [2, 2, 2, 2]],
];

for (const [way, options] of Object.entries(ways)) {
  test(`every shape of query, ${way}`, async (t) => {
    const container = await newLargeContainer(t);
    await Promise.all(items.map((one) => container.items.create(one)));
    for (const [text, expected, ordered] of shapes) {
      await t.test(text, async () => {
        const { resources } = await container.items.query(text, options).fetchAll();
        if (ordered) assert.deepEqual(resources, expected());
        else assert.deepEqual(sorted(resources.map(canonical)), sorted(expected().map(canonical)));
      });
    }
  });
}

// Members in the order of their names, so that equal objects print alike.
function canonical(value) {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(withoutSystem(value)).sort().map(([name, member]) => [name, canonical(member)]));
}

test("the plan of a query tells the client how to merge", async (t) => {
  const container = await newLargeContainer(t);
  const plan = async (text) => (await container.getQueryPlan(text)).result;
  const ordered = (await plan("SELECT TOP 3 c.n FROM c ORDER BY c.n DESC")).queryInfo;
  assert.deepEqual([ordered.top, ordered.orderBy, ordered.orderByExpressions, ordered.distinctType], [3, ["Descending"], ["c.n"], "None"]);
  assert.match(ordered.rewrittenQuery, /orderByItems/);
  const counted = (await plan("SELECT VALUE COUNT(1) FROM c")).queryInfo;
  assert.deepEqual([counted.aggregates, counted.hasSelectValue], [["Count"], true]);
  const grouped = (await plan("SELECT c.pk, SUM(c.n) AS total FROM c GROUP BY c.pk")).queryInfo;
  assert.deepEqual([grouped.groupByExpressions, grouped.groupByAliases, grouped.groupByAliasToAggregateType], [["c.pk"], ["pk", "total"], { pk: null, total: "Sum" }]);
  const { queryRanges } = await plan("SELECT * FROM c WHERE c.pk = 'p1'");
  assert.equal(queryRanges.length, 1);
  assert.equal(queryRanges[0].min, queryRanges[0].max);
  assert.deepEqual((await plan("SELECT * FROM c")).queryRanges, [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }]);
  await refusal(container.getQueryPlan("SELECT * FROM c GROUP BY c.pk"), 400, /SELECT \*|GROUP BY/);
});

test("continuation tokens lead through every shape that clients resume", async (t) => {
  const container = await newLargeContainer(t);
  await Promise.all(items.map((one) => container.items.create(one)));
  for (const text of ["SELECT VALUE c.id FROM c", "SELECT VALUE c.n FROM c ORDER BY c.n", "SELECT VALUE t FROM c JOIN t IN c.tags", "SELECT VALUE c.n FROM c WHERE c.n > 3 ORDER BY c.third, c.n"]) {
    const whole = (await container.items.query(text).fetchAll()).resources;
    const found = [];
    let continuationToken;
    do {
      const page = await container.items.query(text, { maxItemCount: 4, continuationToken }).fetchNext();
      found.push(...(page.resources ?? []));
      continuationToken = page.continuationToken;
    } while (continuationToken !== undefined);
    assert.deepEqual(found, whole, text);
  }
});
