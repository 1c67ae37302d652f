"""People of a directory sign in on our page, in a real browser."""

from __future__ import annotations

import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from ldap.conftest import PASSWORD, entries
from support.configuration import MARIA
from support.directory import SUFFIX, Directory, person
from support.project import MANAGEMENT_KEY, PROJECT_ID

WRONG = "The name or password is incorrect"
SILENT = "Acme directory doesn’t answer right now"
MISCONFIGURED = "Signing in with Acme directory is not set up correctly"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


def begin(site, page, **more) -> None:
    parameters = {
        "client_id": "first-app", "redirect_uri": site.callback, "response_type": "code",
        "scope": "openid email profile", "state": "the-state",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    } | more
    page.goto(f"{site.base}/oauth2/authorize?{urlencode(parameters)}")


def type_in(page, name: str, password: str) -> None:
    page.locator("input[name=username]").fill(name)
    page.locator("input[name=password]").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def arrived(site, page) -> dict:
    page.wait_for_url(f"{site.callback}*")
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def said(page) -> str:
    page.wait_for_selector("body[data-page=login]")
    return page.locator("main").inner_text()


def tokens(site, page) -> dict:
    answer = requests.post(
        f"{site.base}/oauth2/token", auth=("first-app", "a-secret-of-the-first-app-0123456"), timeout=5,
        data={"grant_type": "authorization_code", "code": arrived(site, page)["code"], "code_verifier": VERIFIER,
              "redirect_uri": site.callback})
    assert answer.status_code == 200, answer.text
    return answer.json()


def userinfo(site, page) -> dict:
    bearer = {"Authorization": f"Bearer {tokens(site, page)['access_token']}"}
    return requests.get(f"{site.base}/oauth2/userinfo", headers=bearer, timeout=5).json()


def tell_nothing_of_503(window) -> None:
    """A page that says that the directory is silent has status 503: the browser says so too."""
    window.complaints = [line for line in window.complaints if not line.startswith("status 503")]


def test_a_person_signs_in_under_name_and_address_and_is_one_user(site, open_window):
    page = open_window(site).page
    begin(site, page)
    type_in(page, "jane", PASSWORD)
    first = userinfo(site, page)
    assert (first["email"], first["email_verified"], first["name"]) == ("jane@acme.example", True, "Jane Doe")
    other = open_window(site).page
    begin(site, other)
    type_in(other, "jane@acme.example", PASSWORD)
    assert userinfo(site, other)["sub"] == first["sub"]


def test_wrong_and_unknown_are_told_alike(site, open_window):
    """L-1, L-2, L-3, L-4: nothing that is typed is more than a name and a password."""
    page = open_window(site).page
    begin(site, page)
    for name, password in [
        ("jane", "wrong"), ("nobody", PASSWORD), ("*", PASSWORD), ("jane)(uid=*", PASSWORD), ("ja*", PASSWORD),
        (f"uid=jane,ou=people,{SUFFIX}", PASSWORD), ("twins@acme.example", PASSWORD), ("jane\\", PASSWORD),
    ]:
        type_in(page, name, password)
        assert WRONG in said(page), name
    binds = re.findall(r'BIND dn="(uid=[^"]+)" method=128', site.directory.log_text())
    assert binds == [f"uid=jane,ou=people,{SUFFIX}"], "the only entry that one of them names"


def test_an_empty_password_is_not_sent(site):
    """L-1, by the methods' wire: the page's form has a required field."""
    before = site.directory.log_text()
    answer = requests.post(
        f"{site.base}/v1/auth/password/signin", json={"loginId": "jane", "password": ""}, timeout=5,
        headers={"Authorization": f"Bearer {PROJECT_ID}"})
    assert answer.status_code == 400, answer.text
    assert site.directory.log_text() == before


def test_local_people_stay_local(site, open_window):
    page = open_window(site).page
    begin(site, page)
    type_in(page, MARIA.login, MARIA.password)
    assert arrived(site, page)["code"]
    assert site.directory.log_text().count("SRCH") == 0


def test_a_group_gives_a_role_and_takes_it_away(site, open_window):
    """L-11: memberOf of slapd's overlay."""
    site.directory.add_to_staff("jane")
    page = open_window(site).page
    begin(site, page)
    type_in(page, "jane", PASSWORD)
    assert arrived(site, page)["code"]
    assert roles(site) == ["reader"]
    site.directory.remove_staff()
    begin(site, page, prompt="login")
    type_in(page, "jane", PASSWORD)
    assert arrived(site, page)["code"]
    assert roles(site) == []


def roles(site) -> list[str]:
    answer = requests.get(
        f"{site.base}/v1/mgmt/user", params={"loginId": "jane@acme.example"}, timeout=5,
        headers={"Authorization": f"Bearer {PROJECT_ID}:{MANAGEMENT_KEY}"})
    assert answer.status_code == 200, answer.text
    return answer.json()["user"]["roleNames"]


def test_a_silent_directory_is_said_and_ends_nothing(site, open_window):
    """L-6: and other people's passwords are looked at."""
    window = open_window(site)
    page = window.page
    begin(site, page)
    type_in(page, "jane", PASSWORD)
    assert arrived(site, page)["code"]
    site.directory.stop()
    # The session needs no directory.
    begin(site, page)
    assert arrived(site, page)["code"]
    second = open_window(site)
    begin(site, second.page)
    for name in ("jane", "nobody"):
        began = time.monotonic()
        type_in(second.page, name, PASSWORD)
        assert SILENT in said(second.page)
        assert time.monotonic() - began < 5
    type_in(second.page, MARIA.login, MARIA.password)
    assert arrived(site, second.page)["code"]
    site.directory.start()
    deadline = time.monotonic() + 20
    third = open_window(site)
    while True:
        begin(site, third.page)
        type_in(third.page, "kim", PASSWORD)
        third.page.wait_for_load_state()
        if third.page.url.startswith(site.callback):
            break
        assert SILENT in said(third.page) and time.monotonic() < deadline
        time.sleep(1)
    tell_nothing_of_503(second)
    tell_nothing_of_503(third)


def refused_for_its_tls(start, open_window, directory, **ldap) -> None:
    site = start(directory, ldap=ldap)
    window = open_window(site)
    begin(site, window.page)
    type_in(window.page, "jane", PASSWORD)
    assert MISCONFIGURED in said(window.page)
    assert " BIND " not in directory.log_text(), "no password was sent"
    tell_nothing_of_503(window)


def test_a_certificate_of_another_authority_is_refused(tmp_path, start, open_window):
    """L-5"""
    other = Directory(tmp_path / "other", [])
    other.stop()
    directory = Directory(tmp_path / "directory", entries())
    refused_for_its_tls(start, open_window, directory, ca_file=str(other.authority.ca_file))


def test_a_certificate_for_another_name_is_refused(tmp_path, start, open_window):
    """L-5"""
    directory = Directory(tmp_path / "directory", entries(), host="elsewhere.example")
    refused_for_its_tls(start, open_window, directory)


def test_a_directory_without_starttls_gets_no_password(tmp_path, start, open_window):
    """L-5: where authorities are named, the lack of TLS is no way around them."""
    directory = Directory(tmp_path / "directory", entries(), scheme="ldap", has_tls=False)
    refused_for_its_tls(start, open_window, directory, ca_file=str(directory.authority.ca_file))


def test_starttls_raises_a_plain_port(tmp_path, start, open_window):
    site = start(Directory(tmp_path / "directory", entries(), scheme="ldap"))
    page = open_window(site).page
    begin(site, page)
    type_in(page, "jane", PASSWORD)
    assert arrived(site, page)["code"]
    assert "STARTTLS" in site.directory.log_text() and "TLS established" in site.directory.log_text()


def test_an_organisation_s_directory_by_the_domain(tmp_path, start, open_window):
    site = start(
        Directory(tmp_path / "directory", [*entries(), person("eve", "Eve Moe", PASSWORD, mail=MARIA.claims["email"])]),
        tenant="acme", domains=["acme.example"],
    )
    page = open_window(site).page
    begin(site, page)
    type_in(page, "jane@acme.example", PASSWORD)
    assert userinfo(site, page)["email"] == "jane@acme.example"
    second = open_window(site).page
    begin(site, second)
    type_in(second, "kim", PASSWORD)
    assert WRONG in said(second), "a name without the domain is not the organisation's"
