"""Airports and routes as a graph, with the official clients: `pip install -r requirements.txt && python airports.py`.

Another server than the one on the default ports is named by ORRERY_ENDPOINT, ORRERY_GREMLIN and ORRERY_KEY.
"""

import json
import os
import pathlib

from azure.cosmos import CosmosClient, PartitionKey
from gremlin_python.driver.client import Client
from gremlin_python.driver.serializer import GraphSONSerializersV2d0

# The key of the official emulator, which is the default here as well. It is public: it protects nothing.
PUBLIC_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
KEY = os.environ.get("ORRERY_KEY", PUBLIC_KEY)
DATA = pathlib.Path(__file__).parents[1] / "data"
CODES = {"SEA", "DEN", "LHR", "AMS", "ZRH", "FRA", "SIN", "SYD"}


def rows(name):
    return json.loads((DATA / name).read_text(encoding="utf8"))


# A graph is a container, which the SQL API makes.
sql = CosmosClient(os.environ.get("ORRERY_ENDPOINT", "http://localhost:8081"), KEY)
database = sql.create_database_if_not_exists("travel-graph")
database.create_container_if_not_exists("routes-python", PartitionKey("/country"))

client = Client(
    os.environ.get("ORRERY_GREMLIN", "ws://localhost:8901/gremlin"),
    "g",
    username="/dbs/travel-graph/colls/routes-python",
    password=KEY,
    message_serializer=GraphSONSerializersV2d0(),
)


def ask(text, **bindings):
    results = client.submit(text, bindings)
    rows = results.all().result()
    # The client keeps the attributes of answers that have results.
    return rows, results.status_attributes.get("x-ms-total-request-charge", 0.0)


ask("g.V().drop()")
for airport in rows("airports.json"):
    if airport["code"] in CODES:
        ask(
            "g.addV('airport').property('id', code).property('country', country).property('city', city).property('elevationFt', feet)",
            code=airport["code"], country=airport["country"], city=airport["city"], feet=airport["elevationFt"],
        )
for route in rows("routes.json"):
    if {route["from"], route["to"]} <= CODES:
        ask(
            "g.V(origin).addE('route').to(g.V(target)).property('distanceKm', km)",
            origin=route["from"], target=route["to"], km=route["distanceKm"],
        )

for text in [
    "g.V().count()",
    "g.V(['GB', 'LHR']).values('city')",
    "g.V().has('country', 'US').order().by('elevationFt').values('city')",
    "g.V('SEA').out('route').values('city').dedup().order()",
    "g.V('SEA').repeat(out('route').simplePath()).until(hasId('SYD')).limit(1).path().by(id)",
    "g.E().hasLabel('route').order().by('distanceKm', desc).limit(1).project('from', 'to', 'km')"
    ".by(outV().id()).by(inV().id()).by('distanceKm')",
]:
    answer, charge = ask(text)
    print(f"{text}\n  -> {answer}  ({charge:.2f} RU)")
client.close()
