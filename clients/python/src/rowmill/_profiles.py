"""
Where the service is and which key to use. `$XDG_CONFIG_HOME/rowmill/config.toml` has profiles, `./.rowmill.toml` may name one of
them. Arguments win over the environment, the environment over the directory, and the directory over the default of the user.

    profile = "work"

    [profiles.work]
    url = "https://rowmill.example.com"
    apiKey = "rmk_..."

Both files are a subset of TOML, which Python reads only from 3.11 on, so the subset is read here.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Dict, Mapping, NamedTuple, Optional

_TABLE = re.compile(r'\[\s*([\w-]+)\.(?:([\w-]+)|("(?:[^"\\]|\\.)*"))\s*\](?:\s*#.*)?')
_PAIR = re.compile(r"""([\w-]+)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')(?:\s*#.*)?""")


class Credentials(NamedTuple):
    url: str
    api_key: str


def find_credentials(
    url: Optional[str] = None,
    api_key: Optional[str] = None,
    profile: Optional[str] = None,
    environment: Optional[Mapping[str, str]] = None,
    directory: Optional[Path] = None,
) -> Credentials:
    """Raises a ValueError that names everything that is missing."""
    env = os.environ if environment is None else environment
    if profile is None:
        # The environment may be of another service than the profile that the caller names.
        url = url or env.get("ROWMILL_URL") or None
        api_key = api_key or env.get("ROWMILL_API_KEY") or None
    if profile is None and url is not None and api_key is not None and not env.get("ROWMILL_PROFILE"):
        return Credentials(url, api_key)
    named = profile or env.get("ROWMILL_PROFILE") or _directory_profile(directory or Path.cwd())
    file = config_file(env)
    tables = _parse(file)
    name = named or tables.get("", {}).get("profile")
    found = None if name is None else tables.get(f"profiles.{name}")
    if named is not None and found is None:
        known = [table[len("profiles.") :] for table in tables if table.startswith("profiles.")]
        has = f"; it has {', '.join(known)}" if known else ""
        raise ValueError(f'{file} has no profile "{named}"{has}.')
    # The key of a profile is for the service of the profile alone: another address must not receive it.
    if found is not None and (url is None or url.rstrip("/") == found.get("url", "").rstrip("/")):
        api_key = api_key or found.get("apiKey")
    if found is not None:
        url = url or found.get("url")
    url = url or env.get("ROWMILL_URL") or None
    api_key = api_key or env.get("ROWMILL_API_KEY") or None
    missing = [name for name, value in (("api_key", api_key), ("url", url)) if not value]
    if not url or not api_key:
        raise ValueError(
            f"The Rowmill client needs {' and '.join(missing)}: pass {'it' if len(missing) == 1 else 'them'}; "
            "or set ROWMILL_API_KEY and ROWMILL_URL, or name a profile of config.toml in ROWMILL_PROFILE "
            "(`rowmill login` and `rowmill dev` write one)."
        )
    return Credentials(url, api_key)


def config_file(environment: Mapping[str, str]) -> Path:
    home = environment.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "rowmill" / "config.toml"


def _directory_profile(directory: Path) -> Optional[str]:
    """`.rowmill.toml` is often committed, so it may name a profile and nothing else."""
    file = directory / ".rowmill.toml"
    tables = _parse(file)
    if any(table != "" or name != "profile" for table, values in tables.items() for name in values):
        raise ValueError(
            f'{file} may contain `profile = "name"` and nothing else: keys and addresses belong in the file of the user.'
        )
    return tables.get("", {}).get("profile")


def _parse(file: Path) -> Dict[str, Dict[str, str]]:
    """Tables by their names; the pairs before the first table are under the empty name. No file is no tables."""
    try:
        text = file.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        text = ""
    values: Dict[str, str] = {}
    tables = {"": values}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line == "" or line.startswith("#"):
            continue
        table = _TABLE.fullmatch(line)
        if table is not None:
            values = tables.setdefault(f"{table[1]}.{table[2] or _text(table[3])}", {})
            continue
        pair = _PAIR.fullmatch(line)
        value = None if pair is None else pair[3] if pair[3] is not None else _text(pair[2])
        # The line may contain a key, so it is not quoted.
        if pair is None or value is None:
            raise ValueError(f'{file}, line {number}, is not `name = "text"` and not a table such as [profiles.work].')
        values[pair[1]] = value
    return tables


def _text(quoted: Optional[str]) -> Optional[str]:
    """The escapes of basic strings of TOML that are also those of JSON."""
    try:
        return str(json.loads(quoted or ""))
    except ValueError:
        return None
