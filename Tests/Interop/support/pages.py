"""Reads the server's pages as a machine may: `body[data-page]`, plain forms, `role="alert"`."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import requests
from bs4 import BeautifulSoup, Tag


def origin_of(url: str) -> str:
    """`scheme://host:port`, or the scheme alone for addresses of apps."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@dataclass
class Form:
    """A form as a browser would send it."""

    action: str
    method: str
    # What is sent unless changed: hidden fields and values that are filled in.
    values: dict[str, str] = field(default_factory=dict)
    # The other fields, by name, with their autocomplete tokens.
    inputs: dict[str, Tag] = field(default_factory=dict)
    # (name, value) of each submit button, in order.
    buttons: list[tuple[str | None, str]] = field(default_factory=list)

    @classmethod
    def read(cls, tag: Tag, page_url: str) -> Form:
        form = cls(urljoin(page_url, tag.get("action") or page_url), (tag.get("method") or "get").lower())
        for control in tag.find_all(["input", "button", "select", "textarea"]):
            kind = (control.get("type") or ("submit" if control.name == "button" else "text")).lower()
            name, value = control.get("name"), control.get("value") or ""
            if kind == "submit":
                form.buttons.append((name, value))
            elif name and kind in ("checkbox", "radio"):
                form.inputs[name] = control
                if control.has_attr("checked"):
                    form.values[name] = value or "on"
            elif name and kind != "button":
                form.values[name] = value
                if kind != "hidden":
                    form.inputs[name] = control
        return form

    def filled(self, changes: dict[str, str] | None = None, button: str | None = None) -> dict[str, str]:
        """What is sent when `button` is pressed; the primary one unless a value is given."""
        values = {**self.values, **(changes or {})}
        chosen = next((b for b in self.buttons if (b[1] == button if button else not is_refusal(b))), None)
        if button and chosen is None:
            raise AssertionError(f"the form has no button {button!r}: {self.buttons}")
        if chosen and chosen[0]:
            values[chosen[0]] = chosen[1]
        return values


def is_refusal(button: tuple[str | None, str]) -> bool:
    """Whether a button is the one that says no."""
    return button == ("action", "deny")


class Page:
    """An HTML page of the server."""

    def __init__(self, response: requests.Response):
        self.response = response
        self.status = response.status_code
        self.url = response.url
        self.soup = BeautifulSoup(response.text, "html.parser")
        body = self.soup.body
        self.name = body.get("data-page") if body else None
        self.forms = [Form.read(tag, response.url) for tag in self.soup.find_all("form")]

    @property
    def form(self) -> Form:
        """The form with the page's one primary button."""
        if not self.forms:
            raise AssertionError(f"no form on {self}")
        return next((form for form in self.forms if form.method == "post"), self.forms[0])

    @property
    def alert(self) -> str | None:
        """What went wrong, as the reader sees it."""
        tag = self.soup.find(attrs={"role": "alert"})
        return tag.get_text(" ", strip=True) if tag else None

    @property
    def heading(self) -> str:
        headings = self.soup.find_all("h1")
        assert len(headings) == 1, f"{len(headings)} h1 elements on {self}"
        return headings[0].get_text(" ", strip=True)

    @property
    def language(self) -> str | None:
        return self.soup.html.get("lang") if self.soup.html else None

    @property
    def resources(self) -> list[str]:
        """The address of everything that the page loads or links to."""
        found = [urljoin(self.url, tag["src"]) for tag in self.soup.find_all(src=True)]
        return found + [urljoin(self.url, tag["href"]) for tag in self.soup.find_all("link", href=True)]

    def __repr__(self) -> str:
        return f"<page {self.name!r}, status {self.status}, {self.url.split('?')[0]}, alert {self.alert!r}>"


def is_html(response: requests.Response) -> bool:
    return response.headers.get("Content-Type", "").lower().startswith("text/html")
