"""What operators and programs say of an account: whose address it has, and which accounts are one user's."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.operators import ADMIN, CALLBACK, PASSWORD, Operator, auth, serve

numbers = count(1)
STRANGERS_PASSWORD = "Seven-grey-herons-1!"
APP = {
    "client_id": "web", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none", "first_party": True,
    "grant_types": ["authorization_code"], "scope": "openid email phone", "application_type": "native",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = serve(tmp_path_factory.mktemp("accounts"), clients=[ADMIN, APP])
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def people(own) -> dict[str, Operator]:
    operator = Operator(own, "oper")
    operator.enter()
    return {"oper": operator}


def enters(own, login: str, password: str) -> bool:
    answer = auth(own, "password/signin", {"loginId": login, "password": password})
    assert answer.status_code in (200, 400, 401, 403), answer.text
    return answer.status_code == 200


def claim(own, is_login: bool) -> tuple[str, str]:
    """A stranger's account with the address of another person, as a login ID or as a contact; both names."""
    name = f"stranger{next(numbers)}"
    address = f"{name}@example.com"
    login = address if is_login else name
    made = auth(own, "password/signup", {
        "loginId": login, "password": STRANGERS_PASSWORD, "user": {"email": address}})
    assert made.status_code == 200 and enters(own, login, STRANGERS_PASSWORD), made.text
    return login, address


def by_code(own, login: str, address: str) -> None:
    assert auth(own, "otp/signin/email", {"loginId": login}).status_code == 200
    sent = requests.get(f"{own.base}/dev/outbox.json", timeout=20).json()
    code = [each["code"] for each in sent if each["to"] == address and each.get("code")][-1]
    assert auth(own, "otp/verify/email", {"loginId": login, "code": code}).status_code == 200


PROVING = {
    "a code": lambda own, key, login, address: by_code(own, login, address),
    "email": lambda own, key, login, address: key.done("user/update/email", {
        "loginId": login, "email": address, "verified": True}),
    "patch": lambda own, key, login, address: key.send("PATCH", "/v1/mgmt/user/patch", {
        "loginId": login, "verifiedEmail": True}).raise_for_status(),
}


@pytest.mark.parametrize("kind", ["login ID", "contact"])
@pytest.mark.parametrize("way", PROVING)
def test_nothing_of_a_stranger_opens_the_account_of_a_proved_address(own, key, way, kind):
    """By the owner's own code as by a program's word, and whether it is a login ID or a contact."""
    login, address = claim(own, kind == "login ID")
    PROVING[way](own, key, login, address)
    assert key.user(login)["verifiedEmail"] is True
    assert not enters(own, login, STRANGERS_PASSWORD), "the stranger is in the account of the address"


@pytest.mark.parametrize(("caller", "kind"), [
    ("operator", "login ID"), ("operator", "contact"), ("program", "login ID")])
def test_a_merge_opens_nobodys_account_to_a_stranger_who_proved_nothing(own, key, tokens, caller, kind):
    """The account that stays was made by whoever; the user's own address goes over to it, and its password stays."""
    login, _ = claim(own, kind == "login ID")
    hers = f"hers{next(numbers)}@example.com"
    key.done("user/create", {"loginId": hers, "email": hers, "verifiedEmail": True, "password": PASSWORD})
    merged = (tokens["oper"] if caller == "operator" else key).post(
        "user/merge", {"loginId": login, "otherLoginId": hers})
    assert merged.status_code in (200, 400, 403), merged.text
    assert not enters(own, hers, STRANGERS_PASSWORD), f"{merged.status_code}: the stranger's password opens {hers}"


def test_a_merge_keeps_the_password_of_who_proved_an_address(own, key, tokens):
    """The control."""
    first, second = (f"same{next(numbers)}@example.com" for _ in range(2))
    for login in (first, second):
        key.done("user/create", {"loginId": login, "email": login, "verifiedEmail": True, "password": PASSWORD})
    assert tokens["oper"].post("user/merge", {"loginId": first, "otherLoginId": second}).status_code == 200
    assert enters(own, first, PASSWORD) and enters(own, second, PASSWORD)


def heard(own, name: str, login: str) -> dict:
    """What an app hears of who signs in."""
    user = Operator(own, name)
    page = user.browser.open(f"{own.base}/settings")
    page = user.browser.submit(page, {"username": login, "password": PASSWORD})
    token = user.tokens(client_id="web", scope="openid email phone")["access_token"]
    return requests.get(f"{own.base}/oauth2/userinfo", timeout=20, headers={
        "Authorization": f"Bearer {token}"}).json()


CONTACTS = {
    "email": lambda number: {"email": f"captain{number}@example.com", "verifiedEmail": True},
    "phone": lambda number: {"phone": f"+4915112345{number:03}", "verifiedPhone": True},
}


@pytest.mark.parametrize(("kind", "as_login"), [("email", False), ("email", True), ("phone", False)])
def test_an_operator_gives_no_user_the_address_that_an_owner_has_proved(own, key, tokens, kind, as_login):
    """The owner signs in by a user name: apps know the owner by the address all the same."""
    number = next(numbers)
    contact = CONTACTS[kind](number)
    owner = key.done("user/create", {"loginId": f"captain{number}", "password": PASSWORD} | contact)["user"]["userId"]
    key.done("operator/update", {"userId": owner, "role": "owner"})
    login = contact[kind] if as_login else f"spy{number}"
    refused = tokens["oper"].post("user/create", {"loginId": login, "password": PASSWORD} | contact)
    told = heard(own, f"spy{number}", login) if refused.status_code == 200 else {}
    assert contact[kind] not in told.values(), f"an app takes the user for the owner: {told}"
    assert refused.status_code == 400 and refused.json()["errorCode"] == "E062107", refused.text


def test_an_operator_gives_a_user_an_address_that_nobody_has(own, key, tokens):
    """The control."""
    number = next(numbers)
    address = f"free{number}@example.com"
    made = tokens["oper"].post("user/create", {
        "loginId": f"free{number}", "email": address, "verifiedEmail": True, "password": PASSWORD})
    assert made.status_code == 200, made.text
    assert heard(own, f"free{number}", f"free{number}")["email"] == address
