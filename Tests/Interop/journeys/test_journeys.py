"""The journeys of the examples, walked in Chromium: in three languages, light and dark, on a phone and on a desk."""

from __future__ import annotations

import subprocess
import time
import uuid

import requests

from support.browsing import check_page, fill_and_send, primary
from support.configuration import MARIA
from support.tour import DEVICES
from journeys.conftest import MANAGEMENT_KEY, PROJECT


def fresh() -> str:
    return f"{uuid.uuid4().hex[:12]}@example.com"


def type_code(page, site, address: str) -> None:
    check_page(page, "code")
    page.locator("input[name=code]").fill(site.code_for(address))
    primary(page).click()


def set_up(page) -> None:
    """Enters the first code of a new authenticator app."""
    key = "".join(page.locator(".key code").text_content().split())
    program = ["oathtool", "--totp", "--base32", key]
    code = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    page.locator("input[name=code]").fill(code.strip())
    primary(page).click()
    check_page(page, "recovery-codes")


def test_an_invited_person_joins_a_team(site, visit):
    page, tour, _ = visit
    address = fresh()
    body = {
        "loginId": address,
        "email": address,
        "invite": True,
        "inviteUrl": f"{site.issuer}/",
        "userTenants": [{"tenantId": "north"}, {"tenantId": "south"}],
    }
    site.manage("user/create", body)
    start, verifier = site.begin("invite", login_hint=address)
    page.goto(start)
    check_page(page, "signup")
    tour.look("invite-who")
    assert page.locator("input[type=password]").count() == 0
    # The account is there already: the user signs in.
    page.locator(".links a").last.click()
    check_page(page, "login")
    tour.look("invite-sign-in")
    page.locator("input[name=username]").fill(address)
    page.locator("button[value=code]").click()
    type_code(page, site, address)
    check_page(page, "journey-step")
    tour.look("invite-terms")
    page.locator("button[value=accept]").click()
    page.locator("input[name=field-given_name]").wait_for()
    tour.look("invite-about")
    page.locator("input[name=field-given_name]").fill("Nadia")
    page.locator("select").select_option("captain")
    primary(page).click()
    page.locator("button[name=tenant]").first.wait_for()
    tour.look("invite-team")
    page.locator("button[value=south]").click()
    claims = site.claims(page, verifier)
    assert claims["dct"] == "south"
    user = requests.get(
        f"{site.issuer}/v1/mgmt/user",
        params={"loginId": address},
        headers={"Authorization": f"Bearer {PROJECT}:{MANAGEMENT_KEY}"},
        timeout=10,
    ).json()["user"]
    assert user["customAttributes"] == {"job": "captain"} and user["givenName"] == "Nadia"


def test_a_shop_asks_one_question_each_time(site, visit):
    page, tour, _ = visit
    address = fresh()
    site.manage("user/create", {"loginId": address, "email": address, "verifiedEmail": True})
    # Users of the same second count as new.
    time.sleep(1.1)
    names = []
    for answer in ["Acme", "12", "AB-123"]:
        start, verifier = site.begin("profile", prompt="login", login_hint=address)
        page.goto(start)
        page.locator("input[name=username]").fill(address)
        page.locator("button[value=code]").click()
        type_code(page, site, address)
        field = page.locator("input[name^=field-]")
        field.wait_for()
        names.append(field.get_attribute("name"))
        tour.look(f"profile-{names[-1]}")
        if answer != "Acme":
            field.fill("AB-12X" if answer == "AB-123" else "0")
            primary(page).click()
            page.locator("[aria-invalid=true]").wait_for()
            tour.look(f"profile-{names[-1]}-wrong")
        page.locator("input[name^=field-]").fill(answer)
        primary(page).click()
        assert site.claims(page, verifier)["amr"] == ["otp"]
    assert names == ["field-company", "field-ships", "field-berth"]
    start, verifier = site.begin("profile", login_hint=address)
    page.goto(start)
    # Nothing is left to ask, and the session is enough; but any program could wait at the app's address.
    check_page(page, "continue")
    primary(page).click()
    assert site.claims(page, verifier)["amr"] == ["otp"]


def test_a_payment_needs_a_fresh_second_factor(site, visit):
    page, tour, _ = visit
    address = fresh()
    site.manage("user/create", {"loginId": address, "email": address, "verifiedEmail": True})
    start, verifier = site.begin("payment", login_hint=address)
    page.goto(start)
    check_page(page, "login")
    tour.look("payment-sign-in")
    page.locator("input[name=username]").fill(address)
    page.locator("button[value=code]").click()
    type_code(page, site, address)
    check_page(page, "totp-setup")
    tour.look("payment-set-up")
    set_up(page)
    tour.look("payment-recovery-codes")
    primary(page).click()
    claims = site.claims(page, verifier)
    assert claims["acr"] == "urn:example:acr:payment" and "mfa" in claims["amr"]
    # The same by its class, from the session, within five minutes.
    start, verifier = site.begin("payment", acr_values="urn:example:acr:payment")
    page.goto(start.replace("journey=payment&", ""))
    check_page(page, "continue")
    primary(page).click()
    assert site.claims(page, verifier)["acr"] == "urn:example:acr:payment"


def test_no_password_is_asked_for(site, visit):
    page, tour, language = visit
    address = fresh()
    start, verifier = site.begin("passwordless")
    page.goto(start)
    check_page(page, "login")
    headings = {"en": "Welcome aboard", "de": "Willkommen an Bord", "ar": "أهلًا بك على متن السفينة"}
    assert page.locator("h1").inner_text() == headings[language]
    tour.look("passwordless")
    assert page.locator("input[type=password]").count() == 0
    page.locator(".links a").last.click()
    check_page(page, "signup")
    assert page.locator("input[type=password]").count() == 0
    tour.look("passwordless-sign-up")
    page.locator("input[name=name]").fill("Noor")
    page.locator("input[autocomplete=email], input[name=identifier]").first.fill(address)
    page.locator("button[value=code]").click()
    type_code(page, site, address)
    claims = site.claims(page, verifier)
    assert claims["amr"] == ["otp"]


def test_a_kiosk_is_approved_on_a_telephone(site, visit, open_window):
    page, tour, _ = visit
    telephone = open_window(**DEVICES["phone"]).page
    telephone.goto(f"{site.issuer}/settings/approvals")
    check_page(telephone, "login")
    fill_and_send(telephone, MARIA)
    check_page(telephone, "settings-approvals")
    start, verifier = site.begin("kiosk")
    page.goto(start)
    check_page(page, "login")
    tour.look("kiosk-who")
    assert page.locator("input[type=password]").count() == 0
    page.locator("input[name=username]").fill(MARIA.login)
    page.locator("button[value=approval]").click()
    check_page(page, "approval")
    tour.look("kiosk-number")
    telephone.reload()
    telephone.locator("input[name=number]").first.fill(page.locator(".number strong").inner_text())
    telephone.locator("button[value=allow]").first.click()
    check_page(telephone, "settings-approvals")
    assert site.claims(page, verifier)["amr"] == ["mca"]


def test_a_lost_account_comes_back_by_mailbox_desk_and_a_new_factor(site, desk, visit):
    page, tour, _ = visit
    address = fresh()
    site.manage("user/create", {"loginId": address, "email": address, "verifiedEmail": True})
    desk.outcomes.append("unknown")
    start, _ = site.begin("recovery")
    page.goto(start)
    check_page(page, "login")
    tour.look("recovery-who")
    page.locator("input[name=username]").fill(address)
    page.locator("button[value=code]").click()
    type_code(page, site, address)
    check_page(page, "journey-step")
    tour.look("recovery-refused")
    assert "+1 555 0100" in page.inner_text("main")
    page.locator("button[value=deny]").click()
    page.wait_for_url(lambda url: "error=access_denied" in url)

    start, verifier = site.begin("recovery")
    page.goto(start)
    page.locator("input[name=username]").fill(address)
    page.locator("button[value=code]").click()
    type_code(page, site, address)
    check_page(page, "totp-setup")
    set_up(page)
    primary(page).click()
    assert "mfa" in site.claims(page, verifier)["amr"]
    assert desk.bodies[-1]["journey"] == "recovery" and desk.bodies[-1]["claims"]["email"] == address
    assert desk.keys[-1] != desk.keys[-2]


def test_the_theme_of_a_journey_is_its_own(site, open_window):
    page = open_window().page
    colours = []
    for journey in ("recovery", "profile"):
        page.goto(site.begin(journey)[0])
        colours.append(page.evaluate("getComputedStyle(document.querySelector('button.primary')).backgroundColor"))
    assert colours[0] == "rgb(122, 31, 92)" and colours[1] != colours[0]


def test_a_journey_that_is_not_there_is_an_error_of_the_request(site, open_window):
    page = open_window().page
    page.goto(site.begin("no-such-journey")[0])
    page.wait_for_url(lambda url: "error=invalid_request" in url)


def test_another_browser_does_not_go_on(site, open_window):
    page = open_window().page
    address = fresh()
    site.manage("user/create", {"loginId": address, "email": address, "verifiedEmail": True})
    page.goto(site.begin("payment")[0])
    page.locator("input[name=username]").fill(address)
    page.locator("button[value=code]").click()
    type_code(page, site, address)
    check_page(page, "totp-setup")
    thief = open_window().page
    thief.goto(site.begin("profile")[0])
    thief.goto(page.url)
    check_page(thief, "error")
