"""Users of an app of Authgear who have no account, and get one later: written from the sheet of its wire alone."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
import requests

from support.authgear_client import CLAIM, GRANT, AuthgearFailed, payload
from support.browsing import check_page, fill_and_send
from support.configuration import MARIA
from support.methods import new_email
from support.secrets_seen import remember
from support.tour import DEVICES, Tour
from support.visitor import Callback, Visitor


@pytest.fixture
def guest(authgear):
    app = authgear()
    app.authenticate_anonymously()
    return app


def code_of(site, address: str) -> str:
    messages = requests.get(f"{site.base}/dev/outbox.json", timeout=30).json()
    messages = messages["messages"] if isinstance(messages, dict) else messages
    return next(message["code"] for message in reversed(messages) if message["to"] == address)


def sign_up(site, visitor: Visitor, page) -> tuple[Callback, str]:
    """From the sign-in page to the app, with a new account."""
    address = new_email("guest")
    link = re.search(r"/signup\?transaction=[\w-]+", page.response.text)
    assert link, f"no way to sign up on {page}"
    form = visitor.open(site.base + link.group(0))
    page = visitor.submit(form, {"name": "Gina Guest", form_field(form): address}, button="code")
    assert page.name == "code", page
    callback = visitor.submit(page, {"code": code_of(site, address)})
    assert isinstance(callback, Callback), callback
    return callback, address


def form_field(page) -> str:
    return next(name for name in ("identifier", "email") if name in page.form.inputs)


def test_a_key_is_a_user_and_the_same_one_again(authgear):
    app = authgear()
    info = app.authenticate_anonymously()
    assert info.is_anonymous and not info.is_verified and not info.can_reauthenticate
    claims = payload(app.id_token)
    assert claims[CLAIM + "is_anonymous"] is True and claims[CLAIM + "can_reauthenticate"] is False
    first = app.keychain.refresh_token
    app.refresh()
    assert app.fetch_user_info().sub == info.sub
    again = app.authenticate_anonymously()
    assert again.sub == info.sub and app.keychain.refresh_token != first
    other = authgear()
    assert other.authenticate_anonymously().sub != info.sub


def test_a_key_that_is_not_known_is_refused_in_the_word_that_ends_it(guest):
    key = guest.keychain.keys[guest.keychain.anonymous_key_id]
    guest.keychain.anonymous_key_id = "0B1C2D3E-0000-4000-8000-000000000000"
    guest.keychain.keys[guest.keychain.anonymous_key_id] = key
    with pytest.raises(AuthgearFailed) as failure:
        guest.authenticate_anonymously()
    assert (failure.value.status, failure.value.error, failure.value.description) == (
        400,
        "invalid_grant",
        "InvalidCredentials",
    )


def test_a_signed_request_counts_once(authgear):
    app = authgear()
    jwt = app._anonymous_request("auth")
    fields = {"jwt": jwt, "x_device_info": app.device_info}
    assert app.token(f"{GRANT}anonymous-request", fields).status_code == 200
    with pytest.raises(AuthgearFailed) as failure:
        app.token(f"{GRANT}anonymous-request", fields)
    assert failure.value.description == "InvalidCredentials"


def test_who_signs_up_stays_who_they_are(site, guest):
    sub = guest.fetch_user_info().sub
    visitor = Visitor(site.base, site.issuer)
    page, finish = guest.begin_promotion(visitor)
    assert page.name == "login"
    callback, address = sign_up(site, visitor, page)
    info = finish(callback["code"])
    assert info.sub == sub and not info.is_anonymous and info.is_verified
    assert info.members["email"] == address
    guest.refresh()
    assert payload(guest.id_token)[CLAIM + "is_anonymous"] is False


def test_who_has_an_account_is_asked_and_goes_on_with_it(site, guest):
    visitor = Visitor(site.base, site.issuer)
    page, finish = guest.begin_promotion(visitor)
    question = visitor.sign_in(page, MARIA)
    assert question.name == "promotion"
    callback = visitor.submit(question, button="bring")
    info = finish(callback["code"])
    assert info.sub == MARIA.sub and not info.is_anonymous


def test_who_cancels_stays_a_guest(site, guest):
    sub, visitor = guest.fetch_user_info().sub, Visitor(site.base, site.issuer)
    page, _ = guest.begin_promotion(visitor)
    callback = visitor.submit(visitor.sign_in(page, MARIA), button="deny")
    assert callback["error"] == "access_denied"
    assert guest.authenticate_anonymously().sub == sub


def test_a_request_to_promote_counts_once_and_not_to_sign_in(site, guest):
    hint = guest.promotion_hint()
    jwt = hint.split("jwt=")[1]
    with pytest.raises(AuthgearFailed) as failure:
        guest.token(f"{GRANT}anonymous-request", {"jwt": jwt, "x_device_info": guest.device_info})
    assert failure.value.error == "invalid_request"
    first, finish = guest.begin_promotion(Visitor(site.base, site.issuer), hint)
    thief = Visitor(site.base, site.issuer)
    second, steal = guest.begin_promotion(thief, hint)
    visitor = Visitor(site.base, site.issuer)
    # The second transaction is of another browser, with the same request.
    callback, _ = sign_up(site, visitor, first)
    stolen, _ = sign_up(site, thief, second)
    assert not finish(callback["code"]).is_anonymous
    with pytest.raises(AuthgearFailed) as failure:
        steal(stolen["code"])
    assert failure.value.error == "invalid_grant"


def api(site, path: str, **body) -> requests.Response:
    return requests.post(
        f"{site.base}/api/anonymous_user/{path}", json={"session_type": "refresh_token", **body}, timeout=30
    )


def test_a_page_without_keys_has_users_and_promotes_them_by_a_code(site, guest):
    answer = api(site, "signup", client_id="authgear-app")
    assert answer.status_code == 200, answer.text
    tokens = answer.json()["result"]
    assert set(tokens) == {"access_token", "token_type", "expires_in", "refresh_token"}
    for name in ("access_token", "refresh_token"):
        remember(name, tokens[name])
    sub = guest._user_info(tokens["access_token"]).sub
    again = api(site, "signup", client_id="authgear-app", refresh_token=tokens["refresh_token"]).json()["result"]
    remember("access_token", again["access_token"])
    assert guest._user_info(again["access_token"]).sub == sub
    code = api(site, "promotion_code", refresh_token=tokens["refresh_token"]).json()["result"]
    assert isinstance(code["expire_at"], str)
    remember("promotion code", code["promotion_code"])
    hint = urlencode({"type": "anonymous", "promotion_code": code["promotion_code"]})
    visitor = Visitor(site.base, site.issuer)
    page, finish = guest.begin_promotion(visitor, f"https://authgear.com/login_hint?{hint}")
    callback, _ = sign_up(site, visitor, page)
    info = finish(callback["code"])
    assert info.sub == sub and not info.is_anonymous
    gone = api(site, "promotion_code", refresh_token=tokens["refresh_token"])
    # No key is bound to the session, so it ended with the promotion: others may have a copy of the token.
    assert gone.status_code == 403 and gone.json()["error"]["reason"] == "InvalidGrant"


def test_sessions_in_cookies_are_refused_by_name(site):
    answer = api(site, "signup", client_id="authgear-app", session_type="cookie")
    assert answer.status_code == 400 and answer.json()["error"]["reason"] == "SessionTypeNotSupported"
    assert api(site, "signup", client_id="plain-app").status_code == 403
    assert api(site, "promotion_code", refresh_token="nobody.knows-this").json()["error"]["reason"] == "InvalidGrant"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_question_can_be_read(site, guest, open_window, theme, device):
    for language in ("en", "de"):
        page = open_window(color_scheme=theme, **DEVICES[device]).page
        address = guest.promotion_address(ui_locales=language)
        page.goto(address.replace(site.issuer, site.base) if site.base != site.issuer else address)
        check_page(page, "login")
        fill_and_send(page, MARIA)
        check_page(page, "promotion")
        tour = Tour(page, f"{language}-{theme}-{device}")
        tour.look("promotion")
        assert not tour.problems, "\n".join(tour.problems)
