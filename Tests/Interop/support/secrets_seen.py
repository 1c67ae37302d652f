"""Every secret that the suites saw, to be searched for in places where none may be."""

from __future__ import annotations

LENGTH_MIN = 12

_seen: dict[str, str] = {}


def remember(kind: str, value: str | None) -> None:
    """Notes a secret. Short values are left out: they would be found by chance."""
    if value and len(value) >= LENGTH_MIN:
        _seen.setdefault(value, kind)


def seen() -> dict[str, str]:
    """Value to kind."""
    return dict(_seen)
