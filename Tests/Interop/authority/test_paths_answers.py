"""What is answered in the steps of a journey, and what is left of an app or of a merge that is taken back."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.directories import Directory
from support.operators import command
from support.own_account import APP, OwnAccounts, new_name, new_password
from support.pages import Page
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback, Visitor

_numbers = count(1)
STEPS = {
    "terms": {"accept": {"document": "terms", "version": "1", "url": "https://terms.example"}},
    "team": {"collect": {"fields": [{"name": "team", "label": "Your team"}]}},
}
JOURNEYS = [
    {"name": name, "steps": [
        {"name": "who", "identify": {}}, {"name": "proof", "prove": {}}, {"name": "more", **step},
        {"name": "end", "done": True}]}
    for name, step in STEPS.items()]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("answers"), project={"approval": {"seconds": 120}}, journeys=JOURNEYS,
        tenants=[{"id": "harbour", "name": "Harbour"}])
    command(made.server, "tenant", "domain", "add", "harbour.example", "--tenant", "harbour", "--trust")
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


# A journey.


def begin(site: OwnAccounts, email: str, journey: str) -> tuple[Visitor, Page]:
    visitor = site.visitor()
    page = visitor.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "scope": "openid",
        "journey": journey, "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256"})
    if ("action", "approval") not in page.form.buttons:
        page = visitor.submit(page, {"username": email})
    return visitor, page


@pytest.mark.parametrize("journey", STEPS)
def test_a_desk_that_was_let_in_answers_nothing_in_her_name(site, vera, journey):
    """The user approves an attacker's request, whose journey asks for a word of hers."""
    values = {"field-team": "Thieves"} if journey == "team" else {}
    button = "accept" if journey == "terms" else None
    phone, _ = site.browse(*vera)
    desk, page = begin(site, vera[0], journey)
    page = desk.submit(page, {"username": vera[0]}, button="approval")
    site.approve(phone, page.soup.select_one(".number strong").get_text(strip=True))
    page = desk.submit(page, button="refresh")
    assert page.name == "journey-step", page
    assert desk.send(page, values, button).status_code in (400, 403)
    assert site.user(vera[0])["customAttributes"] == {}
    own, page = begin(site, vera[0], journey)
    page = own.submit(page, {"username": vera[0], "password": vera[1]})
    assert page.name == "journey-step", "she is asked herself"
    assert isinstance(own.submit(page, values, button), Callback)
    if journey == "team":
        assert site.user(vera[0])["customAttributes"] == {"team": "Thieves"}, "the control"


# An app.


def test_an_app_that_is_removed_is_let_in_by_nothing_of_before(site, vera):
    """A second device waits for its tokens."""
    own, _ = site.browse(*vera)
    there, waiting = site.begin_device(), site.begin_device()
    for device in (there, waiting):
        assert site.decide(own, device).name == "device-done"
    tokens = site.collect(there).json()
    page = own.open("/settings/sessions")
    csrf = page.forms[0].values["csrf"]
    own.post(f"{site.base}/settings/sessions", data={
        "csrf": csrf, "action": "end", "kind": "app", "id": APP.client_id})
    ended = requests.post(f"{site.base}/oauth2/token", timeout=20, data={
        "grant_type": "refresh_token", "client_id": APP.client_id, "refresh_token": tokens["refresh_token"]})
    assert ended.json()["error"] == "invalid_grant", "the control: the app is removed"
    answer = site.collect(waiting)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant"), answer.text
    assert own.open("/settings").name == "settings", "her own session goes on"


# A merge by a thief, whose account is a directory's.


class Merged:
    """A thief with her password merges an account of a hostile tenant into hers, and she says that it was not her."""

    def __init__(self, site: OwnAccounts, vera: tuple[str, str]):
        self.site, self.email = site, vera[0]
        token = site.manage("scim/token/create", {"tenantId": "harbour"})["cleartext"]
        self.directory = Directory(site.server, token)
        self.address = self.new_address()
        self.user = self.directory.make(self.address, emails=[{"value": self.address, "primary": True}])
        stolen = site.by_password(*vera).json()["refreshJwt"]
        site.browse(*vera)
        body = {"loginId": self.email, "email": self.address, "addToLoginIDs": True}
        site.call("otp/update/email", body, stolen)
        body = {"loginId": self.email, "code": site.code(self.address)}
        self.stolen = site.call("otp/verify/email", body, stolen)["refreshJwt"]
        assert self.address in site.user(self.email)["loginIds"], "the control: they are one"
        link = [letter["links"][0] for letter in site.letters(self.email) if letter["kind"] == "new-sign-in"][0]
        reader = site.visitor()
        reader.submit(reader.open(link))

    @staticmethod
    def new_address() -> str:
        return f"mallory{next(_numbers)}@harbour.example"


def test_this_was_not_me_takes_a_merge_back(site, vera):
    merged = Merged(site, vera)
    user = site.user(vera[0])
    assert user["loginIds"] == [vera[0]] and user["email"] == vera[0]
    assert not site.is_alive(merged.stolen)
    site.call("otp/signin/email", {"loginId": vera[0]})
    assert site.is_alive(site.by_code(vera[0])), "she is in"


@pytest.mark.parametrize("attribute", ["emails", "userName"])
def test_the_directory_of_a_merged_account_gives_her_no_login_id_afterwards(site, vera, attribute):
    merged = Merged(site, vera)
    other = merged.new_address()
    value = [{"value": other, "primary": True}] if attribute == "emails" else other
    assert merged.directory.patch(merged.user, **{attribute: value}).status_code == 404, "it has her no longer"
    assert site.user(vera[0])["loginIds"] == [vera[0]]
    site.post("otp/signin/email", {"loginId": other})
    assert not [letter for letter in site.letters(other) if letter.get("code")]


def test_the_directory_of_a_merged_account_locks_her_out_of_nothing(site, vera):
    merged = Merged(site, vera)
    site.call("otp/signin/email", {"loginId": vera[0]})
    own = site.by_code(vera[0])
    assert merged.directory.patch(merged.user, active=False).status_code == 404
    assert merged.directory.send("DELETE", f"/Users/{merged.user}").status_code == 404, "it has her no longer"
    assert site.user(vera[0])["status"] == "enabled" and site.is_alive(own)
    assert site.user(vera[0])["userTenants"] == []
