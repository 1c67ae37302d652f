"""A real browser: Debian's Chromium, without a window. Whatever it complains about fails the test."""

from __future__ import annotations

import re
import shutil

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from support.pages import origin_of

POLICY_VIOLATION = re.compile(r"content security policy|refused to|mixed content", re.IGNORECASE)
TIMEOUT_MILLISECONDS = 8_000
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]


def launch_chromium(playwright: Playwright) -> Browser:
    path = shutil.which("chromium") or "/usr/bin/chromium"
    return playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)


class Window:
    """One person's browser, watched: what it loads, and what it complains about."""

    def __init__(self, browser: Browser, allowed: set[str], **options):
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", **options}
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(TIMEOUT_MILLISECONDS)
        self.allowed = allowed
        self.complaints: list[str] = []
        self.context.on("page", self._watch)
        self.page = self.context.new_page()

    def _watch(self, page: Page) -> None:
        page.on("console", lambda message: self._hear(message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"a script failed: {error}"))
        page.on("request", lambda request: self._see(request.url))
        page.on("response", lambda response: self._judge(response.url, response.status))

    def _hear(self, text: str) -> None:
        if POLICY_VIOLATION.search(text):
            self.complaints.append(text)

    def _see(self, url: str) -> None:
        if not url.startswith(("data:", "blob:", "about:")) and origin_of(url) not in self.allowed:
            self.complaints.append(f"a request to elsewhere: {url}")

    def _judge(self, url: str, status: int) -> None:
        # A file that a page loads is there; nothing ever fails inside.
        if status >= 500 or (status == 404 and re.search(r"\.(css|js|svg|ico|png|woff2)$", url)):
            self.complaints.append(f"status {status}: {url}")

    def close(self) -> None:
        self.context.close()
        assert not self.complaints, self.complaints
