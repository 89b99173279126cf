"""Tables and entities through the official Python client."""

import math
import uuid
from datetime import datetime, timedelta, timezone

import pytest
from azure.core import MatchConditions
from azure.core.credentials import AzureSasCredential
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.data.tables import (
    EdmType,
    EntityProperty,
    TableAccessPolicy,
    TableClient,
    TableCorsRule,
    TableSasPermissions,
    TableServiceClient,
    TableTransactionError,
    UpdateMode,
    generate_table_sas,
)
from tables_account import COSMOS, STORAGE


@pytest.fixture(params=[STORAGE, COSMOS], ids=["storage", "cosmos"])
def account(request):
    return request.param


@pytest.fixture
def table(account):
    table = account.service().create_table(f"t{uuid.uuid4().hex}")
    yield table
    table.delete_table()


def key(row, partition="p"):
    return {"PartitionKey": partition, "RowKey": row}


def test_a_table_is_created_once(account):
    service, name = account.service(), f"t{uuid.uuid4().hex}"
    service.create_table(name)
    with pytest.raises(ResourceExistsError):
        service.create_table(name)
    service.create_table_if_not_exists(name)
    assert [table.name for table in service.query_tables(f"TableName eq '{name}'")] == [name]
    assert name in [table.name for table in service.list_tables(results_per_page=1)]
    service.delete_table(name)
    assert list(service.query_tables(f"TableName eq '{name}'")) == []
    with pytest.raises(ResourceNotFoundError):
        service.get_table_client(name).create_entity(key("r"))


def test_an_entity_comes_back_as_it_was_written(table):
    written = {
        **key("é 😀%25+'", "it's"),
        "text": 'ünï"\\',
        "empty": "",
        "int": -(2**31),
        "long": EntityProperty(2**63 - 1, EdmType.INT64),
        "double": 1.5,
        "yes": True,
        "bytes": b"\x00\xff",
        "id": uuid.uuid4(),
        "when": datetime(2020, 2, 29, 23, 59, 59, 123456, tzinfo=timezone.utc),
        "nan": float("nan"),
        "infinity": float("-inf"),
    }
    created = table.create_entity(written)
    read = table.get_entity("it's", "é 😀%25+'")
    assert math.isnan(read.pop("nan")) and math.isnan(written.pop("nan"))
    assert dict(read) == written
    assert read.metadata["etag"] == created["etag"]
    assert abs(read.metadata["timestamp"] - datetime.now(timezone.utc)) < timedelta(minutes=5)


@pytest.mark.parametrize("mode", [UpdateMode.MERGE, UpdateMode.REPLACE])
def test_an_update_merges_or_replaces(table, mode):
    table.create_entity({**key("r"), "a": 1, "b": 2})
    table.update_entity({**key("r"), "a": "text", "c": 3}, mode=mode)
    kept = {"b": 2} if mode is UpdateMode.MERGE else {}
    assert dict(table.get_entity("p", "r")) == {**key("r"), "a": "text", "c": 3, **kept}
    with pytest.raises(ResourceNotFoundError):
        table.update_entity(key("none"), mode=mode)
    table.upsert_entity({**key("none"), "d": 4}, mode=mode)
    assert table.get_entity("p", "none", select=["d"]) == {"d": 4}


def test_a_tag_guards_updates_and_deletes(table):
    table.create_entity(key("r"))
    old = table.get_entity("p", "r")
    table.upsert_entity({**key("r"), "n": 2})
    unmodified = {"match_condition": MatchConditions.IfNotModified, "etag": old.metadata["etag"]}
    with pytest.raises(ResourceModifiedError):
        table.update_entity({**key("r"), "n": 3}, **unmodified)
    with pytest.raises(ResourceModifiedError):
        table.delete_entity(key("r"), **unmodified)
    table.delete_entity(key("r"))
    # The client takes an entity that is gone for success.
    table.delete_entity(key("r"))


def test_queries_are_filtered_and_paged(table):
    for partition in "ab":
        table.submit_transaction([("create", {**key(f"{n:03}", partition), "n": n}) for n in range(60)])
    assert len(list(table.list_entities(results_per_page=7))) == 120
    found = table.query_entities("PartitionKey eq @p and n ge @n", parameters={"p": "a", "n": 55}, select="n")
    assert [entity["n"] for entity in found] == [55, 56, 57, 58, 59]
    pages = table.list_entities(results_per_page=100).by_page()
    first = list(next(pages))
    rest = table.list_entities(results_per_page=100).by_page(pages.continuation_token)
    assert [len(first), len(list(next(rest)))] == [100, 20]
    since = first[-1].metadata["timestamp"]
    assert list(table.query_entities("Timestamp gt @t", parameters={"t": since + timedelta(hours=1)})) == []
    with pytest.raises(HttpResponseError) as refused:
        list(table.query_entities("n eq"))
    assert refused.value.status_code == 400


def test_a_transaction_is_done_whole_or_not_at_all(table):
    table.create_entity({**key("old"), "n": 1})
    done = table.submit_transaction([
        ("create", {**key("new"), "n": 1}),
        ("update", {**key("old"), "m": 2}, {"mode": "merge"}),
        ("upsert", {**key("upserted"), "n": 1}, {"mode": UpdateMode.REPLACE}),
    ])
    assert all(part["etag"].startswith("W/\"datetime'") for part in done)
    with pytest.raises(TableTransactionError) as failed:
        table.submit_transaction([("delete", key("new")), ("create", key("old"))])
    assert (failed.value.index, failed.value.error_code) == (1, "EntityAlreadyExists")
    assert {entity["RowKey"] for entity in table.list_entities()} == {"new", "old", "upserted"}
    assert table.submit_transaction([]) == []


def test_a_signature_allows_what_it_says(account, table):
    table.create_entity(key("1", "a"))
    table.create_entity(key("1", "b"))

    def reader(**terms):
        terms = {"expiry": datetime.now(timezone.utc) + timedelta(hours=1), "permission": TableSasPermissions(read=True), **terms}
        token = generate_table_sas(account.credential, table.table_name, **terms)
        return TableClient(account.url, table.table_name, credential=AzureSasCredential(token))

    assert len(list(reader().list_entities())) == 2
    assert [entity["PartitionKey"] for entity in reader(start_pk="b", end_pk="b").list_entities()] == ["b"]
    with pytest.raises(HttpResponseError) as refused:
        reader().create_entity(key("2"))
    assert refused.value.status_code == 403
    with pytest.raises(ClientAuthenticationError):
        list(reader(expiry=datetime.now(timezone.utc) - timedelta(hours=1)).list_entities())


def test_policies_and_properties_of_the_service(account):
    service = account.service()
    table = service.create_table(f"t{uuid.uuid4().hex}")
    try:
        policy = TableAccessPolicy(expiry=datetime(2099, 1, 1), permission=TableSasPermissions(read=True))
        table.set_table_access_policy({"one": policy, "empty": None})
        policies = table.get_table_access_policy()
        assert policies["one"].permission == "r" and policies["empty"] is None
    finally:
        table.delete_table()
    service.set_service_properties(cors=[TableCorsRule(["http://b.example"], ["GET"], max_age_in_seconds=5)])
    try:
        assert [rule.allowed_origins for rule in service.get_service_properties()["cors"]] == [["http://b.example"]]
    finally:
        service.set_service_properties(cors=[])


def test_a_wrong_key_is_refused(account, table):
    wrong = TableServiceClient.from_connection_string(account.connection_string.replace("AccountKey=", "AccountKey=AAAA"))
    with pytest.raises(ClientAuthenticationError):
        list(wrong.get_table_client(table.table_name).list_entities())
    right = TableServiceClient.from_connection_string(account.connection_string)
    assert list(right.get_table_client(table.table_name).list_entities()) == []
