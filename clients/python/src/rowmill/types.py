"""The objects of the API, as they are sent and received: dictionaries with the names of the API reference."""

from ._generated.types import *  # noqa: F401,F403
