"""Names that are read as another's, and guesses that are spread over the names of one account."""

from __future__ import annotations

import pytest

from support.methods import USER_EXISTS, WRONG_CODE
from support.own_account import OwnAccounts, new_name, new_password
from support.project import PROJECT_ID

MALFORMED = "E011004"
GUESSES = 15


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("names"), project={"usernames": True})
    yield made
    made.close()


SAME = {
    "capitals": lambda email: email.upper(),
    "blanks": lambda email: f"  {email}\u00a0",
    "wide letters": lambda email: "\uff4d" + email[1:],
    "a wide at": lambda email: email.replace("@", "\uff20"),
    "a mathematical letter": lambda email: "\U0001d426" + email[1:],
}
ALIKE = {
    "a Cyrillic letter": lambda email: email.replace("a", "\u0430", 1),
    "an invisible joiner": lambda email: email.replace("m", "m\u200d", 1),
    "a soft hyphen": lambda email: email.replace("m", "m\u00ad", 1),
    "a turned direction": lambda email: "\u202e" + email,
    "a variation": lambda email: email.replace("@", "\ufe0f@"),
    "an ideographic full stop": lambda email: email.replace(".test", "\u3002test"),
}


def test_another_spelling_is_the_same_name(site):
    """It opens no account of its own, and signs the same user in."""
    email, password = new_name("maria"), new_password()
    site.sign_up(email, password)
    for spelling, write in SAME.items():
        written = write(email)
        answer = site.post("password/signup", {"loginId": written, "password": new_password()})
        assert (answer.status_code, answer.json()["errorCode"]) == (400, USER_EXISTS), spelling
        assert site.by_password(written, password).json()["user"]["loginIds"] == [email], spelling


@pytest.mark.parametrize("spelling", ALIKE)
def test_a_name_that_looks_like_another_is_given_to_nobody(site, spelling):
    """On each way to a new name: sign-up by password, code, authenticator and passkey, and a new address."""
    email = new_name("maria")
    session = site.sign_up(new_name("eve"))
    site.sign_up(email)
    written = ALIKE[spelling](email)
    own = site.wire.send("GET", "/v1/auth/me", bearer=f"{PROJECT_ID}:{session}").json()["loginIds"][0]
    calls = {
        "password/signup": {"loginId": written, "password": new_password()},
        "otp/signup/email": {"loginId": written},
        "magiclink/signup/email": {"loginId": written},
        "enchantedlink/signup/email": {"loginId": written},
        "totp/signup": {"loginId": written},
        "webauthn/signup/start": {"loginId": written, "origin": site.issuer},
    }
    for path, body in calls.items():
        answer = site.post(path, body)
        assert (answer.status_code, answer.json()["errorCode"]) == (400, MALFORMED), f"{path}: {answer.text}"
    body = {"loginId": own, "email": written, "addToLoginIDs": True}
    answer = site.post("otp/update/email", body, session)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, MALFORMED), answer.text
    site.call("otp/signup-in/email", {"loginId": written})
    assert not site.letters(written), "a code for a name that nobody gets"


def test_a_user_name_is_no_address_and_looks_like_none(site):
    """The settings give names without a proof: only plain ones."""
    email, password = new_name("maria"), new_password()
    site.sign_up(email, password)
    browser, page = site.browse(email, password, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    plain = f"plain{email.split('@')[0]}"
    for name in ("eve@example.test", "+4915112345678", "\uff45ve\uff20example.test", "e\u200bve", "\u0435ve", plain):
        browser.follow(browser.post(form.action, data=form.filled({"identifier": name, "action": "add"})))
    assert sorted(site.user(email)["loginIds"]) == sorted([email, plain])


def test_a_name_that_is_a_users_identifier_is_given_to_nobody(site):
    email = new_name("maria")
    site.sign_up(email)
    identifier = site.user(email)["userId"]
    answer = site.post("password/signup", {"loginId": identifier, "password": new_password()})
    assert (answer.status_code, answer.json()["errorCode"]) == (400, MALFORMED), answer.text
    assert site.post("totp/signup", {"loginId": identifier.upper()}).status_code == 400


@pytest.fixture
def tara(site):
    """A user with three names: address, number and user name; the names and the password."""
    email, password, phone = new_name("tara"), new_password(), f"+49151{abs(hash(new_name())) % 10**8:08}"
    session = site.sign_up(email, password)
    site.call("otp/update/phone/sms", {"loginId": email, "phone": phone, "addToLoginIDs": True}, session)
    site.call("otp/verify/sms", {"loginId": email, "code": site.code(phone)}, session)
    name = email.split("@")[0]
    browser, page = site.browse(email, password, "/settings/identifiers")
    form = next(form for form in page.forms if "identifier" in form.inputs)
    browser.post(form.action, data=form.filled({"identifier": name, "action": "add"}))
    assert len(site.user(email)["loginIds"]) == 3
    return [email, phone, name], password


def test_guesses_under_three_names_are_counted_together(site, tara):
    """A network has ten for the account, and not for each name: after that, not even the right password is compared.

    The network from which the user signed in before goes on.
    """
    names, password = tara
    stranger = "198.18.0.1"
    for index in range(GUESSES):
        answer = site.by_password(names[index % 3], "Not-the-password-1", network=stranger)
        assert answer.status_code in (400, 401), f"{index}: {answer.text}"
    for name in names:
        right = site.by_password(name, password, network=stranger)
        assert right.status_code in (400, 401), "the right password was told"
    body = {"loginId": names[0], "oldPassword": password, "newPassword": new_password()}
    assert site.post("password/replace", body, network=stranger).status_code in (400, 401)
    assert site.by_password(names[0], password).status_code == 200


def test_guesses_at_a_code_are_counted_under_three_names(site, tara):
    """Five for a network, forty for strangers together, whichever name is typed."""
    names, _ = tara
    site.call("otp/signin/email", {"loginId": names[0]})
    code = site.code(names[0])
    wrong = "000000" if code != "000000" else "111111"
    for index in range(48):
        body = {"loginId": names[index % 3], "code": wrong}
        answer = site.post("otp/verify/email", body, network=f"198.18.1.{index + 1}")
        assert answer.status_code in (400, 401, 429), answer.text
    answer = site.post("otp/verify/email", {"loginId": names[0], "code": code}, network="198.19.0.3")
    assert answer.json()["errorCode"] in (WRONG_CODE, "E061103"), answer.text
    assert "refreshJwt" not in answer.json()


def test_guesses_at_an_authenticator_are_counted_under_three_names(site, tara):
    """Whoever has the password guesses six digits: ten from one network, and then every code waits."""
    names, password = tara
    key, session = site.add_authenticator(names[0], site.by_password(names[0], password).json()["refreshJwt"])
    reference = site.by_password(names[0], password, network="198.19.0.4").json()["pendingRef"]
    answers = [
        site.post("totp/verify", {"loginId": names[index % 3], "code": "000000"}, reference, network="198.19.0.4")
        for index in range(14)
    ]
    assert answers[-1].status_code == 429, answers[-1].text
    for name in names:
        body = {"loginId": name, "code": site.totp(key)}
        assert site.post("totp/verify", body, reference, network="198.19.0.4").status_code == 429
    assert site.is_alive(session)
