"""The options of `rowmill.map`, and what happens to a row because of them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .shorthand import JsonSchema, schema_of
from .templates import Templates, member_of

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
OF_SOME_WAYS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("model", "system", "image", "base_url", "price", "temperature", "max_output_tokens"), ("prompt",)),
    "connection": ("prompt", "http"),
    "headers": ("http",),
    "body": ("http",),
}
CONNECTION_SECRET = re.compile(r"\{\{\s*connection\s*\.\s*secret\s*\}\}")

Text = Union[str, "os.PathLike[str]"]


@dataclass
class MapOptions:
    prompt: Optional[Text] = None
    model: Optional[str] = None
    system: Optional[Text] = None
    image: Optional[str] = None
    schema: Any = None
    transform: Optional[Text] = None
    http: Optional[str] = None
    headers: Optional[Mapping[str, str]] = None
    body: Any = None
    mock: Union[bool, Mapping[str, Any]] = False
    spec: Any = None
    connection: Optional[str] = None
    base_url: Optional[str] = None
    price: Optional[str] = None
    store_key: bool = False
    temperature: Optional[float] = None
    max_output_tokens: Optional[int] = None
    cache: bool = True
    limit: Optional[int] = None
    sample: Optional[int] = None
    seed: Optional[int] = None
    max_cost: Any = None
    yes: bool = False
    retry: bool = False
    concurrency: Optional[int] = None
    name: Optional[str] = None
    format: Optional[str] = None
    csv: Optional[Mapping[str, Any]] = None
    on_invalid_row: Optional[str] = None
    progress: Any = None

    @property
    def kind(self) -> str:
        """Exactly one option says what happens to a row."""
        given = [
            name
            for name in ("prompt", "http", "transform", "mock", "spec")
            if getattr(self, name) is not None and getattr(self, name) is not False
        ]
        if not given:
            raise TypeError(
                "nothing says what happens to a row: give prompt= with model=, transform=, http=, spec= or mock=True"
            )
        if len(given) > 1:
            raise TypeError(f"{' and '.join(given)} exclude each other")
        if given[0] == "prompt" and self.model is None:
            raise TypeError("prompt needs a model, such as model='gpt-5-mini' or model='ollama/llama3.2'")
        if given[0] == "mock" and self.schema is not None:
            raise TypeError("mock echoes the row and has no other output: leave out schema")
        for name, ways in OF_SOME_WAYS.items():
            # It would do nothing, and a price or a key that nobody uses is missed too late.
            if getattr(self, name) is not None and given[0] not in ways:
                advice = "write it in the spec" if given[0] == "spec" else f"leave out {name}"
                raise TypeError(f"{name} belongs to {' and '.join(ways)}, and not to {given[0]}: {advice}")
        return given[0]

    @property
    def scope(self) -> Dict[str, Any]:
        if self.limit is not None and self.sample is not None:
            raise TypeError("limit and sample exclude each other")
        if self.seed is not None and self.sample is None:
            raise TypeError("seed needs sample")
        if self.limit is not None:
            return {"type": "limit", "count": self.limit}
        if self.sample is not None:
            return {"type": "sample", "count": self.sample, "seed": 1 if self.seed is None else self.seed}
        return {"type": "all"}

    @property
    def max_cost_usd(self) -> Optional[str]:
        if self.max_cost is None:
            return None
        try:
            amount = Decimal(str(self.max_cost))
        except InvalidOperation:
            raise ValueError(f"max_cost is an amount in US dollars, not {self.max_cost!r}") from None
        if not amount.is_finite() or amount <= 0:
            raise ValueError(f"max_cost is an amount in US dollars, not {self.max_cost!r}")
        return format(amount, "f")


def define_job(options: MapOptions, columns: Sequence[str], connected: Optional[Mapping[str, str]]) -> Dict[str, Any]:
    """
    The body of a job spec, without its name. The columns that templates name are checked. `connected` has the `connectionId`, and
    the `model` of a prompt.
    """
    templates = Templates(columns)
    schema = None if options.schema is None else schema_of(options.schema)
    kind = options.kind
    made: Dict[str, Any]
    if kind == "mock":
        more = options.mock if isinstance(options.mock, Mapping) else {}
        made = {"processor": {"type": "mock", **more}}
    elif kind == "transform":
        made = {"processor": {"type": "transform", "code": text_of(options.transform)}}
    elif kind == "spec":
        made = _spec_of(options.spec, templates)
    elif kind == "http":
        made = {"processor": _http(options, columns, templates, connected)}
    else:
        made = {"processor": _llm(options, schema, templates, connected or {})}
        if options.cache:
            made["cache"] = {"mode": "read_write"}
    templates.refuse_unknown()
    if schema is not None:
        # Fields of a service's response that nobody names stay in the output: it cannot be asked to leave them out.
        is_open = kind == "http" and isinstance(options.schema, str)
        kept = {name: value for name, value in schema.items() if not (is_open and name == "additionalProperties")}
        made["outputSchema"] = kept
    return made


def text_of(text: Optional[Text]) -> str:
    """A text, or the content of the file that a Path names."""
    if isinstance(text, os.PathLike):
        return Path(text).read_text("utf-8")
    return text or ""


def _llm(
    options: MapOptions, schema: Optional[JsonSchema], templates: Templates, llm: Mapping[str, str]
) -> Dict[str, Any]:
    prompt = templates.complete(text_of(options.prompt))
    content: Any = prompt
    if options.image is not None:
        image = templates.require(options.image)
        content = [{"type": "text", "text": prompt}, {"type": "image", "url": image}]
    messages: List[Dict[str, Any]] = []
    if options.system is not None:
        messages.append({"role": "system", "content": templates.complete(text_of(options.system))})
    messages.append({"role": "user", "content": content})
    parameters = {
        **({} if options.temperature is None else {"temperature": options.temperature}),
        **({} if options.max_output_tokens is None else {"maxOutputTokens": options.max_output_tokens}),
    }
    return {
        "type": "llm",
        "connection": llm["connectionId"],
        "model": llm["model"],
        "messages": messages,
        **({"parameters": parameters} if parameters else {}),
        **({} if schema is None else {"outputSchema": schema}),
    }


def _http(
    options: MapOptions, columns: Sequence[str], templates: Templates, connected: Optional[Mapping[str, str]]
) -> Dict[str, Any]:
    method, url = request_of(options.http or "", options.connection)
    headers = {}
    for name, value in (options.headers or {}).items():
        is_secret = re.fullmatch(r"authorization|proxy-authorization|x-api-key|cookie", name, re.IGNORECASE)
        # The service puts the connection's secret there: the job spec has none.
        if is_secret and (connected is None or not CONNECTION_SECRET.search(value)):
            raise ValueError(
                f"a secret such as {name} must not be in a job spec, which others can read: make a connection of type http, and "
                f"use connection= with headers={{{name!r}: '{{{{connection.secret}}}}'}}"
            )
        headers[name] = templates.complete(value)
    made: Dict[str, Any] = {"type": "http", "method": method, "url": templates.complete(url)}
    if connected is not None:
        made["connection"] = connected["connectionId"]
    if headers:
        made["headers"] = headers
    if options.body is not None:
        made["body"] = templates.complete_all(options.body)
    elif method not in ("GET", "DELETE"):
        made["body"] = {column: f"{{{{row{member_of(column)}}}}}" for column in columns}
    return made


def request_of(text: str, connection: Optional[str] = None) -> "tuple[str, str]":
    """With a connection, the URL is a path below its address."""
    first, *rest = text.split() or [""]
    is_method = first.upper() in METHODS
    method, url = (first.upper(), " ".join(rest)) if is_method else ("GET", text.strip())
    if connection is not None and not url.startswith("/"):
        raise ValueError(
            f"{text!r} does not name a path below the address of the connection {connection!r}: write http='POST /path', or leave "
            "out connection"
        )
    if connection is None and not re.match(r"https?://", url, re.IGNORECASE):
        raise ValueError(
            f"{text!r} is not a request: write http='POST https://example.com/path', or 'POST /path' with connection="
        )
    return method, url


def _spec_of(given: Any, templates: Templates) -> Dict[str, Any]:
    value = json.loads(text_of(given)) if isinstance(given, (str, os.PathLike)) else given
    if not isinstance(value, Mapping) or "processor" not in value:
        raise TypeError("spec is the body of a job spec: {'processor': {...}}")
    definition = {name: member for name, member in value.items() if name not in ("name", "description", "metadata")}
    # Only templates are completed: code may have braces of its own.
    if definition["processor"].get("type") not in ("transform", "mock"):
        definition["processor"] = templates.complete_all(definition["processor"])
    return definition
