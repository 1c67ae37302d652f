"""Codes and links: whose wishes go along with them, and what is left of them once a session has ended."""

from __future__ import annotations

from itertools import count

import pytest

from support.own_account import OwnAccounts, new_name, new_password

_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(
        tmp_path_factory.mktemp("codes"), project={"usernames": True, "approval": {"seconds": 120}})
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def by_code(site: OwnAccounts, email: str, code: str | None = None):
    """A browser of whoever reads the mailbox."""
    visitor = site.visitor()
    page = visitor.submit(visitor.open("/settings"), {"username": email}, button="code")
    return visitor, visitor.submit(page, {"code": code or site.code(email)})


# Whoever types her address may ask for a code, and she has two of them when she signs in.


def test_a_strangers_wish_ends_no_session_by_a_code_on_the_page(site, vera):
    email = vera[0]
    own = site.by_password(*vera).json()["refreshJwt"]
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {"revokeOtherSessions": True}})
    _, page = by_code(site, email, site.code(email))
    assert page.name == "settings", "the control"
    assert site.is_alive(own)


def test_a_strangers_wish_ends_no_session_by_a_reset(site, vera):
    email = vera[0]
    own = site.by_password(*vera).json()["refreshJwt"]
    options = {"revokeOtherSessions": True}
    site.call("password/reset", {"loginId": email, "redirectUrl": f"{site.issuer}/link", "loginOptions": options})
    answer = site.post("magiclink/verify", {"token": site.tokens(email)[0]})
    assert answer.status_code == 200, "the control"
    assert site.is_alive(own)


def test_a_wish_beside_a_code_that_her_session_asked_for_is_hers(site, vera):
    """The control of the three."""
    email = vera[0]
    other, own = (site.by_password(*vera).json()["refreshJwt"] for _ in range(2))
    options = {"stepup": True, "revokeOtherSessions": True}
    site.call("otp/signin/email", {"loginId": email, "loginOptions": options}, own)
    raised = site.by_code(email, own)
    assert not site.is_alive(other) and site.is_alive(raised)


# What was on its way when everything of before ended.


def end_everything(site: OwnAccounts, vera: tuple[str, str], end: str) -> None:
    email = vera[0]
    if end == "a sign-out everywhere":
        site.call("logoutall", {}, site.signed_in_by_code(email))
    elif end == "a new password":
        session = site.signed_in_by_code(email)
        site.call("password/update", {"loginId": email, "newPassword": new_password()}, session)
    elif end == "the proof of the address":
        site.call("otp/signup-in/email", {"loginId": email})
        site.by_code(email)
    elif end == "this was not me":
        link = [letter["links"][0] for letter in site.letters(email) if letter["kind"] == "new-sign-in"][0]
        reader = site.visitor()
        reader.submit(reader.open(link))
    elif end == "the end of the account":
        site.manage("user/delete", {"loginId": email})


@pytest.mark.parametrize("end", [
    "nothing", "a sign-out everywhere", "a new password", "the proof of the address", "this was not me",
    "the end of the account"])
def test_a_device_that_was_let_in_and_not_there_yet_stays_out(site, end):
    """A thief or a squatter approves a device, which asks for its tokens when all is over."""
    email, password = new_name("vera"), new_password()
    if end == "the proof of the address":
        site.call("password/signup", {"loginId": email, "password": password, "user": {"email": email}})
    else:
        site.sign_up(email, password)
    thief, _ = site.browse(email, password)
    device = site.begin_device()
    assert site.decide(thief, device).name == "device-done"
    end_everything(site, (email, password), end)
    answer = site.collect(device)
    if end == "nothing":
        assert answer.status_code == 200, f"the control: {answer.text}"
    else:
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant"), answer.text


@pytest.mark.parametrize("end", ["nothing", "a new password", "this was not me"])
def test_a_desk_that_was_let_in_and_not_there_yet_stays_out(site, vera, end):
    """The same for a browser that waits for an approval."""
    thief, _ = site.browse(*vera)
    desk, page, number = site.ask_for_approval(vera[0])
    assert site.approve(thief, number).url.endswith("?done=allowed")
    end_everything(site, vera, end)
    assert desk.submit(page, button="refresh").name == ("settings" if end == "nothing" else "approval")


def test_this_was_not_me_brings_the_addresses_back_that_messages_go_to(site, vera):
    """A thief replaces them on the wire, where they are no login IDs, and takes a user name."""
    email, password = vera
    mallory, phone, name = new_name("mallory"), f"+4915155{next(_numbers):06}", f"mallory{next(_numbers)}"
    browser, page = site.browse(email, password, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    browser.post(form.action, data=form.filled({"identifier": name, "action": "add"}))
    stolen = site.by_password(email, password).json()["refreshJwt"]
    for path, channel, address in [("email", "email", mallory), ("phone/sms", "sms", phone)]:
        member = "phone" if channel == "sms" else "email"
        site.call(f"otp/update/{path}", {"loginId": email, member: address}, stolen)
        body = {"loginId": email, "code": site.code(address)}
        stolen = site.call(f"otp/verify/{channel}", body, stolen)["refreshJwt"]
    user = site.user(email)
    assert (user["email"], user["phone"], set(user["loginIds"])) == (mallory, phone, {email, name}), "the control"
    end_everything(site, vera, "this was not me")
    user = site.user(email)
    assert (user["email"], user["phone"], user["loginIds"], user["password"]) == (email, "", [email], False)
    assert not site.is_alive(stolen) and browser.open("/settings").name == "login"
    before = len(site.letters(phone))
    site.call("otp/signin/sms", {"loginId": email})
    assert len(site.letters(phone)) == before


def test_a_code_that_was_used_on_the_page_is_spent_on_the_wire(site, vera):
    email = vera[0]
    _, page = by_code(site, email)
    assert page.name == "settings"
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)})
    assert (answer.status_code, answer.json()["errorCode"]) == (400, "E061102")


def test_a_code_of_one_user_opens_no_account_of_another(site, vera):
    """Both asked at the same time, and one types the other's name."""
    email, mallory = vera[0], new_name("mallory")
    site.sign_up(mallory)
    for name in (email, mallory):
        site.call("otp/signin/email", {"loginId": name})
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(mallory)})
    assert (answer.status_code, answer.json()["errorCode"]) == (400, "E061102")
    assert site.post("otp/verify/email", {"loginId": email, "code": site.code(email)}).status_code == 200
