"""`project.sign_up` on the ways around it: what began while it was open, invited users, users without an account."""

from __future__ import annotations

import json

import pytest
import requests

from support.authenticator import Authenticator
from support.authgear_client import FULL_ACCESS, Authgear, AuthgearFailed
from support.configuration import Client
from support.own_account import APP, OwnAccounts, missing, new_name, new_password
from support.project import MANAGEMENT_KEY, PROJECT_ID

CLOSED_TO_STRANGERS = ("invited", "domains", "off")
REDIRECT = "com.example.harbour://host/path"
BANK = Client(
    "harbour-bank", None, "none", (REDIRECT,),
    {
        "application_type": "native", "profile": "authgear", "client_name": "Harbour Bank",
        "scope": f"openid offline_access {FULL_ACCESS}",
        "grant_types": [
            "authorization_code", "refresh_token", "urn:authgear:params:oauth:grant-type:anonymous-request"],
    },
)


@pytest.fixture
def open_site(tmp_path):
    made = OwnAccounts(tmp_path, clients=[APP, BANK])
    yield made
    made.close()


def close_sign_up(site: OwnAccounts, policy: str) -> None:
    more = {"sign_up_domains": ["acme.test"]} if policy == "domains" else {}
    rest = {key: value for key, value in site.configuration["project"].items() if not key.startswith("sign_up")}
    site.restart(project=rest | {"sign_up": policy, **more})


def exists(site: OwnAccounts, name: str) -> bool:
    answer = site.wire.post("/v2/mgmt/user/search", {"loginIds": [name]}, bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}")
    return bool(answer.json()["users"])


def invite(site: OwnAccounts, name: str, **more) -> None:
    site.manage("user/create", {"loginId": name, "email": name, "invite": True, **more})


@pytest.mark.parametrize("policy", ["invited", "domains"])
def test_what_began_while_it_was_open_makes_no_account(open_site, policy):
    """A code, a link, three links, an authenticator and a passkey that were on their way."""
    site = open_site
    by = {word: new_name(word) for word in ("otp", "magic", "enchanted", "totp", "passkey", "page")}
    site.call("otp/signup/email", {"loginId": by["otp"]})
    site.call("magiclink/signup-in/email", {"loginId": by["magic"]})
    started = site.call("enchantedlink/signup/email", {"loginId": by["enchanted"]})
    key = site.call("totp/signup", {"loginId": by["totp"]})["key"]
    browser = site.visitor()
    page = browser.open("/settings")
    page = browser.open(f"/signup?transaction={page.form.values['transaction']}")
    field = next(name for name in ("identifier", "email") if name in page.form.inputs)
    page = browser.submit(page, {"name": "Eve", field: by["page"], "password": new_password()})
    assert page.name == "code", page
    with Authenticator() as device:
        ceremony = site.call("webauthn/signup/start", {"loginId": by["passkey"], "origin": site.issuer})
        made = device.create(json.loads(ceremony["options"]), origin=site.issuer)
    body = {"transactionId": ceremony["transactionId"], "response": json.dumps(made)}
    letters = {word: site.letters(name) for word, name in by.items()}
    close_sign_up(site, policy)

    answers = [
        site.post("otp/verify/email", {"loginId": by["otp"], "code": letters["otp"][-1]["code"]}),
        site.post("totp/verify", {"loginId": by["totp"], "code": site.totp(key)}),
        site.post("webauthn/signup/finish", body),
    ]
    for word in ("magic", "enchanted"):
        method = "magiclink" if word == "magic" else "enchantedlink"
        for link in letters[word][-1]["links"]:
            if "t=" in link:
                answers.append(site.post(f"{method}/verify", {"token": link.split("t=")[1].split("&")[0]}))
    answers.append(site.post("enchantedlink/pending-session", {"pendingRef": started["pendingRef"]}))
    browser.send(page, {"code": letters["page"][-1]["code"]})
    assert browser.open("/settings").name == "login"
    assert all(400 <= answer.status_code < 500 for answer in answers), [answer.text[:100] for answer in answers]
    assert not [name for name in by.values() if exists(site, name)]


def anonymous(site: OwnAccounts) -> Authgear:
    """An app whose user has no account."""
    app = Authgear(site.base, BANK.client_id, REDIRECT)
    app.authenticate_anonymously()
    return app


def test_users_without_an_account_are_made_only_where_it_is_open(open_site):
    """They prove nothing. Who is there stays."""
    known = anonymous(open_site)
    for policy in CLOSED_TO_STRANGERS:
        close_sign_up(open_site, policy)
        with pytest.raises(AuthgearFailed) as caught:
            anonymous(open_site)
        assert caught.value.error == "access_denied", policy
        known.authenticate_anonymously()


def add_address(site: OwnAccounts, app: Authgear, email: str) -> None:
    """What a user without an account does in the settings that the app shows."""
    browser = site.visitor()
    page = browser.open("/oauth2/authorize", {
        "response_type": "none", "client_id": BANK.client_id, "redirect_uri": f"{site.issuer}/settings/identifiers",
        "scope": "openid", "prompt": "none", "login_hint": app._app_session_hint(),
    })
    form = next((form for form in page.forms if "identifier" in form.inputs), None)
    if form:
        page = browser.follow(browser.post(form.action, data=form.filled({"identifier": email, "action": "add"})))
        if page.name == "code":
            browser.submit(page, {"code": site.code(email)})


def test_a_user_without_an_account_gets_one_only_where_the_setting_allows_it(open_site):
    """The settings give an address to whoever has a session; the first one makes an account of it."""
    apps = {policy: anonymous(open_site) for policy in ("open", *CLOSED_TO_STRANGERS)}
    opened = {}
    for policy, app in apps.items():
        if policy != "open":
            close_sign_up(open_site, policy)
        email = new_name("anna")
        add_address(open_site, app, email)
        opened[policy] = exists(open_site, email)
    assert opened == {"open": True, "invited": False, "domains": False, "off": False}


def test_an_invited_user_comes_in_by_the_address_alone(tmp_path):
    """A password that somebody set opens nothing before the address is proved, on no way."""
    site = OwnAccounts(tmp_path, project={"sign_up": "invited"})
    email, password = new_name("ida"), new_password()
    invite(site, email)
    site.manage("user/password/set/active", {"loginId": email, "password": password})
    before = site.user(email)
    assert before["status"] == "invited"
    assert missing(site.by_password(email, password)) == "address_proof"
    replaced = new_password()
    body = {"loginId": email, "oldPassword": password, "newPassword": replaced}
    assert "refreshJwt" not in site.post("password/replace", body).json()
    assert site.browse(email, password)[1].name == "login"
    assert site.browse(email, replaced)[1].name == "login"
    assert site.user(email)["status"] == "invited"
    assert site.is_alive(site.signed_in_by_code(email))
    assert site.user(email)["status"] == "enabled"
    site.close()


def test_nobody_is_invited_where_sign_up_is_off(tmp_path):
    site = OwnAccounts(tmp_path, project={"sign_up": "off"})
    email, password = new_name("ida"), new_password()
    invite(site, email)
    site.manage("user/password/set/active", {"loginId": email, "password": password})
    for path in ("otp/signup-in/email", "otp/signin/email", "magiclink/signin/email"):
        site.call(path, {"loginId": email})
    for letter in site.letters(email):
        if letter.get("code"):
            answer = site.post("otp/verify/email", {"loginId": email, "code": letter["code"]})
            assert answer.status_code in (400, 401, 403) and "refreshJwt" not in answer.json(), answer.text
        for link in letter.get("links", []):
            if "t=" in link:
                answer = site.post("magiclink/verify", {"token": link.split("t=")[1].split("&")[0]})
                assert answer.status_code in (400, 401, 403) and "refreshJwt" not in answer.json(), answer.text
    assert site.by_password(email, password).status_code in (400, 401, 403)
    assert site.browse(email, password)[1].name == "login"
    assert site.user(email)["status"] == "invited"
    site.manage("user/update/status", {"loginId": email, "status": "enabled"})
    assert site.by_password(email, password).status_code == 200
    site.close()


def test_a_self_registered_client_and_the_token_endpoint_make_nobody(open_site):
    """No grant of the token endpoint makes a user of a name that was never proved."""
    close_sign_up(open_site, "invited")
    for grant in ("password", "urn:ietf:params:oauth:grant-type:jwt-bearer"):
        answer = requests.post(f"{open_site.base}/oauth2/token", timeout=20, data={
            "grant_type": grant, "client_id": APP.client_id, "username": new_name("eve"), "password": new_password(),
            "assertion": "e30.e30.e30"})
        assert answer.status_code == 400, answer.text
