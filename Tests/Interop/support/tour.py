"""Looks at pages as people do who see badly, read on a phone, or in the dark: they fit, and they can be read.

`KEYTURN_SCREENSHOTS=folder` keeps a picture of each.
"""

from __future__ import annotations

import os
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

DEVICES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}
NARROW = {"width": 320, "height": 640}
# WCAG 2.2 A and AA: what a machine can tell.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


class Tour:
    """Walks through the pages, looks at each, takes a picture of each."""

    def __init__(self, page: Page, name: str):
        self.page, self.name = page, name
        folder = os.environ.get("KEYTURN_SCREENSHOTS")
        self.folder = Path(folder) if folder else None
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
        self.problems: list[str] = []

    def look(self, title: str) -> None:
        page = self.page
        if self.folder:
            page.screenshot(path=self.folder / f"{title}-{self.name}.png", full_page=True)
        size = page.viewport_size
        for width in {size["width"], NARROW["width"]}:
            page.set_viewport_size({"width": width, "height": size["height"]})
            overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if overflow > 0:
                self.problems.append(f"{title}: {overflow} px too wide at {width} px")
        page.set_viewport_size(size)
        for violation in Axe().run(page, options=RULES).response["violations"]:
            targets = [node["target"] for node in violation["nodes"]]
            self.problems.append(f"{title}: {violation['id']}: {violation['help']}: {targets}")
