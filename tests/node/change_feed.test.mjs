// The change feed: the pull iterator over a container, a range or a logical partition, and the older iterators over one partition.

import assert from "node:assert/strict";
import test from "node:test";
import { ChangeFeedMode, ChangeFeedStartFrom } from "@azure/cosmos";
import { connect, endpoints, eventually, fill, ids, multiHash, newContainer, newLargeContainer, refusal, schemes } from "./server.mjs";

// Reads until there is nothing new, and returns the changes and where they end.
async function drain(iterator) {
  const changes = [];
  for (;;) {
    const page = await iterator.readNext();
    assert.ok(page.statusCode === 304 || page.count === page.result.length, `${page.statusCode}`);
    if (page.statusCode === 304) return { changes, continuationToken: page.continuationToken };
    changes.push(...page.result);
  }
}

const pull = (container, changeFeedStartFrom, options = {}) => container.items.getChangeFeedIterator({ changeFeedStartFrom, ...options });

for (const scheme of schemes) {
  test(`${scheme}: from the beginning, each item is there once in its newest state`, async (t) => {
    const container = await newLargeContainer(t, {}, connect({ endpoint: endpoints[scheme] }));
    const items = await fill(container, 40, 11);
    await container.items.upsert({ ...items[3], again: true });
    await container.item("0004", "p4").delete();
    const { changes } = await drain(pull(container, ChangeFeedStartFrom.Beginning(), { maxItemCount: 3 }));
    assert.deepEqual(ids(changes), ids(items.filter((item) => item.id !== "0004")));
    assert.equal(changes.find((item) => item.id === "0003").again, true);
    assert.ok(changes.every((item) => Number.isInteger(item._lsn)), "each change has its number");
  });
}

test("from a continuation, only what came later", async (t) => {
  const container = await newLargeContainer(t);
  await fill(container, 30, 11);
  const first = await drain(pull(container, ChangeFeedStartFrom.Beginning()));
  assert.equal(first.changes.length, 30);
  await container.items.create({ id: "later", pk: "p1" });
  await container.items.upsert({ id: "0009", pk: "p9", later: true });
  const second = await drain(pull(container, ChangeFeedStartFrom.Continuation(first.continuationToken)));
  assert.deepEqual(ids(second.changes), ["0009", "later"]);
  const third = await drain(pull(container, ChangeFeedStartFrom.Continuation(second.continuationToken)));
  assert.deepEqual(third.changes, []);
});

test("a continuation in the middle of the feed loses and repeats nothing", async (t) => {
  const container = await newLargeContainer(t);
  const items = await fill(container, 50, 11);
  const seen = [];
  let start = ChangeFeedStartFrom.Beginning();
  for (;;) {
    const page = await pull(container, start, { maxItemCount: 4 }).readNext();
    if (page.statusCode === 304) break;
    assert.ok(page.count <= 4);
    seen.push(...page.result);
    start = ChangeFeedStartFrom.Continuation(page.continuationToken);
  }
  assert.deepEqual(ids(seen), ids(items));
});

test("from now, only what comes", async (t) => {
  const container = await newLargeContainer(t);
  await fill(container, 10, 11);
  for (const iterator of [pull(container, ChangeFeedStartFrom.Now()), container.items.getChangeFeedIterator()]) {
    assert.deepEqual((await drain(iterator)).changes, []);
    await container.items.upsert({ id: "new", pk: "p3" });
    assert.deepEqual(ids((await drain(iterator)).changes), ["new"]);
  }
});

test("from a time, what was written since", async (t) => {
  const container = await newContainer(t);
  const { resource: early } = await container.items.create({ id: "early", pk: "x" });
  // The service counts in whole seconds, and so must the two items differ.
  const late = await eventually(async () => {
    const { resource } = await container.items.upsert({ id: "late", pk: "x" });
    return resource._ts >= early._ts + 2 && resource;
  }, "two seconds pass");
  const since = (seconds) => ChangeFeedStartFrom.Time(new Date(seconds * 1000));
  assert.deepEqual(ids((await drain(pull(container, since(late._ts - 1)))).changes), ["late"]);
  assert.deepEqual(ids((await drain(pull(container, since(early._ts - 5)))).changes), ["early", "late"]);
});

test("of one logical partition, in the order of writing", async (t) => {
  const container = await newLargeContainer(t);
  for (let n = 0; n < 12; n += 1) await container.items.create({ id: String(n), pk: `p${n % 3}` });
  await container.items.upsert({ id: "2", pk: "p2", again: true });
  const iterator = pull(container, ChangeFeedStartFrom.Beginning("p2"), { maxItemCount: 2 });
  assert.equal(iterator.hasMoreResults, true);
  const { changes, continuationToken } = await drain(iterator);
  assert.deepEqual(changes.map((item) => item.id), ["5", "8", "11", "2"]);
  await container.items.create({ id: "next", pk: "p2" });
  await container.items.create({ id: "elsewhere", pk: "p1" });
  assert.deepEqual(ids((await drain(pull(container, ChangeFeedStartFrom.Continuation(continuationToken)))).changes), ["next"]);
});

test("of each physical partition, together the whole container", async (t) => {
  const container = await newLargeContainer(t);
  const items = await fill(container, 40, 29);
  const found = [];
  for (const range of await container.getFeedRanges()) found.push((await drain(pull(container, ChangeFeedStartFrom.Beginning(range)))).changes);
  assert.ok(found.filter((part) => part.length > 0).length > 1, "more than one range has items");
  assert.deepEqual(ids(found.flat()), ids(items));
});

test("of any range of keys, be it part of a physical partition or across several", async (t) => {
  const container = await newLargeContainer(t);
  const items = await fill(container, 60, 60);
  const physical = await container.getFeedRanges();
  const FeedRange = physical[0].constructor;
  // Keys end below 40; these bounds lie within physical partitions, whatever their number.
  const bounds = ["", "01234567", "0ABCDEF0", "1FEDCBA9", "33333333", "FF"];
  const found = [];
  for (const [index, min] of bounds.slice(0, -1).entries()) {
    const range = new FeedRange(min, bounds[index + 1]);
    const { changes, continuationToken } = await drain(pull(container, ChangeFeedStartFrom.Beginning(range), { maxItemCount: 5 }));
    assert.deepEqual((await drain(pull(container, ChangeFeedStartFrom.Continuation(continuationToken)))).changes, []);
    found.push(changes);
  }
  assert.deepEqual(ids(found.flat()), ids(items));
  assert.ok(found.filter((part) => part.length > 0).length > 2, found.map((part) => part.length).join());
});

test("of a prefix of a hierarchical key", async (t) => {
  const container = await newLargeContainer(t, { partitionKey: multiHash("/tenant", "/user") });
  for (let n = 0; n < 12; n += 1) await container.items.create({ id: String(n), tenant: `t${n % 2}`, user: n });
  const { changes } = await drain(pull(container, ChangeFeedStartFrom.Beginning(["t1"])));
  assert.deepEqual(changes.map((item) => item.user), [1, 3, 5, 7, 9, 11]);
});

test("the iterator yields page by page", async (t) => {
  const container = await newContainer(t);
  await fill(container, 5, 1);
  const pages = [];
  for await (const page of pull(container, ChangeFeedStartFrom.Beginning(), { maxItemCount: 2 }).getAsyncIterator()) {
    if (page.statusCode === 304) break;
    assert.ok(page.requestCharge > 0 && page.activityId && page.sessionToken && page.headers.etag);
    pages.push(page.result.map((item) => item.n));
  }
  assert.deepEqual(pages.map((page) => page.length), [2, 2, 1]);
});

test("the older iterators read one logical partition", async (t) => {
  const container = await newLargeContainer(t);
  await fill(container, 12, 3);
  for (const start of [(options) => container.items.changeFeed("p1", options), (options) => container.items.readChangeFeed("p1", options)]) {
    const iterator = start({ startFromBeginning: true, maxItemCount: 3 });
    const { result, count, etag, statusCode } = await iterator.fetchNext();
    assert.deepEqual([result.length, count, statusCode], [3, 3, 200]);
    assert.equal(iterator.hasMoreResults, true);
    const rest = [];
    for await (const page of start({ continuation: etag }).getAsyncIterator()) rest.push(...page.result);
    assert.deepEqual(ids([...result, ...rest]), ["0001", "0004", "0007", "0010"]);
    const fromNow = start({});
    assert.equal((await fromNow.fetchNext()).statusCode, 304);
    assert.equal(fromNow.hasMoreResults, false);
  }
});

test("a continuation of another container is refused by the client", async (t) => {
  const [one, other] = [await newContainer(t), await newContainer(t)];
  const { continuationToken } = await drain(pull(one, ChangeFeedStartFrom.Beginning()));
  await assert.rejects(drain(pull(other, ChangeFeedStartFrom.Continuation(continuationToken))), /not for the current container/);
});

test("the feed of all versions and deletes is refused by name", async (t) => {
  const container = await newContainer(t);
  const iterator = pull(container, ChangeFeedStartFrom.Now(), { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes });
  await refusal(iterator.readNext(), 400, /[Ff]ull.[Ff]idelity|[Aa]ll versions/);
});
