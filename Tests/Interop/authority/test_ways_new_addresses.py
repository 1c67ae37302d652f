"""A new address of an account: whose code adds it, what the code opens, and who hears that a login ID goes."""

from __future__ import annotations

from itertools import count

import pytest
import requests

from support.authenticator import Authenticator
from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.project import PROJECT_ID
from support.relying_party import challenge_of, make_verifier
from support.told_provider import CLIENT_ID, SECRET

WRONG_CODE = "E061102"
_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory, told):
    made = OwnAccounts(tmp_path_factory.mktemp("new-addresses"), project={"usernames": True}, connections=[
        {"id": "trusted", "issuer": told.issuer, "client_id": CLIENT_ID, "client_secret": SECRET, "trust_email": True}])
    yield made
    made.close()


@pytest.fixture
def vera(site) -> tuple[str, str]:
    email, password = new_name("vera"), new_password()
    site.sign_up(email, password)
    return email, password


def new_phone() -> str:
    return f"+4915188{next(_numbers):06}"


def ask(site: OwnAccounts, login: str, address: str, shown: str, **more) -> None:
    """A code for a new address, as a client asks for it in a session."""
    path, member = ("otp/update/phone/sms", "phone") if address.startswith("+") else ("otp/update/email", "email")
    site.call(path, {"loginId": login, member: address, **more}, shown)


def enter(site: OwnAccounts, login: str, address: str, shown: str | None = None):
    channel = "sms" if address.startswith("+") else "email"
    return site.post(f"otp/verify/{channel}", {"loginId": login, "code": site.code(address)}, shown)


def takes_over(site: OwnAccounts, login: str, answer) -> bool:
    """Whether whoever got this answer sets a password of their own."""
    if answer.status_code != 200:
        return False
    body = {"loginId": login, "newPassword": new_password()}
    return site.post("password/update", body, answer.json()["refreshJwt"]).status_code == 200


# A code that was sent to somebody else's address, because the user mistyped hers.


@pytest.mark.parametrize("kind", ["email", "sms"])
def test_a_stranger_with_the_code_of_a_mistyped_address_does_not_get_the_account(site, vera, kind):
    """Without the session that asked. A link that is opened elsewhere is refused, and so is the code on a page."""
    email, _ = vera
    own = site.by_password(*vera).json()["refreshJwt"]
    stranger = new_phone() if kind == "sms" else new_name("stranger")
    ask(site, email, stranger, own)
    assert not takes_over(site, email, enter(site, email, stranger)), "the stranger has set a password"
    assert site.by_password(*vera).status_code == 200


def test_a_stranger_with_the_code_of_a_mistyped_address_does_not_get_an_account_with_a_passkey(site, vera):
    """She adds the address in a session of her passkey, and the stranger has shown nothing like it."""
    email, _ = vera
    with Authenticator() as device:
        site.add_passkey(email, site.signed_in_by_code(email), device)
        own = site.by_passkey(email, device).json()["refreshJwt"]
    stranger = new_name("stranger")
    ask(site, email, stranger, own)
    assert not takes_over(site, email, enter(site, email, stranger)), "the stranger has set a password"


def test_the_code_of_a_new_address_counts_in_the_session_that_asked(site, vera):
    """The control: the address is hers, and the session stays as good as it was."""
    email, _ = vera
    own, other = site.by_password(*vera).json()["refreshJwt"], new_name("vera")
    ask(site, email, other, own)
    assert takes_over(site, email, enter(site, email, other, own))
    assert site.user(email)["email"] == other


def test_a_step_up_without_the_session_is_worth_no_more_beside_a_password_alone(site, vera):
    """The reader of the mailbox is faster; the account has no second factor."""
    email, _ = vera
    own = site.by_password(*vera).json()["refreshJwt"]
    site.call("otp/signin/email", {"loginId": email, "loginOptions": {"stepup": True}}, own)
    answer = site.post("otp/verify/email", {"loginId": email, "code": site.code(email)})
    assert answer.status_code == 200, answer.text
    body = {"loginId": email, "newPassword": new_password()}
    assert missing(site.post("password/update", body, answer.json()["refreshJwt"])) == "recent_sign_in"


def test_a_link_to_a_mistyped_address_adds_nothing_elsewhere(site, vera):
    email, _ = vera
    own, stranger = site.by_password(*vera).json()["refreshJwt"], new_name("stranger")
    body = {"loginId": email, "email": stranger, "redirectUrl": f"{site.issuer}/link"}
    site.call("magiclink/update/email", body, own)
    answer = site.post("magiclink/verify", {"token": site.tokens(stranger)[0]})
    assert answer.status_code in (400, 401) and site.user(email)["email"] == email
    site.call("magiclink/update/email", body, own)
    assert site.post("magiclink/verify", {"token": site.tokens(stranger)[0]}, own).status_code == 200, "the control"


def test_the_code_of_a_mistyped_address_signs_nobody_in_on_the_page(site, vera):
    email, _ = vera
    own, stranger = site.by_password(*vera).json()["refreshJwt"], new_name("stranger")
    ask(site, email, stranger, own)
    thief = site.visitor()
    page = thief.submit(thief.open("/settings"), {"username": email}, button="code")
    page = thief.submit(page, {"code": site.code(stranger)})
    assert (page.name, page.status) == ("code", 422)
    hers = site.visitor()
    page = hers.submit(hers.open("/settings"), {"username": email}, button="code")
    assert hers.submit(page, {"code": site.code(email)}).name == "settings", "the control"


@pytest.mark.parametrize("end", ["logout", "password/update"])
def test_the_code_of_a_new_address_ends_with_the_session_that_asked(site, vera, end):
    """The thief of a session asked; the user has ended it since."""
    email, mallory = vera[0], new_name("mallory")
    stolen = site.by_password(*vera).json()["refreshJwt"]
    ask(site, email, mallory, stolen)
    if end == "logout":
        site.call("logout", {}, stolen)
    else:
        own = site.by_password(*vera).json()["refreshJwt"]
        site.call(end, {"loginId": email, "newPassword": new_password()}, own)
    answer = enter(site, email, mallory)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, WRONG_CODE)
    assert site.user(email)["email"] == email


def test_a_code_of_the_settings_is_good_on_no_other_way(site, vera):
    email, other = vera[0], new_name("other")
    browser, page = site.browse(*vera, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    page = browser.follow(browser.post(form.action, data=form.filled({"identifier": other, "action": "add"})))
    for login in (email, other):
        answer = site.post("otp/verify/email", {"loginId": login, "code": site.code(other)})
        assert (answer.status_code, answer.json()["errorCode"]) == (400, WRONG_CODE)
    browser.submit(page, {"code": site.code(other)})
    assert set(site.user(email)["loginIds"]) == {email, other}, "the control"


def test_a_code_of_the_settings_waits_for_a_recent_sign_in(site, vera):
    """The message was asked for in time, and the browser was left alone since."""
    email, other = vera[0], new_name("other")
    browser, page = site.browse(*vera, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    page = browser.follow(browser.post(form.action, data=form.filled({"identifier": other, "action": "add"})))
    site.age(email)
    assert browser.submit(page, {"code": site.code(other)}).name == "login"
    assert site.user(email)["loginIds"] == [email]


def test_who_asks_for_a_code_does_not_choose_where_the_next_one_goes(site):
    """Somebody signs up with her address and a number of their own; she answers."""
    email, phone = new_name("nora"), new_phone()
    site.call("otp/signup/email", {"loginId": email, "user": {"phone": phone, "name": "Nora"}})
    site.by_code(email)
    site.call("otp/signin/sms", {"loginId": email})
    assert site.letters(phone) == []
    before = len(site.letters(email))
    site.call("otp/signin/email", {"loginId": email})
    assert len(site.letters(email)) == before + 1, "the control"


# A login ID that nobody proved goes to who proves it. The account that had it has proved another address.


@pytest.fixture
def gina(site) -> tuple[str, str, str]:
    """She proved a number, and signs in with an address that is another person's: name, number, password."""
    login, phone, password = new_name("typed-wrong"), new_phone(), new_password()
    site.call("otp/signup/sms", {"loginId": login, "user": {"phone": phone}})
    session = site.call("otp/verify/sms", {"loginId": login, "code": site.code(phone)})["refreshJwt"]
    site.call("password/update", {"loginId": login, "newPassword": password}, session)
    return login, phone, password


def loses_without_word(site: OwnAccounts, gina: tuple[str, str, str], before: int) -> bool:
    login, phone, password = gina
    return site.by_password(login, password).status_code != 200 and len(site.letters(phone)) == before


def test_who_proved_another_address_hears_that_the_login_id_goes_by_the_settings_of_another_user(site, gina, vera):
    login, phone, _ = gina
    before = len(site.letters(phone))
    browser, page = site.browse(*vera, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    page = browser.follow(browser.post(form.action, data=form.filled({"identifier": login, "action": "add"})))
    browser.submit(page, {"code": site.code(login)})
    assert set(site.user(vera[0])["loginIds"]) == {vera[0], login}, "the control"
    assert not loses_without_word(site, gina, before), "her login ID is gone without a word"


def test_who_proved_another_address_hears_that_the_login_id_goes_by_the_wire_of_another_user(site, gina, vera):
    login, phone, _ = gina
    before = len(site.letters(phone))
    own = site.by_password(*vera).json()["refreshJwt"]
    ask(site, vera[0], login, own)
    assert enter(site, vera[0], login, own).status_code == 200
    assert site.user(vera[0])["email"] == login, "the control"
    assert not loses_without_word(site, gina, before), "her login ID is gone without a word"


def test_who_proved_another_address_hears_that_the_login_id_goes_by_the_word_of_a_provider(site, told, gina):
    """The operator trusts it with addresses, and the person there is somebody else."""
    login, phone, password = gina
    before = len(site.letters(phone))
    told.token, told.userinfo = {"sub": login, "email": login, "email_verified": True}, {"sub": login}
    browser = site.visitor()
    away = browser.open("/oauth2/authorize", {
        "client_id": APP.client_id, "redirect_uri": APP.redirect_uri, "response_type": "code", "scope": "openid",
        "connection": "trusted", "code_challenge": challenge_of(make_verifier()), "code_challenge_method": "S256"})
    browser.open(requests.get(away.url, timeout=20, allow_redirects=False).headers["Location"])
    user = site.user(login)
    assert user["verifiedEmail"] and not user["password"] and user["phone"] == "", "the control"
    assert site.by_password(phone, password).status_code == 400, "she has no other name"
    assert not loses_without_word(site, gina, before), "her login ID is gone without a word"


def test_an_account_that_claims_an_address_keeps_it_from_its_owner_on_no_way(site, gina, vera):
    """The settings give the owner her address as a login ID, and so does the wire."""
    login = gina[0]
    own = site.by_password(*vera).json()["refreshJwt"]
    ask(site, vera[0], login, own, addToLoginIDs=True)
    answer = enter(site, vera[0], login, own)
    assert answer.status_code == 200, f"the owner of the address: {answer.status_code} {answer.text[:200]}"
    me = site.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{answer.json()['refreshJwt']}").json()
    assert set(me["loginIds"]) == {vera[0], login}


# An address that a user has proved, and does not sign in with: messages go there, and apps hear of it.


def is_proved_by_another(site: OwnAccounts, way: str, address: str, other: tuple[str, str]) -> bool:
    """Whether another account has the address after one code that was sent there."""
    email, _ = other
    if way == "settings":
        browser, page = site.browse(*other, "/settings/identifiers")
        form = next(form for form in page.forms if "identifier" in form.inputs)
        page = browser.follow(browser.post(form.action, data=form.filled({"identifier": address, "action": "add"})))
        if page.name == "code":
            browser.submit(page, {"code": site.code(address)})
        return address in site.user(email)["loginIds"]
    if way == "sign-up":
        name = f"mallory-{next(_numbers)}"
        site.post("otp/signup/email", {"loginId": name, "user": {"email": address}})
        answer = site.post("otp/verify/email", {"loginId": name, "code": site.code(address)})
        return answer.status_code == 200
    session = site.by_password(*other).json()["refreshJwt"]
    ask(site, email, address, session, addToLoginIDs=way == "wire, as a login ID")
    enter(site, email, address, session)
    user = site.user(email)
    return user["email"] == address and user["verifiedEmail"]


@pytest.mark.parametrize("way", ["wire", "wire, as a login ID", "settings", "sign-up"])
def test_an_address_that_a_user_has_proved_stays_with_her_though_it_is_no_login_id(site, vera, way):
    """Apps that find their users by address would take the one for the other. She signs in with a name."""
    name, address = f"paula-{next(_numbers)}", new_name("paula")
    site.call("otp/signup/email", {"loginId": name, "user": {"email": address}})
    site.call("otp/verify/email", {"loginId": name, "code": site.code(address)})
    user = site.user(name)
    assert (user["email"], user["verifiedEmail"], user["loginIds"]) == (address, True, [name])
    assert is_proved_by_another(site, way, new_name("free"), vera), "the control"
    assert not is_proved_by_another(site, way, address, vera), "two accounts have proved the address"
