// Client-side encryption: keys wrapped by the client are kept as they are, and items come back in the clear only to who has the key.

import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv } from "node:crypto";
import test from "node:test";
import { EncryptionAlgorithm, EncryptionQueryBuilder, EncryptionType, KeyEncryptionAlgorithm } from "@azure/cosmos";
import { connect, hash, newDatabase, refusal, shared } from "./server.mjs";

// Stands in for a key vault: wraps with a fixed key for each name.
const resolver = {
  encryptionKeyResolverName: "TEST",
  async wrapKey(name, algorithm, key) {
    return transformed(createCipheriv("aes-256-ctr", vaultKey(name), Buffer.alloc(16)), key);
  },
  async unwrapKey(name, algorithm, wrapped) {
    return transformed(createDecipheriv("aes-256-ctr", vaultKey(name), Buffer.alloc(16)), wrapped);
  },
};

function transformed(cipher, bytes) {
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

function vaultKey(name) {
  return Buffer.alloc(32, name);
}

const metadata = (value) => ({ type: "TEST", name: "vault", value, algorithm: KeyEncryptionAlgorithm.RSA_OAEP });

async function newEncryptedDatabase(t) {
  const client = connect({ clientEncryptionOptions: { keyEncryptionKeyResolver: resolver } });
  const database = await newDatabase(t, client);
  const key = await database.createClientEncryptionKey("key", EncryptionAlgorithm.AEAD_AES_256_CBC_HMAC_SHA256, metadata("one"));
  return { database, key };
}

test("keys are created, read and wrapped anew", async (t) => {
  const { database, key } = await newEncryptedDatabase(t);
  assert.equal(key.statusCode, 201);
  const { clientEncryptionKeyProperties: read } = await database.readClientEncryptionKey("key");
  assert.deepEqual(read, key.clientEncryptionKeyProperties);
  assert.deepEqual(read.encryptionKeyWrapMetadata, metadata("one"));
  const { clientEncryptionKeyProperties: rewrapped } = await database.rewrapClientEncryptionKey("key", metadata("two"));
  assert.equal(rewrapped.encryptionKeyWrapMetadata.value, "two");
  assert.notDeepEqual(rewrapped.wrappedDataEncryptionKey, read.wrappedDataEncryptionKey);
  const plain = (properties) => resolver.unwrapKey(properties.encryptionKeyWrapMetadata.value, "", Buffer.from(properties.wrappedDataEncryptionKey));
  assert.deepEqual(await plain(rewrapped), await plain(read), "it is the same key in another wrapping");
  await refusal(database.readClientEncryptionKey("none"), 404);
});

test("an encrypted property is unreadable without the key, and found with it", async (t) => {
  const { database } = await newEncryptedDatabase(t);
  const path = (name) => ({
    path: name,
    clientEncryptionKeyId: "key",
    encryptionType: EncryptionType.DETERMINISTIC,
    encryptionAlgorithm: EncryptionAlgorithm.AEAD_AES_256_CBC_HMAC_SHA256,
  });
  const clientEncryptionPolicy = { policyFormatVersion: 2, includedPaths: [path("/secret"), path("/number")] };
  const { container } = await database.containers.create({ id: "c", partitionKey: hash("/pk"), clientEncryptionPolicy });
  await container.initializeEncryption();
  await container.items.create({ id: "1", pk: "x", secret: "whisper", number: 7, open: true });
  await container.items.upsert({ id: "2", pk: "x", secret: "shout", number: 8 });
  const { resource } = await container.item("1", "x").read();
  assert.deepEqual([resource.secret, resource.number, resource.open], ["whisper", 7, true]);
  const { resource: raw } = await shared.database(database.id).container("c").item("1", "x").read();
  assert.equal(raw.open, true);
  assert.notEqual(raw.secret, "whisper");
  assert.ok(!JSON.stringify(raw).includes("whisper") && raw.number !== 7);
  const query = new EncryptionQueryBuilder("SELECT * FROM c WHERE c.secret = @secret AND c.pk = @pk");
  query.addParameter("@secret", "shout", "/secret");
  query.addUnencryptedParameter("@pk", "x", "/pk");
  const iterator = await container.items.getEncryptionQueryIterator(query);
  assert.deepEqual((await iterator.fetchAll()).resources.map((item) => [item.id, item.secret]), [["2", "shout"]]);
});

test("keys are not for clients without encryption", async (t) => {
  const database = await newDatabase(t);
  await assert.rejects(database.createClientEncryptionKey("k", EncryptionAlgorithm.AEAD_AES_256_CBC_HMAC_SHA256, metadata("one")), /encryption-enabled/);
  await assert.rejects(database.rewrapClientEncryptionKey("k", metadata("one")), /encryption-enabled/);
});
