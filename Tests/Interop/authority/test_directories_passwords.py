"""A directory that checks passwords is a provider: for operators its word is no factor of their own."""

from __future__ import annotations

import pyotp
import pytest

from support.directory import Directory, person, slapd
from support.operators import CALLBACK, KEY, PASSWORD, PROJECT, Management, auth, serve
from support.operators import person as local
from support.pages import Page
from support.visitor import Visitor

pytestmark = pytest.mark.skipif(slapd() is None, reason="slapd is not installed")
AT_DIRECTORY = "the-password-at-the-directory"
MEMBERS = {
    "name": "members", "steps": [
        {"name": "who", "identify": {"sign_up": False}}, {"name": "proof", "prove": {}}, {"name": "end", "done": True}]}
PEOPLE = ["jane", "kim", "lena", "mona", "pia", "rosa"]


@pytest.fixture(scope="module", params=["project", "tenant"])
def own(request, tmp_path_factory):
    """One directory of the whole project's, or of an organisation's."""
    folder = tmp_path_factory.mktemp("asked")
    directory = Directory(folder / "slapd", [person(name, f"{name} Doe", AT_DIRECTORY) for name in PEOPLE])
    more = {"tenant": "harbour", "domains": ["acme.example"]} if request.param == "tenant" else {}
    server = serve(
        folder, project={"id": PROJECT, "name": "Harbour", "management_keys": [KEY]},
        users=[local("olga"), local("sue")], connections=[directory.connection(**more)],
        journeys=[MEMBERS], roles=[{"name": "auditor", "permissions": ["books.read"], "second_factor": "required"}])
    yield server
    assert server.stop() == 0
    directory.stop()


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """A project at which nobody signs up."""
    folder = tmp_path_factory.mktemp("closed")
    directory = Directory(folder / "slapd", [person("nora", "nora Doe", AT_DIRECTORY)])
    server = serve(
        folder, project={"id": PROJECT, "name": "Harbour", "management_keys": [KEY], "sign_up": "off"},
        users=[local("olga")], connections=[directory.connection()])
    yield server
    assert server.stop() == 0
    directory.stop()


@pytest.fixture(scope="module")
def key(own) -> Management:
    return Management(own)


def arrive(own, login: str, password: str, path: str) -> tuple[Visitor, Page]:
    visitor = Visitor(own.base)
    page = visitor.open(f"{own.base}{path}")
    assert page.name == "login", page
    return visitor, visitor.submit(page, {"username": login, "password": password})


def set_up(visitor: Visitor, page: Page) -> None:
    secret = page.soup.find(class_="key").get_text(strip=True).replace(" ", "")
    visitor.submit(page, {next(iter(page.form.inputs)): pyotp.TOTP(secret).now()})


def operator(own, key, name: str) -> str:
    """Whom the directory brought, and an owner gave a role since."""
    login = f"{name}@acme.example"
    assert arrive(own, login, AT_DIRECTORY, "/settings")[1].name == "settings"
    key.done("operator/update", {"loginId": login, "role": "owner"})
    return login


def test_a_password_that_is_kept_here_sets_a_second_factor_up(own, key):
    """The control: the console asks for one at the first sign-in."""
    visitor, page = arrive(own, "olga@example.com", PASSWORD, "/admin")
    assert page.name == "totp-setup", page
    set_up(visitor, page)
    assert visitor.open(f"{own.base}/admin").name.startswith("admin")


def test_a_directory_s_password_opens_no_console(own, key):
    login = operator(own, key, "jane")
    visitor, page = arrive(own, login, AT_DIRECTORY, "/admin")
    if page.name == "totp-setup":
        set_up(visitor, page)
    page = visitor.open(f"{own.base}/admin")
    assert isinstance(page, Page) and not page.name.startswith("admin"), "the directory is the owner now"
    assert key.user(login)["TOTP"] is False, "the directory's authenticator is hers now"


@pytest.mark.parametrize("name", ["olga", "kim"])
def test_a_directory_s_password_sets_no_factor_up_in_the_settings(own, key, name):
    """Olga's is of this server: the control."""
    is_local = name == "olga"
    login = "sue@example.com" if is_local else operator(own, key, name)
    visitor, _ = arrive(own, login, PASSWORD if is_local else AT_DIRECTORY, "/settings")
    page = visitor.open(f"{own.base}/settings/authenticators")
    assert isinstance(page, Page) and page.name == "settings-authenticators", page
    form = next(form for form in page.forms if ("action", "add") in form.buttons)
    page = visitor.follow(visitor.post(form.action, data=form.filled({}, button="add")))
    if page.name == "totp-setup":
        set_up(visitor, page)
    assert key.user(login)["TOTP"] == is_local


def test_a_directory_s_password_gives_no_lasting_way_in_on_the_methods_wire(own, key):
    """An authenticator, a password of this server's: what a provider alone changes for no operator."""
    login = operator(own, key, "lena")
    opened = auth(own, "password/signin", {"loginId": login, "password": AT_DIRECTORY})
    assert opened.status_code == 200, opened.text
    shown = opened.json()["refreshJwt"]
    answers = {
        "totp/update": auth(own, "totp/update", {"loginId": login}, shown),
        "password/update": auth(own, "password/update", {"loginId": login, "newPassword": PASSWORD}, shown)}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(answers, 403)


@pytest.mark.parametrize("name", ["pia", "rosa"])
def test_a_reference_of_the_wire_ends_with_the_directory_s_identity(own, key, name):
    """It sets the second factor up that the account needs. Rosa disconnects the directory meanwhile."""
    login = f"{name}@acme.example"
    visitor, page = arrive(own, login, AT_DIRECTORY, "/settings")
    assert page.name == "settings", page
    page = visitor.open(f"{own.base}/settings/connections")
    key.done("user/update/role/add", {"loginId": login, "roleNames": ["auditor"]})
    waiting = auth(own, "password/signin", {"loginId": login, "password": AT_DIRECTORY})
    assert waiting.status_code == 403 and waiting.json()["missing"] == "second_factor_setup", waiting.text
    reference = waiting.json()["pendingRef"]
    if name == "rosa":
        form = next(form for form in page.forms if ("action", "unlink") in form.buttons)
        answer = visitor.post(form.action, data=form.filled({}, button="unlink"))
        assert answer.status_code == 303 and "done=unlinked" in answer.headers["Location"], answer.text[:200]
    made = auth(own, "totp/update", {"loginId": login}, reference)
    opened = made.status_code == 200 and auth(own, "totp/verify", {
        "loginId": login, "code": pyotp.TOTP(made.json()["key"]).now()}, reference).status_code == 200
    assert opened == (name == "pia")


def test_a_directory_opens_no_account_where_the_journey_lets_nobody_sign_up(request, own, key):
    """As a provider of OpenID; an organisation's own follows its `create_users`. The control: without that journey the
    same password does."""
    of_organisation = request.node.callspec.params["own"] == "tenant"
    asked = {
        "client_id": "keyturn-cli", "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
    visitor = Visitor(own.base)
    page = visitor.open(f"{own.base}/oauth2/authorize", asked | {"journey": "members"})
    assert page.name == "login", page
    if "password" not in page.form.inputs:
        page = visitor.submit(page, {"username": "mona@acme.example"})
        visitor.submit(page, {"password": AT_DIRECTORY})
    else:
        visitor.submit(page, {"username": "mona@acme.example", "password": AT_DIRECTORY})
    assert (key.get("user?loginId=mona@acme.example").status_code == 200) == of_organisation
    assert arrive(own, "mona@acme.example", AT_DIRECTORY, "/settings")[1].name == "settings"


def test_a_directory_opens_no_account_where_the_project_lets_nobody_sign_up(closed):
    answer = auth(closed, "password/signin", {"loginId": "nora@acme.example", "password": AT_DIRECTORY})
    assert answer.status_code == 400 and "no account" in answer.json()["errorMessage"], answer.text
    assert arrive(closed, "nora@acme.example", AT_DIRECTORY, "/settings")[1].name == "login"
    assert Management(closed).get("user?loginId=nora@acme.example").status_code != 200
