"""The two accounts of the running server's Table API. Both see the same tables; `cargo xtask test` sets the variables."""

import os
from dataclasses import dataclass

from azure.core.credentials import AzureNamedKeyCredential
from azure.data.tables import TableServiceClient

PUBLIC_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@dataclass(frozen=True)
class Account:
    name: str
    url: str
    key: str

    @property
    def credential(self):
        return AzureNamedKeyCredential(self.name, self.key)

    @property
    def connection_string(self):
        return f"DefaultEndpointsProtocol=http;AccountName={self.name};AccountKey={self.key};TableEndpoint={self.url};"

    def service(self):
        return TableServiceClient(self.url, credential=self.credential)


# The client takes `localhost` for Cosmos DB and 127.0.0.1 for storage, and sends merges in another way.
STORAGE = Account("devstoreaccount1", os.environ["ORRERY_AZURITE"], PUBLIC_KEY)
COSMOS = Account("localhost", os.environ["ORRERY_TABLE"].replace("127.0.0.1", "localhost"), os.environ["ORRERY_KEY"])
