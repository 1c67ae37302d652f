"""A person with a browser that runs no scripts: cookies, pages, forms, redirects."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter

from support.configuration import MARIA, Person
from support.pages import Page, is_html, origin_of
from support.secrets_seen import remember

REDIRECTS_MAX = 10
TIMEOUT_SECONDS = 30


class SourceAddress(HTTPAdapter):
    """Sends from one of the loopback network's other addresses: a neighbour, for a server that counts by address."""

    def __init__(self, address: str):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


@dataclass
class Callback:
    """An answer that reached the app: where, how, and what it says."""

    uri: str
    # query, fragment or form_post
    mode: str
    # In order, as sent.
    pairs: list[tuple[str, str]]
    # Parameters that arrived in another part of the address than the mode says.
    misplaced: list[tuple[str, str]]

    @property
    def parameters(self) -> dict[str, str]:
        return dict(self.pairs)

    def __getitem__(self, name: str) -> str:
        return self.parameters[name]

    def get(self, name: str) -> str | None:
        return self.parameters.get(name)

    @property
    def url(self) -> str:
        """The address as a client library wants it."""
        return f"{self.uri}?{urlencode(self.pairs)}"

    @classmethod
    def from_location(cls, location: str) -> Callback:
        parts = urlsplit(location)
        query = parse_qsl(parts.query, keep_blank_values=True)
        fragment = parse_qsl(parts.fragment, keep_blank_values=True)
        uri = location.split("#")[0].split("?")[0]
        if fragment and not any(name in ("code", "error") for name, _ in query):
            return cls(uri, "fragment", fragment, query)
        return cls(uri, "query", query, fragment)

    @classmethod
    def from_page(cls, page: Page) -> Callback:
        form = page.form
        assert form.method == "post", f"an answer by form is posted, not {form.method}: {page}"
        parts = urlsplit(form.action)
        misplaced = parse_qsl(parts.query) + parse_qsl(parts.fragment)
        return cls(form.action.split("?")[0].split("#")[0], "form_post", list(form.values.items()), misplaced)


class Visitor:
    """Somebody's browser. Each one has its own cookies."""

    def __init__(self, base: str, issuer: str | None = None, source_address: str | None = None):
        self.base = base
        self.issuer = issuer or base
        self.session = requests.Session()
        self.session.trust_env = False
        if source_address:
            self.session.mount("http://", SourceAddress(source_address))
        # Everything that was answered, oldest first.
        self.responses: list[requests.Response] = []

    def request(self, method: str, url: str, **options) -> requests.Response:
        """One request, no redirect followed."""
        options.setdefault("allow_redirects", False)
        options.setdefault("timeout", TIMEOUT_SECONDS)
        if url.startswith(f"{self.issuer}/"):
            url = self.base + url.removeprefix(self.issuer)
        response = self.session.request(method, urljoin(self.base, url), **options)
        self.responses.append(response)
        if self.issuer.startswith("https://"):
            # What stands before a server takes TLS off; to a browser the address is https all the same.
            for cookie in self.session.cookies:
                cookie.secure = False
        for cookie in self.session.cookies:
            remember("cookie", cookie.value)
            if self.issuer.startswith("https://"):
                cookie.secure = False
        return response

    def get(self, url: str, **options) -> requests.Response:
        return self.request("GET", url, **options)

    def post(self, url: str, **options) -> requests.Response:
        return self.request("POST", url, **options)

    def follow(self, response: requests.Response) -> Page | Callback:
        """Goes where the answers lead, until there is a page to read or the app is reached."""
        for _ in range(REDIRECTS_MAX):
            location = response.headers.get("Location")
            if location is None:
                return self._arrive(response)
            assert response.status_code in (302, 303), f"a redirect with status {response.status_code}"
            target = urljoin(response.url, location)
            if origin_of(target) not in (origin_of(self.base), origin_of(self.issuer)):
                callback = Callback.from_location(target)
                remember("code", callback.get("code"))
                return callback
            response = self.get(target)
        raise AssertionError(f"more than {REDIRECTS_MAX} redirects, the last to {response.url}")

    def _arrive(self, response: requests.Response) -> Page | Callback:
        assert is_html(response), (
            f"{response.url} answered {response.status_code} {response.headers} {response.text[:300]}"
        )
        page = Page(response)
        if page.forms and origin_of(page.form.action) not in (origin_of(self.base), origin_of(self.issuer)):
            callback = Callback.from_page(page)
            remember("code", callback.get("code"))
            return callback
        return page

    def open(self, url: str, params: dict | None = None) -> Page | Callback:
        return self.follow(self.get(url, params=params))

    def submit(
        self, page: Page, values: dict[str, str] | None = None, button: str | None = None, **options
    ) -> Page | Callback:
        """Presses a button of the page's form and goes where that leads."""
        return self.follow(self.send(page, values, button, **options))

    def press(self, page: Page, value: str) -> Page | Callback:
        """Sends the form that has a button of this value."""
        form = next(form for form in page.forms if any(each == value for _, each in form.buttons))
        return self.follow(self.post(form.action, data=form.filled({}, value)))

    def send(
        self, page: Page, values: dict[str, str] | None = None, button: str | None = None, **options
    ) -> requests.Response:
        """Presses a button; the answer itself."""
        form = page.form
        filled = form.filled(values, button)
        if form.method == "get":
            return self.get(form.action, params=filled, **options)
        return self.post(form.action, data=filled, **options)

    def sign_in(self, page: Page, person: Person = MARIA, password: str | None = None) -> Page | Callback:
        """Fills in the sign-in page; asks for the password on a second page if there is one."""
        assert page.name in ("login", "password"), f"not a sign-in page: {page}"
        remember("password", password or person.password)
        values = {"password": password or person.password}
        if "username" in page.form.inputs:
            values["username"] = person.login
        if "password" not in page.form.inputs:
            page = self.submit(page, {"username": person.login})
            assert isinstance(page, Page) and page.name == "password", f"no place for the password: {page}"
            values.pop("username", None)
        return self.submit(page, values)

    def authorize(
        self, url: str, params: dict, person: Person | None = MARIA, *, consent: str = "allow", post: bool = False
    ) -> Callback:
        """From the app's request to the app's callback, whatever pages lie between."""
        arrival = self.follow(self.post(url, data=params) if post else self.get(url, params=params))
        if isinstance(arrival, Page) and arrival.name == "login":
            assert person is not None, f"nobody should have to sign in: {arrival}"
            arrival = self.sign_in(arrival, person)
        if isinstance(arrival, Page) and arrival.name == "consent":
            arrival = self.submit(arrival, button="deny" if consent == "deny" else None)
        if isinstance(arrival, Page) and arrival.name == "continue":
            # A native app, and a browser that was signed in before.
            arrival = self.submit(arrival)
        assert isinstance(arrival, Callback), f"the app was not reached: {arrival}"
        return arrival

    def cookie(self, suffix: str = "session") -> str | None:
        """The value of the server's own cookie, whichever prefix its name has."""
        for cookie in self.session.cookies:
            if cookie.name in (f"keyturn-{suffix}", f"__Host-keyturn-{suffix}"):
                return cookie.value
        return None
