"""Where a model is: a connection that is named, or that of the provider that the name of the model and the environment name."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, cast
from urllib.parse import urlsplit

from .. import types as t
from .._generated.providers import PROVIDERS, Provider
from ..client import Rowmill
from .options import MapOptions

#: The last characters of a secret that the service shows.
SHOWN_CHARACTERS = 4


class FoundModel(NamedTuple):
    provider: str
    type: str
    base_url: str
    model: str
    api_key: Optional[str]
    #: The variable that the key has to be in, where it is missing.
    missing_key: Optional[str]


def connect_model(client: Rowmill, options: MapOptions) -> Dict[str, str]:
    """The id of the connection, which is made where it is missing, and the name of the model there."""
    model = options.model or ""
    if options.connection is not None:
        if options.base_url is not None:
            raise TypeError("connection and base_url exclude each other: a connection has an address of its own")
        return {"connectionId": connection_named(client, options.connection), "model": model}
    found = find_model(model, options.base_url, os.environ)
    if found is None:
        raise ValueError(
            f'nothing says where the model "{model}" is: use a name such as ollama/NAME or openrouter/NAME, base_url=, or '
            "connection="
        )
    if found.missing_key is not None and _existing(client, found) is None:
        raise ValueError(f"there is no key for {found.provider}: set {found.missing_key}, or use connection=")
    return {"connectionId": _ensure(client, options, found), "model": found.model}


def connection_named(client: Rowmill, name: str) -> str:
    """The id of the connection that a person names by its name or its id."""
    if re.fullmatch(r"conn_[0-9a-z]{26}", name):
        return name
    matches = [connection["id"] for connection in client.connections.list() if connection["name"] == name]
    if len(matches) == 1:
        return matches[0]
    problem = "there is no connection" if not matches else f"there are {len(matches)} connections"
    raise ValueError(f'{problem} "{name}": name one by its id, or make it with `rowmill connect`')


def _existing(client: Rowmill, found: FoundModel) -> Optional[t.Connection]:
    name = f"{found.provider} (rowmill map)"
    for connection in client.connections.list():
        if (connection["name"], connection["baseUrl"], connection["type"]) == (name, found.base_url, found.type):
            return connection
    return None


def _ensure(client: Rowmill, options: MapOptions, found: FoundModel) -> str:
    connection = _existing(client, found)
    prices = _prices(options.price, found)
    if connection is not None:
        changes: Dict[str, Any] = {}
        if found.api_key is not None and options.store_key and not _shows(connection, found.api_key):
            changes["secret"] = found.api_key
        if prices is not None:
            known = (connection["prices"] or {}).get("models") or {}
            if any(known.get(model) != price for model, price in prices.items()):
                changes["prices"] = {"models": {**known, **prices}}
        if changes:
            client.connections.update(connection["id"], cast(t.UpdateConnectionBody, changes))
        return connection["id"]
    if found.api_key is not None and not options.store_key:
        others = [
            f'"{other["name"]}"'
            for other in client.connections.list()
            if (other["baseUrl"], other["type"]) == (found.base_url, found.type)
        ]
        provider = f"openai --base-url {found.base_url}" if found.provider == "custom" else found.provider
        name = "name one with connection=" + ("" if not others else f" (it has {', '.join(others)} at {found.base_url})")
        # On a service that others use, a key of this environment would become a connection that they can use, too.
        raise ValueError(
            f"the service has no connection for {found.provider} that this function has made: {name}, make one with "
            f"`rowmill connect {provider}`, or pass store_key=True to store the key of this environment on the service, as "
            "a connection that its users share"
        )
    body: Dict[str, Any] = {"type": found.type, "name": f"{found.provider} (rowmill map)", "baseUrl": found.base_url}
    if found.api_key is not None:
        body["secret"] = found.api_key
    if prices is not None:
        body["prices"] = {"models": prices}
    return client.connections.create(cast(t.CreateConnectionBody, body))["id"]


def _shows(connection: t.Connection, secret: str) -> bool:
    shown = connection["redactedSecret"]
    return shown is not None and shown.endswith(secret[-SHOWN_CHARACTERS:])


def _prices(price: Optional[str], found: FoundModel) -> Optional[Dict[str, Any]]:
    """`IN/OUT` is US dollars for a million tokens; a model on this machine costs nothing."""
    if price is None:
        free = {"inputUsdPerMillionTokens": "0", "outputUsdPerMillionTokens": "0"}
        return {"*": free} if is_on_this_machine(found.base_url) else None
    match = re.fullmatch(r"\$?(\d+(?:\.\d+)?)/\$?(\d+(?:\.\d+)?)", price)
    if match is None:
        raise ValueError(f"{price!r} is not a price: write '0.25/2.00', US dollars for a million tokens in and out")
    return {found.model: {"inputUsdPerMillionTokens": match[1], "outputUsdPerMillionTokens": match[2]}}


def find_model(named: str, base_url: Optional[str], environment: Mapping[str, str]) -> Optional[FoundModel]:
    """None where nothing says where the model is."""
    prefix, slash, rest = named.partition("/")
    by_prefix = next((one for one in PROVIDERS if slash and one.name == prefix.lower()), None)
    model = named if by_prefix is None else rest
    if base_url is not None:
        # An address of one's own speaks the language of OpenAI unless the name says otherwise; it gets the key of that variable.
        anthropic = next((one for one in PROVIDERS if one.type == "anthropic" and _has(one, model)), None)
        speaks = by_prefix or anthropic
        api_key = _value(environment, speaks.key_variables if speaks else ("OPENAI_API_KEY",))
        return FoundModel("custom", speaks.type if speaks else "openai_compatible", base_url, model, api_key, None)
    by_model = next((one for one in PROVIDERS if _has(one, model)), None)
    openai = PROVIDERS[0]
    # With OPENAI_BASE_URL set, calls go to that address, whatever its models are called.
    usual = openai if _value(environment, openai.base_url_variables) is not None else None
    provider = by_prefix or by_model or usual
    if provider is None:
        return None
    api_key = _value(environment, provider.key_variables)
    address = _address(provider, environment)
    needs_key = bool(provider.key_variables) and not is_on_this_machine(address)
    missing = provider.key_variables[0] if api_key is None and needs_key else None
    return FoundModel(provider.name, provider.type, address, model, api_key, missing)


def _has(provider: Provider, model: str) -> bool:
    return provider.models is not None and re.search(provider.models, model) is not None


def _value(environment: Mapping[str, str], names: Any) -> Optional[str]:
    found: List[str] = [environment[name] for name in names if environment.get(name)]
    return found[0] if found else None


def _address(provider: Provider, environment: Mapping[str, str]) -> str:
    """OLLAMA_HOST is `127.0.0.1:11434`, `http://...` or `0.0.0.0`; the others are whole addresses."""
    given = _value(environment, provider.base_url_variables)
    if given is None:
        return provider.base_url
    if provider.name != "ollama":
        return given.rstrip("/")
    is_url = re.match(r"https?://", given) is not None
    parts = urlsplit(given if is_url else f"http://{given}")
    host = "127.0.0.1" if parts.hostname == "0.0.0.0" else parts.hostname or "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    port = parts.port or (None if is_url else 11434)
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}/v1"


def is_on_this_machine(url: str) -> bool:
    """Whether the model is on this machine: it needs no key and costs nothing."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or re.fullmatch(r"127\.\d+\.\d+\.\d+", host) is not None
