"""A real browser, for everybody who is registered or signs in."""

from __future__ import annotations

import pytest

from support.window import Window


@pytest.fixture
def open_window(chromium, provider, callback_receiver):
    """Makes windows; closes them, and looks at what they complained about."""
    windows: list[Window] = []

    def make(**options) -> Window:
        windows.append(Window(chromium, {provider.base, callback_receiver.base}, **options))
        return windows[-1]

    yield make
    for window in windows:
        window.close()


@pytest.fixture
def window(open_window) -> Window:
    return open_window()
