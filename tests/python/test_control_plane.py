"""Databases, containers, throughput, users and permissions through the official Python SDK."""

import pytest
from azure.cosmos import CosmosClient, PartitionKey, ThroughputProperties, exceptions

from conftest import ENDPOINT


def test_databases_are_created_once_and_listed(client, database):
    assert database.id in [found["id"] for found in client.list_databases()]
    with pytest.raises(exceptions.CosmosResourceExistsError):
        client.create_database(database.id)
    assert client.create_database_if_not_exists(database.id).id == database.id
    with pytest.raises(exceptions.CosmosResourceNotFoundError):
        client.get_database_client("missing").read()


def test_a_container_keeps_its_settings(database):
    policy = {
        "indexingMode": "consistent",
        "automatic": True,
        "includedPaths": [{"path": "/name/?"}],
        "excludedPaths": [{"path": "/*"}],
        "compositeIndexes": [[{"path": "/name", "order": "ascending"}, {"path": "/age", "order": "descending"}]],
    }
    unique = {"uniqueKeys": [{"paths": ["/email"]}]}
    database.create_container("c", PartitionKey("/pk"), indexing_policy=policy, unique_key_policy=unique, default_ttl=3600)
    read = database.get_container_client("c").read()
    assert read["indexingPolicy"]["compositeIndexes"] == policy["compositeIndexes"]
    assert read["uniqueKeyPolicy"]["uniqueKeys"][0]["paths"] == ["/email"]
    assert read["defaultTtl"] == 3600 and read["partitionKey"]["paths"] == ["/pk"]


def test_unique_keys_hold_within_a_partition(database):
    container = database.create_container("u", PartitionKey("/pk"), unique_key_policy={"uniqueKeys": [{"paths": ["/email"]}]})
    container.create_item({"id": "1", "pk": "x", "email": "a@b"})
    with pytest.raises(exceptions.CosmosResourceExistsError):
        container.create_item({"id": "2", "pk": "x", "email": "a@b"})
    container.create_item({"id": "2", "pk": "y", "email": "a@b"})
    container.delete_item("1", "x")
    container.create_item({"id": "2", "pk": "x", "email": "a@b"})


def test_a_recreated_container_is_another(database):
    first = database.create_container("c", PartitionKey("/pk"))
    first.create_item({"id": "1", "pk": "x"})
    rid = first.read()["_rid"]
    database.delete_container("c")
    second = database.create_container("c", PartitionKey("/pk"))
    assert second.read()["_rid"] != rid and list(second.read_all_items()) == []


def test_throughput_is_read_and_changed(database):
    container = database.create_container("c", PartitionKey("/pk"), offer_throughput=500)
    assert container.get_throughput().offer_throughput == 500
    assert container.replace_throughput(1200).offer_throughput == 1200
    auto = database.create_container("auto", PartitionKey("/pk"), offer_throughput=ThroughputProperties(auto_scale_max_throughput=4000))
    assert auto.get_throughput().auto_scale_max_throughput == 4000
    with pytest.raises(exceptions.CosmosHttpResponseError):
        container.replace_throughput(450)


def test_a_permission_opens_one_container_and_nothing_else(database):
    mine = database.create_container("mine", PartitionKey("/pk"))
    other = database.create_container("other", PartitionKey("/pk"))
    mine.create_item({"id": "1", "pk": "x"})
    other.create_item({"id": "1", "pk": "x"})
    user = database.create_user({"id": "reader"})
    permission = user.create_permission({"id": "p", "permissionMode": "Read", "resource": mine.container_link})
    token = permission.properties["_token"]
    guest = CosmosClient(ENDPOINT, {mine.container_link: token}).get_database_client(database.id)
    assert guest.get_container_client("mine").read_item("1", "x")["id"] == "1"
    for refused in (
        lambda: guest.get_container_client("mine").create_item({"id": "2", "pk": "x"}),
        lambda: CosmosClient(ENDPOINT, {other.container_link: token}).get_database_client(database.id).get_container_client("other").read_item("1", "x"),
    ):
        with pytest.raises(exceptions.CosmosHttpResponseError) as error:
            refused()
        assert error.value.status_code in (401, 403)
