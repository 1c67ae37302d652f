"""An operator at the console, in a real browser."""

from __future__ import annotations

import time

import pyotp
from playwright.sync_api import Page

from support.browsing import page_name

STEP_SECONDS = 30


class ConsoleUser:
    """Signs in, and keeps the secret of the authenticator app that the first sign-in sets up."""

    def __init__(self, base: str, login: str, password: str):
        self.base, self.login, self.password = base, login, password
        self.secret: str | None = None
        self.last_step = 0

    def open(self, page: Page, path: str = "/admin") -> None:
        """Goes to a page of the console, through the sign-in if it asks for one."""
        page.goto(self.base + path)
        self._answer_until(page, lambda: (page_name(page) or "").startswith("admin") or page_name(page) == "error")

    def open_address(self, page: Page, address: str) -> None:
        """Signs in at an address of the server that leads elsewhere in the end."""
        page.goto(address)
        self._answer_until(page, lambda: not page.url.startswith(self.base))

    def _answer_until(self, page: Page, is_there) -> None:
        page.wait_for_load_state()
        for _ in range(6):
            if is_there():
                return
            self._answer(page, page_name(page) or "")
            page.wait_for_load_state()
        raise AssertionError(f"still {page_name(page)} at {page.url.split('?')[0]}")

    def _answer(self, page: Page, name: str) -> None:
        main = page.locator("main")
        if name == "login":
            username = main.locator("input[name=username]")
            if username.count() and username.is_visible():
                username.fill(self.login)
            main.locator("input[name=password]").fill(self.password)
        elif name == "totp-setup":
            self.secret = main.locator(".key").first.text_content().strip()
            main.locator("input:visible").first.fill(self._code())
        elif name.startswith("code"):
            main.locator("input:visible").first.fill(self._code())
        main.locator(".primary").first.click()

    def _code(self) -> str:
        """A code is good once: the next one is waited for."""
        while int(time.time()) // STEP_SECONDS <= self.last_step:
            time.sleep(0.2)
        self.last_step = int(time.time()) // STEP_SECONDS
        return pyotp.TOTP(self.secret.replace(" ", "")).now()
