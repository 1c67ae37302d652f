"""Basic OP and Form Post OP: when a person is asked, and what the request may say about it (Core §3.1.2.1)."""

from __future__ import annotations

import time

from support.configuration import MARIA
from support.modules import basic_module
from support.pages import Page
from support.visitor import Callback


def check_asks_again(rp, visitor, first, **parameters: str):
    """Somebody who is signed in must sign in again; returns the second sign-in."""
    time.sleep(2)
    request = rp.request(**parameters)
    page = rp.open(visitor, request)
    assert isinstance(page, Page) and page.name in ("login", "password"), f"nobody was asked: {page}"
    callback = visitor.sign_in(page, MARIA)
    assert isinstance(callback, Callback), f"the app was not reached: {callback}"
    answer = rp.accepted(rp.redeem(callback, request))
    claims = rp.check_id_token(answer, request, code=callback["code"])
    assert claims["sub"] == first.claims["sub"]
    assert claims["auth_time"] > first.claims["auth_time"], "auth_time is not later"


def check_asks_nobody(rp, visitor, first, **parameters: str):
    """Somebody who is signed in is let through: same person, same time of signing in."""
    second = rp.sign_in(visitor, person=None, **parameters)
    assert second.claims["sub"] == first.claims["sub"]
    assert second.claims.get("auth_time") == first.claims.get("auth_time")
    return second


@basic_module("oidcc-display-page")
def test_display_page(plan):
    plan.first.sign_in(display="page")


@basic_module("oidcc-display-popup")
def test_display_popup(plan):
    plan.first.sign_in(display="popup")


@basic_module("oidcc-prompt-login")
def test_prompt_login_asks_again(plan):
    first = plan.first.sign_in()
    check_asks_again(plan.first, first.visitor, first, prompt="login")


@basic_module("oidcc-prompt-none-not-logged-in")
def test_prompt_none_without_a_session(plan):
    """An error by redirect; no page (Core §3.1.2.6)."""
    visitor = plan.visitor()
    callback = plan.first.authorize(visitor, plan.first.request(prompt="none"), person=None)
    assert callback["error"] in ("login_required", "interaction_required", "account_selection_required")


@basic_module("oidcc-prompt-none-logged-in")
def test_prompt_none_with_a_session(plan):
    first = plan.first.sign_in()
    check_asks_nobody(plan.first, first.visitor, first, prompt="none")


@basic_module("oidcc-max-age-1")
def test_max_age_that_is_over_asks_again(plan):
    first = plan.first.sign_in()
    check_asks_again(plan.first, first.visitor, first, max_age="1")


@basic_module("oidcc-max-age-10000")
def test_max_age_that_is_not_over_asks_nobody(plan):
    first = plan.first.sign_in()
    second = check_asks_nobody(plan.first, first.visitor, first, max_age="10000")
    assert "auth_time" in second.claims, "max_age without auth_time (Core §2)"


@basic_module("oidcc-id-token-hint")
def test_id_token_hint(plan):
    """`prompt=none` for the person of the hint."""
    first = plan.first.sign_in()
    check_asks_nobody(plan.first, first.visitor, first, prompt="none", id_token_hint=first.id_token)


@basic_module("oidcc-login-hint")
def test_login_hint(plan):
    """Accepted, and filled in for the person."""
    visitor = plan.visitor()
    request = plan.first.request(login_hint=MARIA.login)
    page = plan.first.open(visitor, request)
    assert isinstance(page, Page) and page.name == "login"
    assert page.form.values.get("username", MARIA.login) == MARIA.login
    assert isinstance(visitor.sign_in(page), Callback)


@basic_module("oidcc-ui-locales")
def test_ui_locales(plan):
    """Accepted; the page speaks the first language that the server has."""
    visitor = plan.visitor()
    page = plan.first.open(visitor, plan.first.request(ui_locales="tlh de en"))
    assert isinstance(page, Page) and page.name == "login"
    assert (page.language or "").split("-")[0] == "de"
    assert isinstance(visitor.sign_in(page), Callback)


@basic_module("oidcc-claims-locales")
def test_claims_locales(plan):
    plan.first.sign_in(claims_locales="de")


@basic_module("oidcc-ensure-request-with-acr-values-succeeds")
def test_acr_values(plan):
    """A wish, not a demand: the sign-in succeeds and says what it was worth."""
    assert plan.first.sign_in(acr_values="1 2").claims.get("acr")
