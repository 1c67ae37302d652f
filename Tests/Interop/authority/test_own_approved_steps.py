"""A sign-in that another device approved, and that waits at a step, is over with the session that approved it."""

from __future__ import annotations

import pytest

from support.own_account import APP, OwnAccounts, new_name, new_password
from support.relying_party import challenge_of, make_verifier
from support.visitor import Callback

TEAMS = {
    "name": "teams", "steps": [
        {"name": "proof", "prove": {}}, {"name": "team", "choose_tenant": True}, {"name": "end", "done": True}]}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("approved"), project={"approval": {"seconds": 120}}, journeys=[TEAMS],
        tenants=[{"id": "acme", "name": "Acme"}, {"id": "globex", "name": "Globex"}])
    yield made
    made.close()


@pytest.fixture
def ana(site) -> tuple[str, str]:
    name, password = new_name("ana"), new_password()
    site.sign_up(name, password)
    for tenant in ("acme", "globex"):
        site.manage("user/update/tenant/add", {"loginId": name, "tenantId": tenant})
    return name, password


def waits(site, name: str, phone):
    """At the step of a journey, by an approval of the phone's."""
    desk = site.visitor()
    page = desk.open("/oauth2/authorize", {
        "response_type": "code", "client_id": APP.client_id, "redirect_uri": "http://127.0.0.1/callback",
        "scope": "openid", "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256",
        "journey": "teams"})
    page = desk.submit(page, {"username": name}, button="approval")
    number = page.soup.select_one(".number strong").get_text(strip=True)
    assert site.approve(phone, number).url.endswith("?done=allowed")
    page = desk.submit(page, button="refresh")
    assert page.name == "journey-step", page
    return desk, page


def nothing(site, ana) -> None:
    pass


def ended(site, ana) -> None:
    """She ends the session of the phone, which was taken from her, in another browser."""
    visitor, page = site.browse(*ana)
    page = visitor.open("/settings/sessions")
    ids = [each["value"] for each in page.soup.select('input[name="id"]')]
    kinds = [each["value"] for each in page.soup.select('input[name="kind"]')]
    for one in [one for one, kind in zip(ids, kinds, strict=True) if kind == "session"]:
        answer = visitor.post(page.form.action, data={
            "csrf": page.form.values["csrf"], "action": "end", "kind": "session", "id": one})
        assert answer.status_code == 303, answer.text[:200]


@pytest.mark.parametrize(("end", "goes_on"), [(nothing, True), (ended, False)])
def test_a_step_after_an_approval_waits_for_the_session_that_approved(site, ana, end, goes_on):
    phone, _ = site.browse(*ana)
    desk, page = waits(site, ana[0], phone)
    end(site, ana)
    if end is ended:
        assert phone.open("/settings").name == "login", "the control"
    arrived = desk.submit(page, {"tenant": "acme"})
    assert (isinstance(arrived, Callback) and bool(arrived.get("code"))) == goes_on, arrived
    assert (desk.open("/settings").name == "settings") == goes_on
