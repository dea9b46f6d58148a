"""Endpoints that receive events, and what was delivered to them."""

from __future__ import annotations

from typing import Any, Optional

from .. import types as t
from .._lists import List
from .._transport import Transport


class WebhookEndpoints:
    """Where events are delivered."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: t.CreateWebhookEndpointBody, **request: Any) -> t.WebhookEndpointWithSecret:
        return self._transport.call("createWebhookEndpoint", request, body=body)

    def list(self, query: Optional[t.ListWebhookEndpointsQuery] = None, **request: Any) -> List[t.WebhookEndpoint]:
        return List(self._transport, "listWebhookEndpoints", request, query=query)

    def get(self, webhook_endpoint_id: str, **request: Any) -> t.WebhookEndpoint:
        return self._transport.call("getWebhookEndpoint", request, path={"webhookEndpointId": webhook_endpoint_id})

    def update(self, webhook_endpoint_id: str, body: t.UpdateWebhookEndpointBody, **request: Any) -> t.WebhookEndpoint:
        return self._transport.call("updateWebhookEndpoint", request, path={"webhookEndpointId": webhook_endpoint_id}, body=body)

    def delete(self, webhook_endpoint_id: str, **request: Any) -> None:
        self._transport.call("deleteWebhookEndpoint", request, path={"webhookEndpointId": webhook_endpoint_id})

    def test(
        self, webhook_endpoint_id: str, body: Optional[t.TestWebhookEndpointBody] = None, **request: Any
    ) -> t.WebhookDeliveryWithResponse:
        """Makes one attempt now and returns its delivery, with the response of the receiver."""
        return self._transport.call("testWebhookEndpoint", request, path={"webhookEndpointId": webhook_endpoint_id}, body=body)

    def rotate_secret(self, webhook_endpoint_id: str, **request: Any) -> t.WebhookEndpointWithSecret:
        """The new secret is shown once."""
        return self._transport.call("rotateWebhookEndpointSecret", request, path={"webhookEndpointId": webhook_endpoint_id})

    def replay(self, webhook_endpoint_id: str, body: t.ReplayWebhookEndpointBody, **request: Any) -> t.WebhookReplay:
        return self._transport.call("replayWebhookEndpoint", request, path={"webhookEndpointId": webhook_endpoint_id}, body=body)


class WebhookDeliveries:
    """Attempts and their responses."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, query: Optional[t.ListWebhookDeliveriesQuery] = None, **request: Any) -> List[t.WebhookDelivery]:
        return List(self._transport, "listWebhookDeliveries", request, query=query)

    def get(self, webhook_delivery_id: str, **request: Any) -> t.WebhookDelivery:
        return self._transport.call("getWebhookDelivery", request, path={"webhookDeliveryId": webhook_delivery_id})

    def content(self, webhook_delivery_id: str, **request: Any) -> t.WebhookDeliveryContent:
        """The body that was sent, and for each attempt the headers, and the beginning of the response."""
        return self._transport.call("getWebhookDeliveryContent", request, path={"webhookDeliveryId": webhook_delivery_id})

    def redeliver(self, webhook_delivery_id: str, **request: Any) -> t.WebhookDeliveryWithResponse:
        """Sends the event once more, as a new delivery, and returns it with the response of the receiver."""
        return self._transport.call("redeliverWebhook", request, path={"webhookDeliveryId": webhook_delivery_id})
