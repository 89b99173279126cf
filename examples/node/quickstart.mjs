// The official JavaScript SDK against a local server, in a minute: `npm install && node quickstart.mjs`.
// Another server than the one on the default port is named by ORRERY_ENDPOINT and ORRERY_KEY.

import { ChangeFeedStartFrom, CosmosClient } from "@azure/cosmos";

// The key of the official emulator, which is the default here as well. It is public: it protects nothing.
const PUBLIC_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

const client = new CosmosClient({
  endpoint: process.env.ORRERY_ENDPOINT ?? "http://localhost:8081",
  key: process.env.ORRERY_KEY ?? PUBLIC_KEY,
});

const { database } = await client.databases.createIfNotExists({ id: "travel-node" });
const { container } = await database.containers.createIfNotExists({
  id: "airports",
  partitionKey: { paths: ["/country"], kind: "Hash", version: 2 },
});

const airports = [
  { id: "SEA", kind: "airport", country: "US", code: "SEA", name: "Seattle-Tacoma International Airport", city: "Seattle", location: { type: "Point", coordinates: [-122.3093, 47.449] }, elevationFt: 433, runways: 3 },
  { id: "DEN", kind: "airport", country: "US", code: "DEN", name: "Denver International Airport", city: "Denver", location: { type: "Point", coordinates: [-104.6731, 39.8617] }, elevationFt: 5434, runways: 6 },
  { id: "AMS", kind: "airport", country: "NL", code: "AMS", name: "Amsterdam Airport Schiphol", city: "Amsterdam", location: { type: "Point", coordinates: [4.7639, 52.3086] }, elevationFt: -11, runways: 6 },
];
for (const airport of airports) await container.items.upsert(airport);

const { resource: amsterdam } = await container.item("AMS", "NL").read();
console.log("point read:    ", amsterdam.name);

const query = {
  query: "SELECT c.code, c.elevationFt FROM c WHERE c.elevationFt > @feet ORDER BY c.elevationFt DESC",
  parameters: [{ name: "@feet", value: 100 }],
};
const { resources: high, requestCharge } = await container.items.query(query, { partitionKey: "US" }).fetchAll();
console.log("query:         ", high.map((airport) => `${airport.code} ${airport.elevationFt} ft`).join(", "), `(${requestCharge} RU)`);

const { resource: patched } = await container.item("SEA", "US").patch({
  condition: "from c where c.runways = 3",
  operations: [{ op: "incr", path: "/runways", value: 1 }, { op: "add", path: "/tags", value: ["hub"] }],
});
console.log("patch:         ", patched.code, "has", patched.runways, "runways, tags", patched.tags);

// All or nothing, within one partition key.
const { result: batch } = await container.items.batch(
  [
    { operationType: "Upsert", resourceBody: { id: "SEA-DEN", kind: "route", country: "US", from: "SEA", to: "DEN" } },
    { operationType: "Read", id: "DEN" },
  ],
  "US",
);
console.log("batch:         ", batch.map((operation) => operation.statusCode).join(", "));

const changes = container.items.getChangeFeedIterator({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning("US") });
const { result: changed } = await changes.readNext();
console.log("change feed:   ", changed.map((item) => item.id).join(", "));

await database.delete();
client.dispose();
