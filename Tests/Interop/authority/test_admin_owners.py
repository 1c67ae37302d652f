"""An owner remains, whatever owners do to themselves and each other; and no operator gives another's contact away."""

from __future__ import annotations

import threading
from itertools import count

import pytest
import requests

from support.operators import PASSWORD, Management, Operator, auth, person, serve
from support.pages import Page
from support.visitor import Visitor

numbers = count(1)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("owners"), users=[person(each) for each in ("olga", "oper", "nina")])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    entered = {"oper": Operator(own, "oper")}
    entered["oper"].enter()
    return entered


def appoint(own, key: Management) -> tuple[str, Visitor]:
    """A new owner, and a browser in which the owner is about to delete the account."""
    login = f"owner{next(numbers)}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    key.done("operator/update", {"loginId": login, "role": "owner"})
    browser = Visitor(own.base)
    page = browser.submit(browser.open(f"{own.base}/settings/delete"), {"username": login, "password": PASSWORD})
    assert isinstance(page, Page) and page.name == "settings-delete", page
    return login, browser


def end(own, browser: Visitor) -> int:
    page = browser.open(f"{own.base}/settings/delete")
    form = page.forms[0]
    return browser.post(form.action, data=form.filled({"confirm": "true"}, "delete")).status_code


def entering(key: Management) -> list[str]:
    found = [each["loginIds"][0] for each in key.get("operator/all").json()["operators"] if each["role"] == "owner"]
    return sorted(login for login in found if key.user(login)["status"] == "enabled")


def dismiss_others(key: Management, *kept: str) -> None:
    for login in entering(key):
        if login not in kept:
            key.done("operator/update", {"loginId": login, "role": ""})


def at_once(*works) -> None:
    gate = threading.Barrier(len(works))

    def run(work) -> None:
        gate.wait()
        work()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_the_last_owner_deletes_no_account_of_ones_own(own, key):
    (last, browser), (other, others) = appoint(own, key), appoint(own, key)
    dismiss_others(key, last, other)
    assert end(own, others) in (200, 303) and entering(key) == [last], "the control: another one remains"
    assert end(own, browser) == 400
    assert entering(key) == [last]
    assert auth(own, "password/signin", {"loginId": last, "password": PASSWORD}).status_code == 200


@pytest.mark.parametrize("turn", [1, 2])
def test_two_owners_who_delete_their_own_accounts_at_once_leave_one(own, key, turn):
    pair = [appoint(own, key) for _ in range(2)]
    dismiss_others(key, *[login for login, _ in pair])
    at_once(*[lambda browser=browser: end(own, browser) for _, browser in pair])
    assert len(entering(key)) == 1, entering(key)


@pytest.mark.parametrize("path", ["user/update/status", "user/delete"])
def test_an_owner_who_goes_while_the_other_one_is_dismissed_leaves_one(own, key, path):
    """A program takes the role of one, and the other one goes."""
    pair = [appoint(own, key) for _ in range(2)]
    dismiss_others(key, *[login for login, _ in pair])
    body = {"loginId": pair[1][0]} | ({"status": "disabled"} if path.endswith("status") else {})
    at_once(
        lambda: end(own, pair[0][1]), lambda: key.post(path, body),
        lambda: key.post("operator/update", {"loginId": pair[1][0], "role": "viewer"}))
    assert len(entering(key)) == 1, entering(key)


def code(own, to: str) -> str:
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    return [each["code"] for each in sent if each["to"] == to and each.get("code")][-1]


@pytest.fixture(scope="module")
def contact(own) -> str:
    """An address that a user has proved, and that is no login ID."""
    phone, address = "+491511234999", "contact@home.example"
    auth(own, "otp/signup/sms", {"loginId": phone, "user": {"phone": phone}})
    session = auth(own, "otp/verify/sms", {"loginId": phone, "code": code(own, phone)}).json()["refreshJwt"]
    auth(own, "otp/update/email", {"loginId": phone, "email": address}, session)
    proved = auth(own, "otp/verify/email", {"loginId": phone, "code": code(own, address)}, session)
    assert proved.status_code == 200, proved.text
    return address


SPELLINGS = {"as it is": str, "capitals": str.upper, "a full-width letter": lambda a: a.replace("c", "\uff43", 1)}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("member", ["loginId", "email", "additionalLoginIds"])
def test_an_operator_gives_no_user_a_contact_that_another_one_has_proved(key, tokens, contact, spelling, member):
    address, name = SPELLINGS[spelling](contact), f"plain{next(numbers)}"
    value = [address] if member == "additionalLoginIds" else address
    refused = tokens["oper"].post("user/create", {"loginId": name, "verifiedEmail": True} | {member: value})
    assert refused.status_code == 400, refused.text
    free = f"free-{name}@home.example"
    value = [free] if member == "additionalLoginIds" else free
    made = tokens["oper"].post("user/create", {"loginId": name, "verifiedEmail": True} | {member: value})
    assert made.status_code == 200, made.text


def test_an_operator_saves_no_such_contact_in_the_form(own, key, people, contact):
    login = f"ordinary{next(numbers)}@example.com"
    key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True})
    user = key.user(login)["userId"]
    for email, expected in ((contact, login), ("free@home.example", "free@home.example")):
        people["oper"].send(f"/admin/users/user/change?id={user}", {"id": user, "action": "profile", "email": email})
        assert key.get(f"user?userId={user}").json()["user"]["email"] == expected
