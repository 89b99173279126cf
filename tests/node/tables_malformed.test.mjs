// Requests that no client should send, as bytes on a real connection: none may be answered as the server's own failure, and it must
// live on. 501 is for known functions of OData that the service lacks.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import test from "node:test";
import { accounts, newTable } from "./tables_server.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const BATCH_TYPE = { "content-type": "multipart/mixed; boundary=b" };
const DEEP = 100_000;
// How long a request that never ends may go without an answer before its connection is closed.
const SILENCE_MS = 500;

// What is wrong -> [verb, path below the account, headers, body]. `T` stands for a table that exists; a header of null is left out.
function requests() {
  const entity = (members) => `{"PartitionKey":"p","RowKey":"r",${members}}`;
  const list = (filter) => ["GET", `/T()?$filter=${encodeURIComponent(filter)}`, {}, ""];
  const insert = (body) => ["POST", "/T", JSON_TYPE, body];
  const batch = (body, headers = BATCH_TYPE) => ["POST", "/$batch", headers, body];
  const part = (request) => `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n${request}\r\n--c--\r\n--b--\r\n`;
  const signed = (authorization) => ["GET", "/T()", { authorization }, ""];
  const dated = (date) => ["GET", "/T()", { "x-ms-date": date }, ""];
  const properties = (body) => ["PUT", "/?restype=service&comp=properties", { "content-type": "application/xml" }, body];
  const acl = (body) => ["PUT", "/T?comp=acl", { "content-type": "application/xml" }, body];
  const key = (text) => ["PUT", `/T(PartitionKey='${text}',RowKey='r')`, JSON_TYPE, "{}"];
  return {
    "signatures": ["", " ", "SharedKey", "SharedKey :", "SharedKey a:b", "SharedKey devstoreaccount1:", "SharedKey devstoreaccount1:!!!", "SharedKeyLite x",
      "SharedKey devstoreaccount1:AAAA", `SharedKey ${"a".repeat(20_000)}:x`, "Bearer", "Bearer a.b.c", `Bearer ${"e30.".repeat(3)}`, "Basic eDp5",
      "type%3dmaster%26ver%3d1.0%26sig%3dx", "type%3d%ff", "\u00ff\u00fe"].map(signed)
      .concat(["sig=", "sig=x&sv=", "sig=%FF&sv=9999-99-99&se=x&sp=r&tn=T", "sv=2019-02-02&ss=t&srt=o&sp=r&se=99999-01-01&sig=AAAA", "tn=T&si=x&sig=AAAA&sv=2019-02-02&st=0",
        "sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=2999-01-01T00:00:00Z&sip=1.1.1.1-x&spr=ftp&sig=AAAA"].map((query) => ["GET", `/T()?${query}`, { authorization: null }, ""])),
    "dates": ["", "x", "0", "Fri, 99 Nov 2026 99:99:99 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "-1", "2026-11-20", "9".repeat(5_000), null].map(dated),
    "JSON": ["", "{", "}", "null", "[]", "1", "\"", "{\"a\"}", "{,}", "\u0000", "\u00ef\u00bb\u00bf{}", "[".repeat(DEEP), "{\"a\":".repeat(DEEP), "{}{}", "{\"PartitionKey\":\"p\"}",
      "{\"PartitionKey\":null,\"RowKey\":null}", "{\"PartitionKey\":1,\"RowKey\":[]}", "{\"PartitionKey\":\"\\ud800\",\"RowKey\":\"r\"}", entity("\"A\":1e999"), entity("\"A\":-"), entity("\"A\":01"),
      entity(`"A":${"9".repeat(50_000)}`), entity("\"A\":{}"), entity("\"A\":[[]]"), entity("\"A\":1,\"A\":2"), entity("\"\":1"), entity("\"a b\":1"), entity(`"${"n".repeat(300)}":1`),
      entity(`"A":"${"x".repeat(70_000)}"`), entity("\"A@odata.type\":5,\"A\":1"), entity("\"A@odata.type\":\"Edm.Nothing\",\"A\":\"1\""), entity("\"@odata.type\":\"Edm.Int64\""),
      entity(Array.from({ length: 400 }, (_, nth) => `"P${nth}":1`).join(",")), entity(Array.from({ length: 20 }, (_, nth) => `"P${nth}":"${"x".repeat(60_000)}"`).join(",")),
      ...[["Int64", "9223372036854775808"], ["Int64", ""], ["Guid", "{}"], ["Binary", "!"], ["DateTime", "0000-00-00T00:00:00Z"], ["DateTime", "+275760-09-13T00:00:00Z"], ["Double", "x"], ["Boolean", "maybe"], ["Int32", "1.5"]]
        .map(([type, value]) => entity(`"A@odata.type":"Edm.${type}","A":"${value}"`))].map(insert),
    "keys": ["a".repeat(600), "a".repeat(20_000), "%00", "%1F", "%C2%80", "%2F", "%5C", "%23", "%3F", "%FF", "%C0%80", "%ED%A0%80", "%", "%G0", "'", "''", "%27", "%F0%9F%98%80".repeat(600)].map(key)
      .concat([["PUT", "/T(PartitionKey='p')", JSON_TYPE, "{}"], ["PUT", "/T(RowKey='r',RowKey='r')", JSON_TYPE, "{}"], ["GET", `/T(${"(".repeat(10_000)})`, {}, ""]]),
    "table names": ["", "a", "1abc", "a-b", "tables", "x".repeat(64), "x".repeat(30_000), "é", "a\\u0000b", "$batch", "..", "a/b"].map((name) => ["POST", "/Tables", JSON_TYPE, `{"TableName":"${name}"}`])
      .concat(["/Tables('')", "/Tables('a'b')", "/Tables('%FF')", "/..", "/T/../T", "//T", "/T()/x", "/%00()"].map((path) => ["DELETE", path, {}, ""])),
    "multipart bodies": ["", "x", "--b", "--b--", "--b\r\n\r\n--b--", "--c\r\n", part(""), part("GET"), part("FOO / HTTP/1.1\r\n\r\n"), part("POST /x HTTP/9\r\n\r\n{}"), part("PUT http:// HTTP/1.1\r\n\r\n{}"),
      part("POST http://[::1/T HTTP/1.1\r\n\r\n{}"), part("DELETE /devstoreaccount1/T HTTP/1.1\r\nIf-Match: *\r\n\r\n"), part("POST /devstoreaccount1/T HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n{}"),
      part("POST /devstoreaccount1/$batch HTTP/1.1\r\n\r\n"), part("POST /devstoreaccount1/Tables HTTP/1.1\r\n\r\n{\"TableName\":\"new\"}"), part("POST /devstoreaccount1/T HTTP/1.1\r\nno colon\r\n\r\n{}"),
      part("--c\r\n".repeat(5_000)), "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".repeat(1_000), part("\u00ff\u00fe / HTTP/1.1\r\n\r\n"), part(`POST /devstoreaccount1/T HTTP/1.1\r\n\r\n${"[".repeat(DEEP)}`)].map((body) => batch(body))
      .concat(["multipart/mixed", "multipart/mixed; boundary=", "multipart/mixed; boundary=\"", `multipart/mixed; boundary=${"b".repeat(5_000)}`, "application/json", "x", ""].map((type) => batch(part("GET / HTTP/1.1\r\n"), { "content-type": type }))),
    "filters": ["'", "(", ")", "((((", "not", "and", "A eq", "eq 1", "A eq eq", "A eq 'x", "A eq B", "1 eq 1", "A eq 1 and", "A eq guid'x'", "A eq datetime'x'", "A eq X'1'", "A eq 99999999999999999999L",
      "A eq 1e999", "A eq 1..2", "A eq null", "\u0000", "A\u00a0eq\u00a01", "startswith(A,'x')", "A add 1 eq 2", "A eq 1;", "A eq -", "A eq 'é😀", "@", "PartitionKey eq 1", "RowKey gt binary'zz'", "Timestamp lt datetime'99999-01-01'",
      "(".repeat(3_000) + "A eq 1" + ")".repeat(3_000), "not ".repeat(3_000) + "A eq 1", Array(1_500).fill("A eq 1").join(" or ")].map(list)
      .concat(["$top=-1", "$top=x", "$top=99999999999", "$top=", "$filter=%FF", "$filter=%", "$select=%00", `$select=${"a,".repeat(5_000)}`, "$format=x", "$format=", "$skip=1", "$orderby=A", "$filter=A eq 1&$filter=B",
        "NextPartitionKey=x", "NextPartitionKey=1!99!x", "NextPartitionKey=1!4!____&NextRowKey=1!-1!x", "NextRowKey=1!4!YQ--", "NextTableName=%FF", "timeout=x", "comp=x", "restype=x"].map((query) => ["GET", `/T()?${query.replaceAll(" ", "%20")}`, {}, ""])),
    "XML": ["", "x", "<", "<a>", "<a></b>", "<?xml", "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>", "<SignedIdentifiers><SignedIdentifier/></SignedIdentifiers>", "<SignedIdentifiers>&nothing;</SignedIdentifiers>",
      "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>x</Start><Expiry>y</Expiry><Permission>zzz</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
      "<SignedIdentifiers>" + "<SignedIdentifier><Id>a</Id></SignedIdentifier>".repeat(50) + "</SignedIdentifiers>", "<a>".repeat(DEEP), "<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>",
      "<StorageServiceProperties><Logging><RetentionPolicy><Enabled>x</Enabled><Days>-1</Days></RetentionPolicy></Logging></StorageServiceProperties>", "<a b=>", "<a b='1' b='1'/>", "\u0000", "\u00ff\u00fe<\u0000", "]]>", "<![CDATA["]
      .flatMap((body) => [properties(body), acl(body)]),
    "verbs": ["PUT", "PATCH", "MERGE", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO", "PROPFIND"].flatMap((verb) =>
      ["/", "/Tables", "/Tables('T')", "/T", "/T()", "/$batch", "/$metadata", "/?restype=service&comp=stats", "/T?comp=acl"].map((path) => [verb, path, {}, ""]))
      .concat(["", "FOO", "GET", "MERGE, PUT", "merge"].map((verb) => ["POST", "/T(PartitionKey='p',RowKey='r')", { ...JSON_TYPE, "x-http-method": verb }, "{"])),
    "headers and encodings": [{ "content-encoding": "gzip" }, { "content-type": "text/plain; charset=utf-99" }, { "content-type": "application/json; charset=utf-16" }, { accept: "image/png" }, { accept: "application/atom+xml" },
      { accept: "\u00ff" }, { "x-ms-version": "x" }, { "x-ms-version": "" }, { prefer: "x".repeat(5_000) }, { "if-match": "\"strong\"" }, { "if-match": "W/" }, { "if-match": "" }, { "if-none-match": "*" }, { dataserviceversion: "99.9" },
      { maxdataserviceversion: "x" }, { "x-ms-client-request-id": "x".repeat(2_000) }, { "content-md5": "x" }, { origin: "x" }, { expect: "nothing" }, { "accept-charset": "x" }]
      .flatMap((headers) => [["POST", "/T", { ...JSON_TYPE, ...headers }, "\u00ff\u00fe{\u0000"], ["PUT", "/T(PartitionKey='p',RowKey='r')", { ...JSON_TYPE, ...headers }, "{"]]),
  };
}

// Requests that are broken below HTTP, or cut: the connection may just close.
const BROKEN = ["\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u0016\u0003\u0001garbage", "GET /T() HTTP/1.1\r\n\r\n", "GET /T() HTTP/1.1\r\nhost\r\n\r\n", "POST /T HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
  "POST /T HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}", "POST /T HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n", "GET /\u0000 HTTP/1.1\r\nhost: x\r\n\r\n",
  "POST /T HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{", `GET /${"x".repeat(200_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, `GET / HTTP/1.1\r\nhost: x\r\n${"a: b\r\n".repeat(5_000)}\r\n`];

for (const [dialect, account] of Object.entries(accounts)) {
  for (const [kind, all] of Object.entries(requests())) {
    test(`${dialect}: no malformed request is a failure of the server: ${kind}`, async (t) => {
      const table = await newTable(t, account);
      for (const [verb, path, headers, body] of all) {
        const target = path.replace(/^\/T\b/, `/${table.tableName}`);
        const status = statusOf(await send(account, bytesOf(account, verb, target, headers, body), 10_000));
        const shown = `${verb} ${target} ${JSON.stringify(headers)} ${body}`.slice(0, 300);
        assert.ok(status, `no answer: ${shown}`);
        assert.ok(status < 500 || (status === 501 && kind === "filters"), `${status}: ${shown}`);
        // Whoever is turned away at the door tests nothing behind it.
        assert.ok(status !== 403 || ["signatures", "dates"].includes(kind), `${status}: ${shown}`);
      }
      await table.upsertEntity({ partitionKey: "alive", rowKey: kind });
      assert.equal((await table.getEntity("alive", kind)).rowKey, kind);
    });
  }

  test(`${dialect}: connections that speak no HTTP do not harm the server`, async (t) => {
    const table = await newTable(t, account);
    for (const text of BROKEN) {
      const status = statusOf(await send(account, Buffer.from(text, "latin1"), SILENCE_MS));
      assert.ok(!status || status < 500 || status === 505, `${status}: ${text.slice(0, 100)}`);
    }
    await table.upsertEntity({ partitionKey: "alive", rowKey: "r" });
  });
}

// A request as it goes over the wire, signed unless its headers say otherwise. Texts are bytes here, one per character.
function bytesOf(account, verb, target, headers, body) {
  const url = new URL(account.url);
  const path = url.pathname.replace(/\/$/, "") + target;
  const all = { "x-ms-date": new Date().toUTCString(), "x-ms-version": "2019-02-02", accept: "application/json", ...headers };
  const resource = `/${account.name}${path.split("?")[0]}` + (/[?&]comp=([^&]*)/.exec(path)?.[0].replace("&", "?") ?? "");
  const text = [verb, all["content-md5"] ?? "", all["content-type"] ?? "", all["x-ms-date"] ?? "", resource].join("\n");
  const signature = createHmac("sha256", Buffer.from(account.key, "base64")).update(text).digest("base64");
  const sent = { host: url.host, authorization: `SharedKey ${account.name}:${signature}`, ...all, "content-length": Buffer.byteLength(body, "latin1"), connection: "close" };
  const lines = Object.entries(sent).filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${verb} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`, "latin1");
}

// Sends the bytes and resolves to what came back until the server closed, or was silent for so many milliseconds.
function send(account, bytes, silence) {
  const url = new URL(account.url);
  return new Promise((resolve) => {
    const parts = [];
    const socket = connect({ host: url.hostname, port: url.port }, () => socket.write(bytes));
    const done = () => {
      socket.destroy();
      resolve(Buffer.concat(parts).toString("latin1"));
    };
    socket.on("data", (part) => parts.push(part));
    socket.on("close", done).on("error", done).setTimeout(silence, done);
  });
}

function statusOf(reply) {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(reply)?.[1]);
}
