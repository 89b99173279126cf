"""The official Gremlin client against the running server: texts and bytecode, over ws and wss, in each format that it has."""

import uuid
from collections import Counter

import pytest
from azure.cosmos import CosmosClient, PartitionKey
from conftest import ENDPOINT, KEY
from gremlin_graphs import Graph
from gremlin_python.driver.protocol import GremlinServerError
from gremlin_python.process.anonymous_traversal import traversal
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.traversal import Cardinality, P, T

WAYS = [("ws", "graphson2"), ("ws", "graphson3"), ("ws", "graphbinary"), ("wss", "graphson3"), ("wss", "graphbinary")]


@pytest.fixture(scope="module")
def database():
    client = CosmosClient(ENDPOINT, KEY)
    database = client.create_database(f"graphs-{uuid.uuid4()}")
    yield database
    client.delete_database(database)


@pytest.fixture(params=WAYS, ids="-".join)
def graph(request, database):
    """An empty graph of four physical partitions."""
    yield from new_graph(database, *request.param)


@pytest.fixture(params=[way for way in WAYS if way[1] != "graphson2"], ids="-".join)
def typed(request, database):
    """The same for formats with types, which bytecode needs."""
    yield from new_graph(database, *request.param)


def new_graph(database, scheme, format):
    container = database.create_container(f"graph-{uuid.uuid4()}", PartitionKey("/country"), offer_throughput=40000)
    graph = Graph(database, container, scheme, format)
    yield graph
    graph.close()
    database.delete_container(container)


def all_of(client, text, bindings=None, options=None):
    return client.submit(text, bindings, options).all().result()


def airports(client):
    for code, country, feet in [("SEA", "US", 433), ("DEN", "US", 5434), ("LHR", "GB", 83)]:
        text = "g.addV('airport').property('id', code).property('country', country).property('elevationFt', feet)"
        all_of(client, text, {"code": code, "country": country, "feet": feet})
    for origin, target in [("SEA", "DEN"), ("DEN", "LHR"), ("LHR", "SEA")]:
        all_of(client, f"g.V('{origin}').addE('route').to(g.V('{target}')).property('days', 7)")


def test_texts_write_and_read(graph):
    client = graph.client()
    airports(client)
    assert all_of(client, "g.V().count()") == [3]
    assert Counter(all_of(client, "g.V().has('country', 'US').id()")) == Counter(["SEA", "DEN"])
    assert all_of(client, "g.V('SEA').out('route').out('route').id()") == ["LHR"]
    assert all_of(client, "g.V(['GB', 'LHR']).values('elevationFt')") == [83]
    [vertex] = all_of(client, "g.V('SEA')")
    if graph.format == "graphson2":
        assert (vertex["id"], vertex["label"], vertex["type"]) == ("SEA", "airport", "vertex")
        assert vertex["properties"]["elevationFt"][0]["value"] == 433
    else:
        assert (vertex.id, vertex.label) == ("SEA", "airport")
        assert {property.key for property in vertex.properties} >= {"elevationFt"}
    assert all_of(client, "g.V('SEA').drop()") == []
    assert all_of(client, "g.E().count()") == [1]


def test_bytecode_writes_and_reads(typed):
    g = traversal().with_remote(typed.remote())
    g.add_v("airport").property(T.id, "SEA").property("country", "US").property("elevationFt", 433).iterate()
    g.add_v("airport").property(T.id, "LHR").property("country", "GB").property("elevationFt", 83).iterate()
    g.V("SEA").add_e("route").to(__.V("LHR")).property("days", 7).iterate()
    assert g.V().has("elevationFt", P.gt(100)).id_().to_list() == ["SEA"]
    assert g.V("SEA").repeat(__.out()).times(1).id_().to_list() == ["LHR"]
    assert g.E().values("days").next() == 7
    assert g.V("SEA").property(Cardinality.single, "elevationFt", 434).values("elevationFt").to_list() == [434]
    assert g.V().group_count().by(T.label).next() == {"airport": 2}


def test_many_results_come_in_batches(graph):
    client = graph.client()
    results = client.submit("g.inject(1).repeat(union(identity(), identity())).times(9)", None, {"batchSize": 10})
    batches = [len(batch) for batch in results]
    assert (sum(batches), max(batches)) == (512, 10)


def test_failures_tell_both_codes(graph):
    client = graph.client()

    def failure(text, **options):
        with pytest.raises(GremlinServerError) as caught:
            all_of(client, text, None, options)
        return caught.value.status_code, caught.value.status_attributes["x-ms-status-code"]

    assert failure("g.V(") == (597, 1004)
    assert failure("g.inject(1).fail('so not')")[0] == 595
    assert failure("g.inject(1).repeat(identity())", evaluationTimeout=100) == (598, 1009)
    add = "g.addV('airport').property('id', 'SEA').property('country', 'US')"
    all_of(client, add)
    assert failure(add) == (500, 409)
    # And the connection is as good as before.
    assert all_of(client, "g.V().count()") == [1]


def test_attributes_tell_what_a_request_cost(graph):
    results = graph.client().submit("g.V().count()")
    assert results.all().result() == [0]
    attributes = results.status_attributes
    assert attributes["x-ms-status-code"] == 200
    assert attributes["x-ms-total-request-charge"] > 0
    assert uuid.UUID(attributes["x-ms-activity-id"])


def test_many_requests_are_answered_each_in_its_own_result(graph):
    client = graph.client(pool_size=4, max_workers=16)
    results = [client.submit_async("g.inject(x)", {"x": number}) for number in range(200)]
    assert [result.result().all().result() for result in results] == [[number] for number in range(200)]


def test_a_session_keeps_its_variables(typed):
    client = typed.client(session=str(uuid.uuid4()))
    assert all_of(client, "x = g.inject(5).next()") == [5]
    assert all_of(client, "g.inject(x)") == [5]


def test_a_transaction_commits_as_it_goes_and_does_not_roll_back(typed):
    g = traversal().with_remote(typed.remote())
    transaction = g.tx()
    gtx = transaction.begin()
    gtx.add_v("airport").property(T.id, "SEA").property("country", "US").iterate()
    transaction.commit()
    assert g.V().count().next() == 1
    # The client does not look at the answer to its own rollback.
    with pytest.raises(GremlinServerError, match="rollback"):
        all_of(typed.client(session=str(uuid.uuid4())), "g.tx().rollback()")


def test_a_wrong_key_is_refused(database):
    graph = Graph(database, database, "ws", "graphson3")
    client = graph.client(password="bm90IHRoZSBrZXkgb2YgdGhpcyBhY2NvdW50")
    with pytest.raises(GremlinServerError) as caught:
        all_of(client, "g.V()")
    assert caught.value.status_code == 401
    graph.close()


def test_a_graph_that_does_not_exist_is_told_at_first_use(database):
    graph = Graph(database, database, "ws", "graphson2")
    with pytest.raises(GremlinServerError) as caught:
        all_of(graph.client(), "g.V()")
    assert caught.value.status_attributes["x-ms-status-code"] == 404
    graph.close()


def test_a_vertex_is_a_document_of_the_sql_api(database):
    container = database.create_container(f"both-{uuid.uuid4()}", PartitionKey("/country"))
    graph = Graph(database, container, "ws", "graphson3")
    all_of(graph.client(), "g.addV('airport').property('id', 'SEA').property('country', 'US').property('city', 'Seattle')")
    document = container.read_item("SEA", "US")
    assert document["label"] == "airport" and document["city"][0]["_value"] == "Seattle"
    graph.close()
