"""The official Python SDK against a local server, in a minute: `pip install -r requirements.txt && python quickstart.py`.

Another server than the one on the default port is named by ORRERY_ENDPOINT and ORRERY_KEY.
"""

import os

from azure.cosmos import CosmosClient, PartitionKey

# The key of the official emulator, which is the default here as well. It is public: it protects nothing.
PUBLIC_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

AIRPORTS = [
    {"id": "SEA", "kind": "airport", "country": "US", "code": "SEA", "name": "Seattle-Tacoma International Airport", "city": "Seattle", "location": {"type": "Point", "coordinates": [-122.3093, 47.449]}, "elevationFt": 433, "runways": 3},
    {"id": "DEN", "kind": "airport", "country": "US", "code": "DEN", "name": "Denver International Airport", "city": "Denver", "location": {"type": "Point", "coordinates": [-104.6731, 39.8617]}, "elevationFt": 5434, "runways": 6},
    {"id": "AMS", "kind": "airport", "country": "NL", "code": "AMS", "name": "Amsterdam Airport Schiphol", "city": "Amsterdam", "location": {"type": "Point", "coordinates": [4.7639, 52.3086]}, "elevationFt": -11, "runways": 6},
]

client = CosmosClient(os.environ.get("ORRERY_ENDPOINT", "http://localhost:8081"), os.environ.get("ORRERY_KEY", PUBLIC_KEY))
database = client.create_database_if_not_exists("travel-python")
container = database.create_container_if_not_exists("airports", PartitionKey("/country"))

for airport in AIRPORTS:
    container.upsert_item(airport)

print("point read:    ", container.read_item("AMS", partition_key="NL")["name"])

high = container.query_items(
    "SELECT c.code, c.elevationFt FROM c WHERE c.elevationFt > @feet ORDER BY c.elevationFt DESC",
    parameters=[{"name": "@feet", "value": 100}],
    partition_key="US",
)
print("query:         ", ", ".join(f"{airport['code']} {airport['elevationFt']} ft" for airport in high))

patched = container.patch_item(
    "SEA",
    partition_key="US",
    patch_operations=[{"op": "incr", "path": "/runways", "value": 1}, {"op": "add", "path": "/tags", "value": ["hub"]}],
    filter_predicate="from c where c.runways = 3",
)
print("patch:         ", patched["code"], "has", patched["runways"], "runways, tags", patched["tags"])

# All or nothing, within one partition key.
route = {"id": "SEA-DEN", "kind": "route", "country": "US", "from": "SEA", "to": "DEN"}
results = container.execute_item_batch([("upsert", (route,)), ("read", ("DEN",))], partition_key="US")
print("batch:         ", ", ".join(str(result["statusCode"]) for result in results))

changes = container.query_items_change_feed(start_time="Beginning", partition_key="US")
print("change feed:   ", ", ".join(item["id"] for item in changes))

client.delete_database(database)
