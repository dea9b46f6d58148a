"""
One call of an operation: its URL and headers, its attempts, its response. An attempt ends when the response has been read, so that
a response that breaks off is repeated like one that never came; a streamed response is the business of its reader.
"""

from __future__ import annotations

import datetime
import itertools
import json
import random
import re
import secrets
import ssl
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

from ._body import json_body, moment_text
from ._content import ContentFailure, Sending
from ._errors import RowmillApiError, RowmillError
from ._generated.operations import OPERATIONS
from ._http import Pool, Response
from ._pauses import send_with_pauses
from ._retry import ALWAYS, IF_REFUSED, NEVER, is_ambiguous, is_worth_repeating, parse_retry_after, retry_delay

T = TypeVar("T")

#: Longer than the service takes for anything but a wait, which adds its own time.
DEFAULT_TIMEOUT = 60.0
#: With the waits of _retry.py: 12 to 24 seconds, in which a service restarts.
DEFAULT_MAX_RETRIES = 6
#: A whole error is a few kilobytes; whatever else responds is not read to its end.
MAX_ERROR_BYTES = 256 * 1024
#: A download may be redirected to a store.
MAX_REDIRECTS = 5


class Request(NamedTuple):
    """What every method of the client takes as further keyword arguments."""

    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None
    max_retries: Optional[int] = None
    headers: Optional[Mapping[str, str]] = None


class Transport:
    def __init__(
        self,
        url: str,
        api_key: str,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        headers: Optional[Mapping[str, str]] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        # http.client would refuse such a key with a message that quotes it.
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must be visible ASCII characters")
        self.url = _checked_url(url)
        self.timeout = timeout
        self.max_retries = max_retries
        self.sleep = sleep
        self._headers = {name.lower(): value for name, value in (headers or {}).items()}
        self._headers["authorization"] = f"Bearer {api_key}"
        self._pool = Pool(timeout, ssl_context)

    def close(self) -> None:
        self._pool.close()

    def call(
        self,
        operation: str,
        request: Mapping[str, Any],
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
    ) -> Any:
        """An operation with a JSON response; None for one without content."""
        return self.send(operation, request, read_json, path=path, query=query, body=body)

    def send(
        self,
        operation: str,
        request: Mapping[str, Any],
        read: Callable[[Response], T],
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        content: Optional[Sending] = None,
        accept: str = "application/json",
        is_stream: bool = False,
    ) -> T:
        """Any operation; `read` makes something of a good response, and closes it where `is_stream`."""
        method, template = OPERATIONS[operation]
        return self.raw(method, template, Request(**request), read, path, query, body, content, accept, is_stream)

    def raw(
        self,
        method: str,
        template: str,
        request: Request,
        read: Callable[[Response], T],
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        content: Optional[Sending] = None,
        accept: str = "application/json",
        is_stream: bool = False,
    ) -> T:
        url = self.url + _filled(template, path or {}) + _query(query or {})
        headers = {**self._headers, "accept": accept}
        headers.update({name.lower(): value for name, value in (request.headers or {}).items()})
        if method == "POST":
            headers["idempotency-key"] = request.idempotency_key or secrets.token_hex(16)
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json_body(body)
        retries = self.max_retries if request.max_retries is None else request.max_retries
        may_be_done = False
        attempt = 0
        while True:
            try:
                return self._attempt(method, url, headers, data, content, request.timeout, read, is_stream)
            except RowmillError as error:
                # Deleted by an attempt whose response was lost.
                if method == "DELETE" and may_be_done and isinstance(error, RowmillApiError) and error.code == "not_found":
                    return None  # type: ignore[return-value]  # what a DELETE returns
                is_over = content is not None and not content.is_replayable()
                repeatable = NEVER if is_over else IF_REFUSED if method == "PATCH" else ALWAYS
                if attempt >= retries or not is_worth_repeating(error, repeatable):
                    raise
                retry_after = error.headers.get("retry-after") if isinstance(error, RowmillApiError) else None
                delay = retry_delay(attempt, parse_retry_after(retry_after, time.time()), random.random())
                if delay is None:
                    raise
                may_be_done = may_be_done or is_ambiguous(error)
                self.sleep(delay)
                attempt += 1

    def _attempt(
        self,
        method: str,
        url: str,
        headers: Dict[str, str],
        data: Optional[bytes],
        content: Optional[Sending],
        timeout: Optional[float],
        read: Callable[[Response], T],
        is_stream: bool,
    ) -> T:
        try:
            response = self._sent(method, url, headers, data, content, timeout)
        except ContentFailure as failure:
            # What goes wrong in the source of the content is not the network.
            raise failure.cause
        try:
            response, arrived = self._follow(method, url, headers, response, timeout)
            if response.status >= 300:
                raise _api_error(response, url, arrived)
            result = read(response)
        except BaseException:
            response.close()
            raise
        if not is_stream:
            response.close()
        return result

    def _sent(
        self,
        method: str,
        url: str,
        headers: Dict[str, str],
        data: Optional[bytes],
        content: Optional[Sending],
        timeout: Optional[float],
    ) -> Response:
        if content is None:
            return self._pool.send(method, url, headers, data, timeout)
        chunks = content.open()
        if content.filler:
            return send_with_pauses(
                chunks, content.filler, lambda body: self._pool.send(method, url, headers, body, timeout)
            )
        # A connection whose first bytes are late is closed by the service.
        first = next(chunks, b"")
        body = itertools.chain([first] if first else [], chunks)
        return self._pool.send(method, url, headers, body, timeout)

    def _follow(
        self, method: str, url: str, headers: Dict[str, str], response: Response, timeout: Optional[float]
    ) -> Tuple[Response, str]:
        """And the URL that responded."""
        for _ in range(MAX_REDIRECTS):
            location = response.headers.get("location")
            if method != "GET" or location is None or response.status not in (301, 302, 303, 307, 308):
                break
            response.close()
            target = urljoin(url, location)
            if urlsplit(target)[:2] != urlsplit(url)[:2]:
                # The key is for the service alone.
                headers = {name: value for name, value in headers.items() if name != "authorization"}
            url = target
            response = self._pool.send(method, url, headers, None, timeout)
        return response, url


def _checked_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("url must be an http or https URL")
    if parts.username or parts.password:
        raise ValueError("url must not carry credentials")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _filled(template: str, path: Mapping[str, Any]) -> str:
    def segment(match: "re.Match[str]") -> str:
        text = str(path.get(match[1], ""))
        # An empty id, `.` and `..` would name another path.
        if text in ("", ".", ".."):
            raise ValueError(f"{match[1]} must be an id")
        return quote(text, safe="")

    return re.sub(r"\{(\w+)\}", segment, template)


def _query(query: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs.extend((f"{name}[{key}]", str(text)) for key, text in value.items())
        elif isinstance(value, (list, tuple, set, frozenset)):
            pairs.append((name, ",".join(str(item) for item in value)))
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif isinstance(value, datetime.datetime):
            pairs.append((name, moment_text(value)))
        else:
            pairs.append((name, str(value)))
    return f"?{urlencode(pairs)}" if pairs else ""


def read_json(response: Response) -> Any:
    data = response.read()
    if response.status == 204:
        return None
    try:
        return json.loads(data)
    except ValueError:
        message = "the response is not JSON: does url name the service?"
        raise RowmillApiError(response.status, response.headers, {}, message) from None


def _origin(url: str) -> str:
    return "{}://{}".format(*urlsplit(url)[:2])


def _api_error(response: Response, url: str, arrived: str) -> RowmillApiError:
    """`arrived` is where the request for `url` was redirected to."""
    if response.status < 400:
        location = response.headers.get("location")
        target = "where it leads" if location is None else _origin(urljoin(arrived, location))
        message = f"{_origin(url)} responds with a redirect: set url to {target}"
        return RowmillApiError(response.status, response.headers, {}, message)
    if response.status == 401 and _origin(arrived) != _origin(url):
        message = (
            f"{_origin(url)} redirects to {_origin(arrived)}, which does not get the key of another address: "
            f"set url to {_origin(arrived)}"
        )
        return RowmillApiError(response.status, response.headers, {}, message)
    try:
        envelope = json.loads(response.read(MAX_ERROR_BYTES))
        error = envelope["error"] if isinstance(envelope["error"]["code"], str) else {}
    except (ValueError, KeyError, TypeError):
        error = {}
    return RowmillApiError(response.status, response.headers, error)
