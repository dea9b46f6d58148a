"""The client of the API."""

from __future__ import annotations

import ssl
import time
from types import TracebackType
from typing import Any, Callable, List as PyList, Mapping, Optional, Type

from . import types as t
from ._lists import List
from ._profiles import find_credentials
from ._resources.alerts import AlertDeliveries, AlertRules
from ._resources.bulk_actions import BulkActions
from ._resources.connections import Connections
from ._resources.datasets import Datasets, DatasetUploads
from ._resources.events import Events
from ._resources.exports import Exports
from ._resources.job_specs import JobSpecs
from ._resources.organizations import Organizations
from ._resources.runs import Runs
from ._resources.webhooks import WebhookDeliveries, WebhookEndpoints
from ._transport import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Request, Transport, read_json


class Rowmill:
    """
    A client of one service, for any number of threads. What is not given comes from `ROWMILL_URL`, `ROWMILL_API_KEY`, and the
    profile that `ROWMILL_PROFILE`, `./.rowmill.toml` or the user's `config.toml` names.

    Every method takes `idempotency_key`, `timeout`, `max_retries` and `headers` as further keyword arguments.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        profile: Optional[str] = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        headers: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        found = find_credentials(url, api_key, profile)
        transport = Transport(found.url, found.api_key, timeout, max_retries, headers, ssl_context, sleep)
        self._transport = transport
        self.alert_deliveries = AlertDeliveries(transport)
        self.alert_rules = AlertRules(transport)
        self.bulk_actions = BulkActions(transport)
        self.connections = Connections(transport)
        self.dataset_uploads = DatasetUploads(transport)
        self.datasets = Datasets(transport)
        self.events = Events(transport)
        self.exports = Exports(transport)
        self.job_specs = JobSpecs(transport)
        self.organizations = Organizations(transport)
        self.runs = Runs(transport)
        self.webhook_deliveries = WebhookDeliveries(transport)
        self.webhook_endpoints = WebhookEndpoints(transport)

    def __enter__(self) -> "Rowmill":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        return self._transport.url

    def close(self) -> None:
        """Closes idle connections. The client may be used again."""
        self._transport.close()

    def me(self, **request: Any) -> Any:
        """Who the key is."""
        return self._transport.call("getMe", request)

    def usage(self, query: Optional[t.ListUsageQuery] = None, **request: Any) -> List[t.UsageGroup]:
        """What runs have used, and what it cost: by day, or by what `groupBy` names."""
        return List(self._transport, "listUsage", request, query=query)

    def model_prices(self, **request: Any) -> t.ModelPriceList:
        """List prices of models with their date; they may be outdated."""
        return self._transport.call("listModelPrices", request)

    def service_info(self, **request: Any) -> t.ServiceInfo:
        """What the service is: its version, and those of its settings that its users need to know."""
        return self._transport.call("getServiceInfo", request)

    def service_health(self, **request: Any) -> t.ServiceHealth:
        """How the service fares; with the admin key."""
        return self._transport.call("getServiceHealth", request)

    def error_codes(self, **request: Any) -> PyList[Any]:
        """Every error code, what it means and what to do."""
        return self._transport.call("listErrorCodes", request)["data"]

    def event_types(self, **request: Any) -> PyList[Any]:
        """Every event type."""
        return self._transport.call("listEventTypes", request)["data"]

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        **request: Any,
    ) -> Any:
        """Any operation with a JSON response, with retries and an idempotency key as everywhere."""
        return self._transport.raw(method.upper(), path, Request(**request), read_json, query=query, body=body)
