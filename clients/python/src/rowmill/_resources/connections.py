"""Credentials of model providers and HTTP services."""

from __future__ import annotations

from typing import Any, Optional

from .. import types as t
from .._lists import List
from .._transport import Transport


class Connections:
    """Secrets are written and never read back."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: t.CreateConnectionBody, **request: Any) -> t.Connection:
        return self._transport.call("createConnection", request, body=body)

    def list(self, query: Optional[t.ListConnectionsQuery] = None, **request: Any) -> List[t.Connection]:
        return List(self._transport, "listConnections", request, query=query)

    def get(self, connection_id: str, **request: Any) -> t.Connection:
        return self._transport.call("getConnection", request, path={"connectionId": connection_id})

    def update(self, connection_id: str, body: t.UpdateConnectionBody, **request: Any) -> t.Connection:
        return self._transport.call("updateConnection", request, path={"connectionId": connection_id}, body=body)

    def delete(self, connection_id: str, **request: Any) -> None:
        self._transport.call("deleteConnection", request, path={"connectionId": connection_id})

    def limits(self, connection_id: str, **request: Any) -> t.ConnectionLimits:
        """Limits that were learned from the provider, refusals, and how long a new call waits."""
        return self._transport.call("getConnectionLimits", request, path={"connectionId": connection_id})

    def test(self, connection_id: str, **request: Any) -> t.ConnectionTest:
        """Calls the provider once; look at `ok`."""
        return self._transport.call("testConnection", request, path={"connectionId": connection_id})
