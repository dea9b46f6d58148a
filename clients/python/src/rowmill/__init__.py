"""
The Python client of Rowmill: a table in, a table out, in one call that survives its process; and every operation of the API.

    import rowmill

    table = rowmill.map("companies.csv", prompt="Which industry is {{company}} in?", model="gpt-5-mini", schema="industry",
                        max_cost=2)
    client = rowmill.Rowmill()  # ROWMILL_URL and ROWMILL_API_KEY, or a profile
"""

from . import types
from ._content import SendProgress
from ._errors import (
    DatasetIntakeError,
    ExportFailedError,
    RowmillApiError,
    RowmillConnectionError,
    RowmillError,
    RowmillIntegrityError,
    RowmillTimeoutError,
)
from ._lists import List, Page, RowList
from ._map.follow import Detached, RunPausedError
from ._map.map import PriceNotAgreedError, attach, map
from ._map.result import MapResult
from ._map.templates import UnknownColumnError
from ._resources.runs import is_terminal
from ._streams import ServerSentEvent
from .client import Rowmill
from .webhooks import WebhookVerificationError, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "DatasetIntakeError",
    "Detached",
    "ExportFailedError",
    "List",
    "MapResult",
    "Page",
    "PriceNotAgreedError",
    "RowList",
    "Rowmill",
    "RowmillApiError",
    "RowmillConnectionError",
    "RowmillError",
    "RowmillIntegrityError",
    "RowmillTimeoutError",
    "RunPausedError",
    "SendProgress",
    "ServerSentEvent",
    "UnknownColumnError",
    "WebhookVerificationError",
    "attach",
    "is_terminal",
    "map",
    "types",
    "verify_webhook",
]
