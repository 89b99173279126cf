"""The asynchronous client of tables."""

import asyncio
import uuid

from azure.data.tables.aio import TableServiceClient
from tables_account import STORAGE


def test_many_entities_are_written_and_read_at_once():
    asyncio.run(write_and_read(32))


async def write_and_read(count):
    async with TableServiceClient(STORAGE.url, credential=STORAGE.credential) as service:
        table = await service.create_table(f"t{uuid.uuid4().hex}")
        try:
            entities = [{"PartitionKey": f"p{n % 4}", "RowKey": str(n), "n": n} for n in range(count)]
            await asyncio.gather(*(table.create_entity(entity) for entity in entities))
            read = await asyncio.gather(*(table.get_entity(e["PartitionKey"], e["RowKey"]) for e in entities))
            assert [dict(entity) for entity in read] == entities
            listed = [entity["n"] async for entity in table.query_entities("PartitionKey eq 'p1'")]
            assert sorted(listed) == [n for n in range(count) if n % 4 == 1]
            etags = {entity.metadata["etag"] for entity in read}
            assert len(etags) == count
        finally:
            await table.delete_table()
