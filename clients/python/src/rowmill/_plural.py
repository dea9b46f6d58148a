"""Counts as people read them."""


def plural(value: int, one: str) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{value:,} {one if value == 1 else one + 's'}"
