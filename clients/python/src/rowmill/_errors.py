"""What the client raises. A wrong argument is a ValueError or TypeError."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, cast

from .types import DatasetUpload, Export

#: How many intake errors the message itself quotes; all of them are in `upload["errors"]`.
QUOTED_ERRORS = 3


class RowmillError(Exception):
    """Every error of the client."""


class RowmillApiError(RowmillError):
    """The service responded with an error."""

    def __init__(
        self,
        status: int,
        headers: Mapping[str, str],
        error: Mapping[str, Any],
        message: Optional[str] = None,
    ) -> None:
        #: Names of headers are in lower case.
        self.headers = dict(headers)
        self.status = status
        #: A code of the API, or `unexpected_answer` where something else than the service responded, such as a proxy.
        self.code: str = error.get("code", "unexpected_answer")
        self.message: str = message or error.get("message") or f"the service responded with status {status}"
        #: The member, parameter or header that caused it.
        self.param: Optional[str] = error.get("param")
        self.details: List[Dict[str, Any]] = error.get("details") or []
        #: Whether the same request may succeed later with nothing changed.
        self.retryable: bool = error.get("retryable", status == 429 or status >= 500)
        #: Names the request in the log of the service.
        self.request_id: Optional[str] = error.get("requestId") or self.headers.get("request-id")
        self.doc_url: Optional[str] = error.get("docUrl")
        #: The whole error, with members that only some codes have, such as `requiredScopes`.
        self.error: Dict[str, Any] = dict(error)
        super().__init__(self.message)

    def __str__(self) -> str:
        request = "" if self.request_id is None else f", {self.request_id}"
        return f"{self.message} ({self.status} {self.code}{request})"

    # Pickled by its arguments: workers of a pool return errors to their parent.
    def __reduce__(self) -> Any:
        return (RowmillApiError, (self.status, self.headers, self.error, self.message))


class RowmillConnectionError(RowmillError):
    """No response, or a part of one: the network, the name, the certificate, or a connection that broke."""

    #: Whether there was no connection, so that the service has got nothing.
    is_unsent = False


class RowmillTimeoutError(RowmillError):
    """Nothing came for `timeout` seconds, or a wait took longer than it was allowed to."""


class RowmillIntegrityError(RowmillError):
    """A downloaded file is not the one that the service wrote."""


class ExportFailedError(RowmillError):
    """An export ended without a file. `export["status"]` and `export["error"]` say why."""

    def __init__(self, export: Export) -> None:
        self.export = export
        error = export["error"]
        reason = "" if error is None else f": {error['message']} ({error['code']})"
        super().__init__(f"export {export['id']} is {export['status']}{reason}")


class DatasetIntakeError(RowmillError):
    """The content of an upload did not become a dataset. `upload["errors"]` says why, line by line."""

    def __init__(self, upload: DatasetUpload) -> None:
        self.upload = upload
        self.errors = upload["errors"]
        reasons = [
            f"{'' if error['line'] is None else 'line ' + str(error['line']) + ': '}{error['message']} ({error['code']})"
            for error in cast(List[Dict[str, Any]], upload["errors"])[:QUOTED_ERRORS]
        ]
        quoted = "" if not reasons else ": " + "; ".join(reasons)
        super().__init__(f"dataset upload {upload['id']} is {upload['state']}{quoted}")
