"""Accounts that are opened on the hosted pages, and links that land there, as a browser without scripts sees them."""

from __future__ import annotations

import pytest

from support.methods import new_email, new_phone
from support.project import Project
from support.visitor import Visitor


def begin(project, network: str) -> tuple[Visitor, object]:
    """The sign-up page, from a network of one's own."""
    visitor = Visitor(project.base, project.server.issuer)
    visitor.session.headers["X-Forwarded-For"] = network
    page = visitor.open("/settings")
    assert page.name == "login"
    (link,) = [tag["href"] for tag in page.soup.find_all("a", href=True) if tag["href"].startswith("/signup")]
    page = visitor.open(link)
    assert page.name == "signup"
    return visitor, page


@pytest.mark.parametrize("kind", ["mail", "text"])
def test_sign_up_by_a_code_alone(project, kind):
    """No password is asked for, and the account is there once the code was typed."""
    address = new_email() if kind == "mail" else new_phone()
    visitor, page = begin(project, "10.70.0.1")
    page = visitor.submit(page, {"name": "Nora New", "identifier": address, "password": ""}, button="code")
    assert page.name == "code"
    box = project.mail if kind == "mail" else project.texts
    page = visitor.submit(page, {"code": box.take(address).code})
    assert page.name == "settings", page
    user = project.mgmt.user.load(address)["user"]
    assert user["name"] == "Nora New" and user["password"] is False
    assert user["verifiedEmail" if kind == "mail" else "verifiedPhone"] is True


def test_sign_up_by_a_link_elsewhere(project):
    """The link is opened on another device; the window that waited goes on, and nobody else."""
    address = new_email()
    visitor, page = begin(project, "10.70.0.2")
    waiting = visitor.submit(page, {"name": "Lina Link", "identifier": address, "password": ""}, button="link")
    assert waiting.name == "link-sent"
    number = waiting.soup.select_one(".number strong").get_text()
    link = project.mail.take(address).numbered()[number]
    phone = Visitor(project.base, project.server.issuer)
    landing = phone.open(link)
    assert landing.name == "link" and landing.soup.select_one(".number strong").get_text() == number
    assert phone.submit(landing).name == "done" and phone.cookie() is None
    assert visitor.open(waiting.url).name == "settings"
    again = phone.open(link)
    assert again.name == "link" and "already used" in again.heading and again.alert and not again.forms


CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"


@pytest.mark.parametrize("way", ["code", "link", "link elsewhere"])
def test_one_button_sends_a_code_and_a_link(project, way):
    """Either signs in, and is the end of the other; the link says which browser asked for it."""
    email = project.sign_up()["user"]["email"]
    visitor = Visitor(project.base, project.server.issuer)
    visitor.session.headers.update({"User-Agent": CHROME, "X-Forwarded-For": "10.70.0.3"})
    login = visitor.open("/settings")
    sending = [tag for tag in login.soup.select("button[name=action]") if tag["value"] not in ("deny", "passkey")]
    assert [tag["value"] for tag in sending] == ["code"]
    page = visitor.submit(login, {"username": email}, button="code")
    message = project.mail.take(email)
    assert page.name == "code" and "a code and a link" in page.soup.get_text()
    if way == "code":
        end = visitor.submit(page, {"code": message.code})
        late = Visitor(project.base, project.server.issuer).open(message.link)
        assert late.name == "link" and "already used" in late.heading and not late.forms
    else:
        reader = visitor if way == "link" else Visitor(project.base, project.server.issuer)
        landing = reader.open(message.link)
        begun = [tag.get_text() for tag in landing.soup.select("dl.facts dd")][1]
        assert begun == ("This browser" if way == "link" else "Chrome on Linux")
        end = reader.submit(landing)
        assert visitor.submit(page, {"code": message.code}).status == 422
        assert way == "link" or visitor.cookie() is None
    assert end.name == "settings", end


def test_attack_91_another_address_by_a_link_of_our_page(project):
    """It says what it does. Opened elsewhere it is refused, signs nobody in, and changes nothing."""
    answer, new = project.sign_up(), new_email()
    old = answer["user"]["email"]
    project.client.magiclink.update_user_email(
        old, new, answer["refreshSessionToken"]["jwt"], add_to_login_ids=True, on_merge_use_existing=False
    )
    visitor = Visitor(project.base, project.server.issuer)
    page = visitor.open(project.mail.take(new).link)
    assert page.name == "link" and "address" in page.heading and new in page.soup.get_text()
    assert old not in page.soup.get_text()
    refused = visitor.submit(page)
    assert refused.name == "link" and "did not work" in refused.heading and visitor.cookie() is None
    user = project.mgmt.user.load(old)["user"]
    assert user["userId"] == answer["userId"] and user["loginIds"] == [old]


def test_nothing_is_offered_that_cannot_be_delivered(tmp_path):
    """No mail server, no gateway, no outbox: a password is all there is."""
    project = Project(tmp_path, outbox=False)
    try:
        page = Visitor(project.base, project.server.issuer).open("/settings")
        assert page.name == "login"
        assert {value for _, value in page.form.buttons} <= {None, "", "deny"}
        assert not [tag for tag in page.soup.find_all("a", href=True) if "transaction=" in tag["href"]]
    finally:
        project.close()
