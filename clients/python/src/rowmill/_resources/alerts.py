"""Rules that notify people, and what they sent."""

from __future__ import annotations

from typing import Any, Optional

from .. import types as t
from .._lists import List
from .._transport import Transport


class AlertRules:
    """When somebody is notified, and where."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: t.CreateAlertRuleBody, **request: Any) -> t.AlertRuleWithSecret:
        return self._transport.call("createAlertRule", request, body=body)

    def preview(self, body: t.PreviewAlertRuleBody, **request: Any) -> t.AlertPreview:
        """What a rule would have done with the events of the last days. Nothing is sent or kept."""
        return self._transport.call("previewAlertRule", request, body=body)

    def list(self, query: Optional[t.ListAlertRulesQuery] = None, **request: Any) -> List[t.AlertRule]:
        return List(self._transport, "listAlertRules", request, query=query)

    def get(self, alert_rule_id: str, **request: Any) -> t.AlertRule:
        return self._transport.call("getAlertRule", request, path={"alertRuleId": alert_rule_id})

    def update(self, alert_rule_id: str, body: t.UpdateAlertRuleBody, **request: Any) -> t.AlertRuleWithSecret:
        return self._transport.call("updateAlertRule", request, path={"alertRuleId": alert_rule_id}, body=body)

    def delete(self, alert_rule_id: str, **request: Any) -> None:
        self._transport.call("deleteAlertRule", request, path={"alertRuleId": alert_rule_id})

    def rotate_secret(self, alert_rule_id: str, **request: Any) -> t.AlertRuleWithSecret:
        return self._transport.call("rotateAlertRuleSecret", request, path={"alertRuleId": alert_rule_id})

    def test(self, alert_rule_id: str, **request: Any) -> t.AlertDelivery:
        return self._transport.call("testAlertRule", request, path={"alertRuleId": alert_rule_id})


class AlertDeliveries:
    """What was sent."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, query: Optional[t.ListAlertDeliveriesQuery] = None, **request: Any) -> List[t.AlertDelivery]:
        return List(self._transport, "listAlertDeliveries", request, query=query)

    def get(self, alert_delivery_id: str, **request: Any) -> t.AlertDelivery:
        return self._transport.call("getAlertDelivery", request, path={"alertDeliveryId": alert_delivery_id})
