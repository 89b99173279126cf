"""A client of the running server, and a fresh container for each test. `cargo xtask test` starts the server and sets the variables."""

import os
import uuid

import pytest
from azure.cosmos import CosmosClient, PartitionKey

ENDPOINT = os.environ["ORRERY_ENDPOINT"]
HTTPS_ENDPOINT = os.environ["ORRERY_HTTPS_ENDPOINT"]
KEY = os.environ["ORRERY_KEY"]
CERTIFICATE = os.environ["ORRERY_CA"]


@pytest.fixture(scope="session", params=["http", "https"])
def client(request):
    """The official client over each scheme; HTTPS trusts exactly the server's own certificate."""
    if request.param == "http":
        return CosmosClient(ENDPOINT, KEY)
    return CosmosClient(HTTPS_ENDPOINT, KEY, connection_verify=CERTIFICATE)


@pytest.fixture
def database(client):
    database = client.create_database(f"db-{uuid.uuid4()}")
    yield database
    client.delete_database(database)


@pytest.fixture
def container(database):
    return database.create_container("items", PartitionKey("/pk"), offer_throughput=40000)
