"""Gremlin's wire formats against the official client's own serializers, through two files of the crate `gremlin`.

`from_client.txt` is what the client writes; the crate's tests read it. `to_client.txt` is what the crate writes; here the client reads
it. Each line is a name, a format and the bytes in hexadecimal; both sides make the value of a name in their own way. Written anew by
running this file as a program, and by the crate's tests with ORRERY_REWRITE_GOLDEN=1.
"""

import datetime
import decimal
import math
import pathlib
import uuid

import pytest
from gremlin_python.driver.request import RequestMessage
from gremlin_python.driver.serializer import GraphBinarySerializersV1, GraphSONSerializersV2d0, GraphSONSerializersV3d0
from gremlin_python.process.anonymous_traversal import traversal
from gremlin_python.process.graph_traversal import __
from gremlin_python.process.strategies import OptionsStrategy, ReadOnlyStrategy, SubgraphStrategy
from gremlin_python.process.traversal import (
    Barrier, Binding, Bytecode, Cardinality, CardinalityValue, Column, Direction, DT, Merge, Operator, Order, P, Pick, Pop, Scope, T,
    TextP, Traverser,
)
from gremlin_python.statics import BigDecimal, SingleByte, SingleChar, bigint, long, short, timestamp
from gremlin_python.structure.graph import Edge, Graph, Path, Property, Vertex, VertexProperty
from gremlin_python.structure.io import graphbinaryV1, graphsonV2d0, graphsonV3d0

GOLDEN = pathlib.Path(__file__).parents[2] / "crates/gremlin/tests/golden"
BINARY, TWO, THREE = "graphbinary", "graphson2", "graphson3"

REQUEST_ID = uuid.UUID("41d2e28a-20a4-4ab0-b379-d810dede3786")
WHEN = datetime.datetime(2016, 12, 14, 21, 14, 36, 295000)
VERTEX = Vertex("v1", "person")
EDGE = Edge(long(7), Vertex(1, "person"), "knows", Vertex(2, "dog"))


def steps(traversal):
    return traversal.bytecode


def g():
    return traversal().with_graph(Graph())


# What both directions can carry.
VALUES = {
    "null": None,
    "true": True,
    "int": 1,
    "negative int": -(2**31),
    "long": long(2**40),
    "short": short(-2),
    "byte": int.__new__(SingleByte, -3),
    "big integer": bigint(2**70),
    "negative big integer": bigint(-(2**70) - 1),
    "double": 0.1,
    "nan": math.nan,
    "infinity": -math.inf,
    "string": "tête-à-tête \"😀\"\n\0",
    "char": str.__new__(SingleChar, "€"),
    "uuid": REQUEST_ID,
    "date": WHEN,
    "duration": datetime.timedelta(hours=5, seconds=3, microseconds=250000),
    "list": [1, "a", None, [2.5]],
    "set": {"a"},
    "map": {"a": 1, "b": [True]},
    "traverser": Traverser("x", long(3)),
    "vertex reference": VERTEX,
    "edge reference": EDGE,
    "T.id": T.id,
    "Direction.OUT": Direction.OUT,
}

# What the client writes and does not read, or not so.
WRITTEN = {
    "bytes": b"\x00\xff",
    "timestamp": timestamp(1481750076.295),
    "big decimal": BigDecimal(2, 12345),
    "map with keys of all kinds": {1: "int", T.label: "constant", 2.5: "double"},
    "vertex property reference": VertexProperty(long(3), "name", "marko", VERTEX),
    "property": Property("since", 2009, None),
    "Order.desc": Order.desc,
    "Scope.local": Scope.local,
    "Pop.last": Pop.last,
    "Column.keys": Column.keys,
    "Cardinality.set": Cardinality.set_,
    "Merge.onCreate": Merge.on_create,
    "Barrier.normSack": Barrier.norm_sack,
    "Pick.any": Pick.any_,
    "Operator.sumLong": Operator.sum_long,
    "DT.hour": DT.hour,
    "eq": P.eq(1),
    "eq null": P.eq(None),
    "within": P.within(1, "a"),
    "within nothing": P.within([]),
    "between": P.between(1, 5),
    "and": P.gt(1).and_(P.lt(9)),
    "not": P.not_(P.gt(1)),
    "containing": TextP.containing("ark"),
    "binding": Binding("x", 1),
    "set value": CardinalityValue.set_("x"),
    "lambda": lambda: ("it.get()", "gremlin-groovy"),
    "steps": steps(g().V(1).has_label("person").repeat(__.out("knows")).times(2).where(__.in_().count().is_(P.gte(long(1))))),
    "strategies": steps(
        g()
        .with_strategies(ReadOnlyStrategy(), SubgraphStrategy(vertices=__.has_label("person")))
        .with_strategies(OptionsStrategy({"evaluationTimeout": 500}))
        .V()
    ),
}

# What the client's writers of GraphSON cannot write, or write wrongly: bytes without base64, keys without strings.
NOT_WRITTEN = {
    (TWO, "map with keys of all kinds"),
    (TWO, "bytes"),
    (THREE, "bytes"),
    (TWO, "big decimal"),
    (THREE, "big decimal"),
}

# What the client reads and does not write.
READ = {
    "float": 0.5,
    "bulk set": ["a", "a", "b"],
    "vertex": Vertex(
        1, "person", [VertexProperty(long(0), "name", "marko", None, [Property("since", 2009, None)]),
                      VertexProperty(long(1), "name", "mark", None, [])],
    ),
    "edge": Edge(7, Vertex(1, "person"), "knows", Vertex(2, "dog"), [Property("weight", 0.5, None)]),
    "vertex property": VertexProperty(long(0), "name", "marko", None, [Property("since", 2009, None)]),
    "property": Property("since", 2009, None),
    "path": Path([{"a"}, set()], [VERTEX, "x"]),
    "bytes": b"abc",
    "big decimal": BigDecimal(2, 12345),
    "map with keys of all kinds": {1: "int", T.label: "constant", (1, 2): "list"},
    "metrics": {
        "dur": 1.5, "metrics": [
            {"id": "7.0", "name": "V()", "dur": 1.5, "counts": {"elementCount": 4}, "annotations": {"percentDur": 25.0},
             "metrics": [{"id": "7.1", "name": "out()", "dur": 0.5, "counts": {}, "annotations": {}}]},
        ],
    },
}

# What a format, or the client's reader of it, makes of a value.
READ_OTHERWISE = {
    (TWO, "set"): ["a"],
    # Its reader knows bytes only as texts, without base64.
    (TWO, "bytes"): b"YWJj",
    (THREE, "bytes"): b"YWJj",
    (TWO, "big decimal"): decimal.Decimal(123.45),
    (THREE, "big decimal"): decimal.Decimal(123.45),
    (TWO, "map with keys of all kinds"): {"1": "int", "label": "constant", "[1, 2]": "list"},
    (TWO, "T.id"): {"@type": "g:T", "@value": "id"},
    (TWO, "Direction.OUT"): {"@type": "g:Direction", "@value": "OUT"},
    (BINARY, "metrics"): {
        "dur": 1500000, "metrics": [
            {"id": "7.0", "name": "V()", "dur": 1500000, "counts": {"elementCount": 4}, "annotations": {"percentDur": 25.0},
             "metrics": [{"id": "7.1", "name": "out()", "dur": 500000, "counts": {}, "annotations": {}, "metrics": []}]},
        ],
    },
}

REQUESTS = {
    "eval": RequestMessage("", "eval", {"gremlin": "g.V(x)", "aliases": {"g": "g"}, "bindings": {"x": 1, "y": [True, "a"]}}),
    "bytecode": RequestMessage("traversal", "bytecode", {"gremlin": steps(g().V().count()), "aliases": {"g": "g"}}),
    "authentication": RequestMessage("traversal", "authentication", {"sasl": "AHUAcA=="}),
}

WRITERS = {
    BINARY: lambda value: bytes(written(value)),
    TWO: lambda value: graphsonV2d0.GraphSONWriter().write_object(value).encode(),
    THREE: lambda value: graphsonV3d0.GraphSONWriter().write_object(value).encode(),
}
READERS = {
    BINARY: lambda data: graphbinaryV1.GraphBinaryReader().read_object(bytearray(data)),
    TWO: lambda data: graphsonV2d0.GraphSONReader().read_object(data),
    THREE: lambda data: graphsonV3d0.GraphSONReader().read_object(data),
}
MESSAGES = {BINARY: GraphBinarySerializersV1, TWO: GraphSONSerializersV2d0, THREE: GraphSONSerializersV3d0}


def written(value):
    """Null is written behind what is there already, so that the client's writer needs a place for it."""
    out = bytearray()
    graphbinaryV1.GraphBinaryWriter().to_dict(value, out)
    return out


def from_client():
    for name, value in [*VALUES.items(), *WRITTEN.items()]:
        for kind, write in WRITERS.items():
            if (kind, name) not in NOT_WRITTEN:
                yield f"{name}\t{kind}\t{write(value).hex()}"
    for name, request in REQUESTS.items():
        for kind, serializer in MESSAGES.items():
            # Serializing changes the arguments in place.
            fresh = RequestMessage(request.processor, request.op, dict(request.args))
            yield f"{name} request\t{kind}\t{serializer().serialize_message(str(REQUEST_ID), fresh).hex()}"


def shown(value):
    """A text that tells values apart which are equal to the client: its elements are, if their ids are."""
    if isinstance(value, (Vertex, Edge, VertexProperty)):
        parts = {key: part for key, part in vars(value).items() if key not in ("vertex", "key")}
        # To the client no properties and properties not asked for are the same.
        parts["properties"] = parts.get("properties") or []
        return type(value).__name__ + shown(parts)
    if isinstance(value, Property):
        return f"Property({value.key!r}, {shown(value.value)})"
    if isinstance(value, Path):
        return f"Path({shown(value.labels)}, {shown(value.objects)})"
    if isinstance(value, Traverser):
        return f"Traverser({shown(value.object)}, {value.bulk})"
    if isinstance(value, BigDecimal):
        return f"BigDecimal({value.scale}, {value.unscaled_value})"
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{shown(key)}: {shown(part)}" for key, part in value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, set):
        return "{" + ", ".join(sorted(map(shown, value))) + "}"
    return repr(value)


def golden(name):
    return [line.split("\t") for line in (GOLDEN / name).read_text().splitlines()]


def test_the_golden_file_is_what_the_client_writes():
    assert (GOLDEN / "from_client.txt").read_text().splitlines() == list(from_client())


@pytest.mark.parametrize("name, kind, data", [line for line in golden("to_client.txt") if not line[0].endswith("response")])
def test_the_client_reads_what_the_server_writes(name, kind, data):
    expected = READ_OTHERWISE.get((kind, name), {**VALUES, **READ}[name])
    assert shown(READERS[kind](bytes.fromhex(data))) == shown(expected)


@pytest.mark.parametrize("kind, data", [line[1:] for line in golden("to_client.txt") if line[0] == "response"])
def test_the_client_reads_a_response(kind, data):
    message = MESSAGES[kind]().deserialize_message(bytes.fromhex(data))
    assert message == {
        "requestId": str(REQUEST_ID),
        "status": {"code": 206, "message": "wait", "attributes": {"x-ms-status-code": 200}},
        "result": {"data": message["result"]["data"], "meta": {}},
    }
    assert shown(message["result"]["data"]) == shown([Traverser(VERTEX, 2), None])


@pytest.mark.parametrize("kind, data", [line[1:] for line in golden("to_client.txt") if line[0] == "challenge response"])
def test_the_client_reads_a_challenge(kind, data):
    message = MESSAGES[kind]().deserialize_message(bytes.fromhex(data))
    assert message["status"]["code"] == 407
    assert message["result"]["data"] is None


if __name__ == "__main__":
    (GOLDEN / "from_client.txt").write_text("\n".join(from_client()) + "\n")
