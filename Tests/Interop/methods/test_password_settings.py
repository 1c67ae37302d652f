"""What an operator decides about passwords and links in the configuration file, seen from outside."""

from __future__ import annotations

import pytest

from support.methods import RATE_LIMIT, check_problem, new_email, new_password, refused
from support.project import Project
from support.visitor import Visitor

LOCK_SECONDS = 900
DEFAULT_PAGE = "https://www.example.test/in"


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """A server whose file says everything that can be said about passwords and links."""
    project = Project(
        tmp_path_factory.mktemp("strict"),
        password_policy={"min_length": 8, "reuse_amount": 1, "lock_attempts": 3, "lock_seconds": LOCK_SECONDS},
        approved_domains=["app.example.test", ".wide.example.test", "com.example.app:"],
        link_redirect_url=DEFAULT_PAGE,
    )
    yield project
    project.close()


def guess(project, login: str, password: str, network: str):
    return project.wire.post(
        "/v1/auth/password/signin", {"loginId": login, "password": password}, network=network
    )


def test_attack_80_lock(strict):
    """After three wrong ones the right one is refused too, on the wire and on the page; a known device is let in."""
    answer, password = strict.sign_up_with_password()
    login = answer["user"]["loginIds"][0]
    assert guess(strict, login, password, "10.80.1.1").status_code == 200
    for _ in range(3):
        assert guess(strict, login, "wrong-horse-battery", "10.80.1.2").status_code in (400, 401)
    locked = guess(strict, login, password, "10.80.1.2")
    assert locked.status_code == 429
    check_problem(locked.json(), RATE_LIMIT)
    assert LOCK_SECONDS / 2 < int(locked.headers["Retry-After"]) <= LOCK_SECONDS
    assert guess(strict, login, password, "10.80.1.3").status_code == 429, "strangers elsewhere share the lock"
    visitor = Visitor(strict.base, strict.server.issuer)
    visitor.session.headers["X-Forwarded-For"] = "10.80.1.4"
    page = visitor.submit(visitor.open("/settings"), {"username": login, "password": password})
    assert page.name == "login" and page.response.status_code == 429 and page.alert
    owner = Visitor(strict.base, strict.server.issuer)
    owner.session.headers["X-Forwarded-For"] = "10.80.1.1"
    page = owner.submit(owner.open("/settings"), {"username": login, "password": password})
    assert page.name == "settings", "a stranger locked the owner out"


def test_earlier_passwords(strict):
    """The present password and one before are not taken again."""
    answer, first = strict.sign_up_with_password()
    login, second = answer["user"]["loginIds"][0], new_password()
    refused(lambda: strict.client.password.replace(login, first, first))
    strict.client.password.replace(login, first, second)
    refused(lambda: strict.client.password.replace(login, second, first))
    strict.client.password.replace(login, second, new_password())


def test_management_tells(strict):
    """The interface for operators says what is enforced."""
    settings = strict.wire.send(
        "GET", "/v1/mgmt/password/settings", bearer=f"{strict.id}:{strict.management_key}"
    ).json()
    assert settings["lock"] is True and settings["lockAttempts"] == 3
    assert settings["reuse"] is True and settings["reuseAmount"] == 1
    assert settings["expiration"] is False


@pytest.mark.parametrize(
    ("page", "is_taken"),
    [
        (None, True),
        ("https://app.example.test/in", True),
        ("https://a.b.wide.example.test/", True),
        ("com.example.app:/in", True),
        ("https://wide.example.test.evil.test/", False),
        ("https://evil.test/?app.example.test", False),
        ("http://evil-app.example.test/", False),
        ("com.example.other:/in", False),
    ],
)
def test_where_links_lead(strict, page, is_taken):
    """To the default, to approved domains, and nowhere else."""
    email = new_email()
    body = {"loginId": email} | ({"redirectUrl": page, "URI": page} if page else {})
    answer = strict.wire.post("/v1/auth/magiclink/signup-in/email", body, network="10.90.0.1")
    assert answer.status_code == (200 if is_taken else 400), answer.text
    links = [link for message in strict.outbox() if message["to"] == email for link in message["links"]]
    assert len(links) == (1 if is_taken else 0)
    if is_taken:
        assert links[0].startswith(page or DEFAULT_PAGE)
