"""Graphs of the running server, and clients of them. `cargo xtask test` sets the variables."""

import os
import ssl

from gremlin_python.driver import serializer
from gremlin_python.driver.aiohttp.transport import AiohttpTransport
from gremlin_python.driver.client import Client
from gremlin_python.driver.driver_remote_connection import DriverRemoteConnection

PLAIN = os.environ.get("ORRERY_GREMLIN", "")
KEY = os.environ["ORRERY_KEY"]
URLS = {"ws": PLAIN, "wss": PLAIN.replace("ws://127.0.0.1", "wss://localhost", 1)}
SERIALIZERS = {
    "graphson2": serializer.GraphSONSerializersV2d0,
    "graphson3": serializer.GraphSONSerializersV3d0,
    "graphbinary": serializer.GraphBinarySerializersV1,
}


def transport(scheme):
    context = ssl.create_default_context(cafile=os.environ["ORRERY_CA"])
    options = {"ssl_options": context} if scheme == "wss" else {}
    return lambda: AiohttpTransport(read_timeout=30, write_timeout=30, **options)


class Graph:
    """A graph by its container, over one scheme and in one format."""

    def __init__(self, database, container, scheme, format):
        self.user = f"/dbs/{database.id}/colls/{container.id}"
        self.scheme, self.format = scheme, format
        self.opened = []

    @property
    def _settings(self):
        return {
            "username": self.user,
            "password": KEY,
            "message_serializer": SERIALIZERS[self.format](),
            "transport_factory": transport(self.scheme),
        }

    def _open(self, opened):
        self.opened.append(opened)
        return opened

    def client(self, **more):
        return self._open(Client(URLS[self.scheme], "g", **{**self._settings, "pool_size": 1, **more}))

    def remote(self, **more):
        return self._open(DriverRemoteConnection(URLS[self.scheme], "g", **{**self._settings, "pool_size": 1, **more}))

    def close(self):
        for opened in reversed(self.opened):
            opened.close()
