"""The console for operators, in a real browser: every page can be seen, read, and used without a mouse or scripts."""

from __future__ import annotations

import json
import subprocess
import time

import pytest
import requests
from playwright.sync_api import expect

from support.browsing import page_name
from support.console import ConsoleUser
from support.server import Server, binary
from support.tour import DEVICES, Tour
from support.window import Window

PASSWORD = "correct-horse-battery"
HOSTILE = '"><script>window.hacked = 1</script>\'&{{csrf}}'
USERS = 100_000
PARTNER_SECRET = "partner-secret-partner-secret-4711"

PAGES = [
    "/admin", "/admin?range=day", "/admin/users", "/admin/tenants", "/admin/tenants/tenant?id=harbour", "/admin/roles",
    "/admin/connections", "/admin/connections/connection?id=acme", "/admin/clients", "/admin/clients/client?id=partner", "/admin/keys", "/admin/messages",
    "/admin/audit", "/admin/operators", "/admin/configuration",
]


def person(name: str, role: str | None = None, **more) -> dict:
    members = {"email": f"{name}@example.com", "email_verified": True, "password": PASSWORD, "name": name, **more}
    return members | ({"console_role": role} if role else {})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    configuration = {
        "issuer": "auto",
        "project": {"name": "Harbour"},
        "tenants": [{"id": "harbour", "name": "Harbour Tickets"}],
        "roles": [{"name": "clerk", "permissions": ["tickets.read", "tickets.sell"]}],
        "connections": [
            {"id": "acme", "name": "Acme", "issuer": "https://login.acme.example", "client_id": "keyturn",
             "client_secret": "a-secret-of-the-test"}
        ],
        "clients": [{"client_id": "shop", "redirect_uris": ["https://shop.example/back"], "client_name": HOSTILE,
                     "client_secret": "shop-secret-shop-secret-shop-secret"},
                    {"client_id": "partner", "client_secret": PARTNER_SECRET, "grant_types": ["client_credentials"],
                     "scope": "ssf.manage"}],
        "users": [
            person("olga", "owner"), person("vera", "viewer"), person("sam", "support"), person("nobody"),
            person("mallory", given_name=HOSTILE, family_name=HOSTILE),
        ],
    }
    server = Server(tmp_path_factory.mktemp("console"), configuration)
    token = requests.post(f"{server.base}/oauth2/token", timeout=10, auth=("partner", PARTNER_SECRET), data={
        "grant_type": "client_credentials", "scope": "ssf.manage"}).json()["access_token"]
    for delivery in [None, {"method": "urn:ietf:rfc:8935", "endpoint_url": f"{server.base}/nothing-is-here/{'x' * 60}"}]:
        requests.post(f"{server.base}/ssf/stream", timeout=10, headers={"Authorization": f"Bearer {token}"},
                      json={"delivery": delivery}).raise_for_status()
    yield server
    assert server.stop() == 0, server.log_tail()


@pytest.fixture(scope="module")
def olga(server):
    return ConsoleUser(server.base, "olga@example.com", PASSWORD)


@pytest.fixture(scope="module")
def signed_in(server, chromium, olga):
    """The cookies of the owner, after one sign-in that set up a second factor."""
    window = Window(chromium, {server.base})
    olga.open(window.page)
    assert page_name(window.page) == "admin"
    state = window.context.storage_state()
    window.close()
    return state


@pytest.fixture
def open_console(server, chromium, signed_in):
    windows: list[Window] = []

    def make(**options) -> Window:
        windows.append(Window(chromium, {server.base}, storage_state=signed_in, **options))
        return windows[-1]

    yield make
    for window in windows:
        window.close()


def audit(server, action: str) -> list[dict]:
    """Events are written within a second."""
    run = subprocess.run(
        [binary(), "audit", "--action", action, "--json", "--database",
         f"sqlite:{server.folder}/keyturn.db"], capture_output=True,
        text=True, timeout=30, check=True,
    )
    return json.loads(run.stdout)


def heard(server, action: str, **members) -> dict:
    deadline = time.monotonic() + 10
    while True:
        found = [event for event in audit(server, action) if members.items() <= event.items()]
        if found or time.monotonic() > deadline:
            assert found, f"no {action} with {members}: {audit(server, action)}"
            return found[0]
        time.sleep(0.2)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(server, open_console, theme, device):
    """Nothing is cut off at 320 px; contrast, names and structure hold."""
    window = open_console(color_scheme=theme, **DEVICES[device])
    tour, page = Tour(window.page, f"{theme}-{device}"), window.page
    for path in PAGES:
        page.goto(server.base + path)
        page.wait_for_load_state()
        assert page.locator("h1").count() == 1 and page_name(page).startswith("admin"), path
        tour.look("console" + path.split("?")[0].replace("/", "-"))
        assert page.evaluate("window.hacked") is None, path
    assert not tour.problems, "\n".join(tour.problems)


def command(server, *arguments: str) -> None:
    subprocess.run([binary(), *arguments, "--database", f"sqlite:{server.folder}/keyturn.db"], capture_output=True,
                   timeout=30, check=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_was_there_before_and_after(server, open_console, theme, device):
    """An event of a change can be opened; its values are texts, whatever they are."""
    tenant = f"{theme}-{device}"
    command(server, "tenant", "create", tenant, "--name", HOSTILE, "--domain", "tickets.example")
    command(server, "user", "disable", "vera@example.com")
    command(server, "user", "enable", "vera@example.com")
    heard(server, "tenant.created", target=tenant)
    window = open_console(color_scheme=theme, **DEVICES[device])
    tour, page = Tour(window.page, f"{theme}-{device}"), window.page
    for action, texts in [("tenant.created", [HOSTILE, "tickets.example"]), ("user.status", ["active", "disabled"])]:
        page.goto(f"{server.base}/admin/audit?action={action}")
        row = page.locator("tbody tr").first
        row.locator("summary").press("Enter")
        for text in texts:
            expect(row.locator("dl")).to_contain_text(text)
        tour.look(f"console-audit-{action.replace('.', '-')}")
        assert page.evaluate("window.hacked") is None, action
    assert not tour.problems, "\n".join(tour.problems)


def test_it_speaks_german(server, open_console):
    page = open_console(locale="de-DE").page
    page.goto(f"{server.base}/admin/audit")
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("h1").inner_text() == "Protokoll"


def test_without_scripts(server, open_console):
    """A search and a change, by buttons alone."""
    page = open_console(java_script_enabled=False).page
    page.goto(f"{server.base}/admin/audit")
    page.locator("#action").fill("sign_in.succeeded")
    page.locator("form.filters button").click()
    assert page.locator("table.list tbody tr").count() >= 1
    page.goto(f"{server.base}/admin/roles")
    page.locator("#name").fill("cashier")
    page.locator("#permissions").fill("till.open")
    page.locator("button[value=create-role]").click()
    assert page.locator("[role=status]").count() == 1 and "cashier" in page.inner_text("main")
    heard(server, "role.created", target="cashier")


def test_by_keyboard_alone(server, open_console):
    """The first key leads past the menu; what asks for confirmation opens and closes by keys."""
    page = open_console().page
    page.goto(f"{server.base}/admin/operators")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    assert page.locator("details.sure[open] button").first.is_visible()


def test_an_owner_makes_an_operator_and_takes_the_role_away(server, open_console, chromium):
    page = open_console().page
    page.goto(f"{server.base}/admin/operators")
    page.locator("#user").fill("nobody@example.com")
    page.locator("#role").select_option("support")
    page.locator("button[value=grant]").click()
    assert page.locator("[role=status]").is_visible()
    granted = heard(server, "operator.granted", reason="support", address="127.0.0.1")
    assert granted["actor"] != granted["user"], granted
    row = page.locator("tr", has_text="nobody")
    row.locator("summary").click()
    row.locator("button[value=remove]").click()
    heard(server, "operator.removed", user=granted["user"])
    # The last owner stays.
    row = page.locator("tr", has_text="olga")
    row.locator("summary").click()
    row.locator("button[value=remove]").click()
    assert "last owner" in page.locator("[role=alert]").inner_text()


def test_a_viewer_sees_and_changes_nothing(server, chromium):
    window = Window(chromium, {server.base})
    viewer, page = ConsoleUser(server.base, "vera@example.com", PASSWORD), window.page
    viewer.open(page)
    for path in PAGES:
        page.goto(server.base + path)
        assert page_name(page).startswith("admin"), path
        assert page.locator("main form[method=post]").count() == 0, path
    window.close()


def test_users_without_a_role_are_told(server, chromium):
    window = Window(chromium, {server.base})
    someone, page = ConsoleUser(server.base, "nobody@example.com", PASSWORD), window.page
    someone.open(page)
    assert page_name(page) == "error" and "no access" in page.locator("h1").inner_text()
    window.close()


def test_a_form_of_another_site_does_nothing(server, open_console):
    """The browser sends its cookie along; the mark of the form is missing."""
    page = open_console().page
    page.goto(f"{server.base}/admin/operators")
    status = page.evaluate(
        """async () => (await fetch("/admin/operators", {method: "POST", redirect: "manual",
            body: new URLSearchParams({user: "vera@example.com", role: "owner", action: "grant"})})).status"""
    )
    assert status == 403


def test_a_search_among_100_000_users(server, open_console, tmp_path):
    """It is made while words are typed, and the address keeps it."""
    people = tmp_path / "users.jsonl"
    with people.open("w") as file:
        for number in range(USERS):
            file.write(json.dumps({"login_ids": [f"user{number}@many.example"], "name": f"Person {number}"}) + "\n")
    subprocess.run(
        [binary(), "user", "import", people, "--database", f"sqlite:{server.folder}/keyturn.db"], capture_output=True,
        timeout=300, check=True,
    )
    page = open_console().page
    page.goto(f"{server.base}/admin/users")
    page.locator("main form.filters input[name=text]").press_sequentially("user73421@many", delay=20)
    rows = page.locator("main table.list tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Person 73421")
    assert "text=user73421" in page.url
    page.locator("main table.list tbody a").first.click()
    assert page.locator("h1").inner_text() == "Person 73421" and page_name(page).startswith("admin")
