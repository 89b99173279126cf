// Airports and routes as a graph, with the official clients: `npm install && node airports.mjs`.
//
// Another server than the one on the default ports is named by ORRERY_ENDPOINT, ORRERY_GREMLIN and ORRERY_KEY.

import { readFile } from "node:fs/promises";
import { CosmosClient } from "@azure/cosmos";
import gremlin from "gremlin";

const { driver, process: traversals } = gremlin;
const { statics: __, t: T, order } = traversals;

// The key of the official emulator, which is the default here as well. It is public: it protects nothing.
const publicKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const key = process.env.ORRERY_KEY ?? publicKey;
const codes = new Set(["SEA", "DEN", "LHR", "AMS", "ZRH", "FRA", "SIN", "SYD"]);
const rows = async (name) => JSON.parse(await readFile(new URL(`../data/${name}`, import.meta.url), "utf8"));

// A graph is a container, which the SQL API makes.
const sql = new CosmosClient({ endpoint: process.env.ORRERY_ENDPOINT ?? "http://localhost:8081", key });
const { database } = await sql.databases.createIfNotExists({ id: "travel-graph" });
await database.containers.createIfNotExists({ id: "routes-node", partitionKey: "/country" });

const authenticator = new driver.auth.PlainTextSaslAuthenticator("/dbs/travel-graph/colls/routes-node", key);
const url = process.env.ORRERY_GREMLIN ?? "ws://localhost:8901/gremlin";
const connection = new driver.DriverRemoteConnection(url, { traversalSource: "g", authenticator });
const g = traversals.AnonymousTraversalSource.traversal().withRemote(connection);

await g.V().drop().iterate();
for (const { code, country, city, elevationFt } of await rows("airports.json")) {
  if (!codes.has(code)) continue;
  await g.addV("airport").property(T.id, code).property("country", country).property("city", city).property("elevationFt", elevationFt).iterate();
}
for (const { from, to, distanceKm } of await rows("routes.json")) {
  if (!codes.has(from) || !codes.has(to)) continue;
  await g.V(from).addE("route").to(__.V(to)).property("distanceKm", distanceKm).iterate();
}

console.log("airports:     ", await g.V().count().next().then(({ value }) => value));
console.log("from Seattle: ", (await g.V("SEA").out("route").values("city").dedup().order().toList()).join(", "));
console.log("highest first:", (await g.V().order().by("elevationFt", order.desc).limit(3).values("city").toList()).join(", "));
const way = await g.V("SEA").repeat(__.out("route").simplePath()).until(__.hasId("SYD")).limit(1).path().by(T.id).next();
console.log("to Sydney:    ", way.value.objects.join(" - "));
await connection.close();
sql.dispose();
