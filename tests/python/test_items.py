"""Items through the official Python SDK."""

import pytest
from azure.core import MatchConditions
from azure.cosmos import PartitionKey, exceptions


def test_an_item_comes_back_as_it_was_written(container):
    written = {"id": "a", "pk": "x", "text": "Ünïcode 😀 \"quoted\"\n", "numbers": [0, -1, 1.5, 1e21, 9007199254740993], "nested": {"null": None}}
    created = container.create_item(written)
    read = container.read_item("a", "x")
    assert {k: v for k, v in read.items() if not k.startswith("_")} == written
    assert created["_etag"] == read["_etag"] and read["_rid"] and read["_self"].startswith("dbs/") and read["_ts"] > 0


def test_every_reply_has_a_charge_and_a_session_token(container):
    headers = {}
    container.create_item({"id": "a", "pk": "x"}, response_hook=lambda h, _: headers.update(h))
    assert float(headers["x-ms-request-charge"]) > 1
    assert ":" in headers["x-ms-session-token"]


def test_a_second_create_is_a_conflict(container):
    container.create_item({"id": "a", "pk": "x"})
    with pytest.raises(exceptions.CosmosResourceExistsError):
        container.create_item({"id": "a", "pk": "x"})
    container.create_item({"id": "a", "pk": "y"})


def test_etags_guard_replace_and_delete(container):
    first = container.create_item({"id": "a", "pk": "x", "n": 1})
    container.replace_item("a", {"id": "a", "pk": "x", "n": 2}, etag=first["_etag"], match_condition=MatchConditions.IfNotModified)
    for stale in (
        lambda: container.replace_item("a", {"id": "a", "pk": "x", "n": 3}, etag=first["_etag"], match_condition=MatchConditions.IfNotModified),
        lambda: container.delete_item("a", "x", etag=first["_etag"], match_condition=MatchConditions.IfNotModified),
    ):
        with pytest.raises(exceptions.CosmosAccessConditionFailedError):
            stale()
    assert container.read_item("a", "x")["n"] == 2


def test_items_are_found_by_their_links_after_they_changed(container):
    item = container.create_item({"id": "a", "pk": "x", "n": 1})
    replaced = container.replace_item(item, {"id": "a", "pk": "x", "n": 2})
    assert replaced["_rid"] == item["_rid"]
    assert container.read_item(replaced, "x")["n"] == 2
    container.delete_item(replaced, "x")
    with pytest.raises(exceptions.CosmosResourceNotFoundError):
        container.read_item("a", "x")


def test_a_patch_changes_parts(container):
    container.create_item({"id": "a", "pk": "x", "n": 1, "tags": ["one"]})
    operations = [{"op": "incr", "path": "/n", "value": 4}, {"op": "add", "path": "/tags/-", "value": "two"}, {"op": "set", "path": "/new", "value": {"deep": True}}]
    patched = container.patch_item("a", "x", operations)
    assert (patched["n"], patched["tags"], patched["new"]) == (5, ["one", "two"], {"deep": True})
    with pytest.raises(exceptions.CosmosHttpResponseError) as refused:
        container.patch_item("a", "x", operations, filter_predicate="from c where c.n = 4")
    assert refused.value.status_code == 412


def test_a_batch_happens_whole_or_not_at_all(container):
    results = container.execute_item_batch([("create", ({"id": "a", "pk": "x"},)), ("upsert", ({"id": "b", "pk": "x"},)), ("read", ("a",))], "x")
    assert [result["statusCode"] for result in results] == [201, 201, 200]
    with pytest.raises(exceptions.CosmosBatchOperationError) as failed:
        container.execute_item_batch([("create", ({"id": "c", "pk": "x"},)), ("create", ({"id": "a", "pk": "x"},))], "x")
    assert (failed.value.error_index, failed.value.status_code) == (1, 409)
    assert {item["id"] for item in container.read_all_items()} == {"a", "b"}


def test_lists_and_queries_page_over_every_partition(container):
    for number in range(120):
        container.create_item({"id": f"{number:03}", "pk": f"p{number % 17}", "n": number})
    everything = {f"{number:03}" for number in range(120)}
    assert {item["id"] for item in container.read_all_items(max_item_count=7)} == everything
    rows = container.query_items("SELECT * FROM c", enable_cross_partition_query=True, max_item_count=13)
    assert {item["id"] for item in rows} == everything
    one = list(container.query_items("SELECT c.id, c.n FROM c WHERE c.n >= @n", parameters=[{"name": "@n", "value": 100}], partition_key="p15"))
    assert one == [{"id": "100", "n": 100}, {"id": "117", "n": 117}]
    ordered = container.query_items("SELECT VALUE c.n FROM c ORDER BY c.n DESC", enable_cross_partition_query=True, max_item_count=11)
    assert list(ordered) == list(range(119, -1, -1))


def test_many_items_are_read_at_once(container):
    wanted = [(f"{number}", f"p{number}") for number in range(40)]
    for name, key in wanted:
        container.create_item({"id": name, "pk": key})
    assert {item["id"] for item in container.read_items(wanted + [("missing", "p1")])} == {name for name, _ in wanted}


def test_the_change_feed_has_each_item_once_in_order(container):
    for number in range(30):
        container.create_item({"id": f"{number}", "pk": f"p{number % 5}"})
    container.upsert_item({"id": "3", "pk": "p3", "again": True})
    changes = list(container.query_items_change_feed(start_time="Beginning"))
    assert len(changes) == 30 and {item["id"] for item in changes} == {f"{number}" for number in range(30)}
    of_one = [item["id"] for item in container.query_items_change_feed(start_time="Beginning", partition_key="p3")]
    assert of_one == ["8", "13", "18", "23", "28", "3"]


def test_a_hierarchical_key_is_found_by_its_prefixes(database):
    container = database.create_container("tenants", PartitionKey(["/tenant", "/user", "/session"], kind="MultiHash"), offer_throughput=40000)
    for tenant in "ab":
        for user in range(3):
            for session in range(4):
                container.create_item({"id": f"{tenant}{user}{session}", "tenant": tenant, "user": f"u{user}", "session": session})
    count = lambda key: len(list(container.query_items("SELECT * FROM c", partition_key=key)))
    assert (count(["a"]), count(["a", "u1"]), count(["a", "u1", 2]), count(["c"])) == (12, 4, 1, 0)
    assert container.read_item("b23", ["b", "u2", 3])["id"] == "b23"


def test_deleting_a_partition_leaves_the_others(container):
    for number in range(300):
        container.create_item({"id": f"{number}", "pk": "gone" if number % 3 else "kept"})
    container.delete_all_items_by_partition_key("gone")
    assert {item["pk"] for item in container.read_all_items()} == {"kept"}


def test_a_wrong_key_is_refused(client):
    from azure.cosmos import CosmosClient
    from conftest import ENDPOINT

    with pytest.raises(exceptions.CosmosHttpResponseError) as refused:
        list(CosmosClient(ENDPOINT, "d3Jvbmc=").list_databases())
    assert refused.value.status_code == 401 and "payload" in str(refused.value)
