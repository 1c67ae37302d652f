"""A person's own passkeys in their settings, in Chromium."""

from __future__ import annotations

import json

import pytest

from support.browsing import check_page
from support.forger import Forger
from support.hosted_visitor import PASSKEYS, signed_up_by_passkey_alone, with_passkey, without_autofill
from support.pages import Page as PlainPage
from support.raw import all_at_once


def test_the_list(visitor):
    """Add, rename, switch off and on, remove; each time a sentence says what happened."""
    nina, _ = with_passkey(visitor)
    nina.open("/settings/passkeys")
    row = nina.rows().first
    row.locator("details.rename summary").click()
    row.locator("input[name=name]").fill("Nina's phone <b>")
    row.locator("button[value=rename]").click()
    check_page(nina.page, PASSKEYS)
    assert "Nina's phone <b>" in nina.rows().first.inner_text()
    assert nina.page.locator("[role=status]").first.inner_text().strip()
    for name in ("", " ", "x" * 65):
        row = nina.rows().first
        row.locator("details.rename summary").click()
        row.locator("input[name=name]").evaluate("(field, name) => { field.removeAttribute('maxlength'); field.value = name }", name)
        row.locator("button[value=rename]").click()
        check_page(nina.page, PASSKEYS)
    assert "Nina's phone <b>" in nina.rows().first.inner_text()
    nina.page.locator("button[value=off]").first.click()
    check_page(nina.page, PASSKEYS)
    assert nina.rows().first.locator("button[value=on]").count() == 1
    nina.page.locator("button[value=on]").first.click()
    check_page(nina.page, PASSKEYS)
    nina.page.locator("a.remove").first.click()
    check_page(nina.page, "settings-passkey-remove")
    nina.page.locator("button[value=deny]").click()
    check_page(nina.page, PASSKEYS)
    assert nina.rows().count() == 1


def test_the_same_device_twice(visitor):
    """It is excluded: a sentence says so, and nothing is added."""
    nina, device = with_passkey(visitor)
    without_autofill(nina.page)
    nina.open("/settings/passkeys")
    nina.show_what_is_there()
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector("#passkey-problem[role=alert]")
    assert len(device.credentials()) == nina.rows().count() == 1
    assert nina.page.locator("#passkey").is_enabled()


def test_the_only_way_in_stays(visitor, project):
    """Neither removed nor switched off, by the page or by a form that the page does not show; with a second one it is."""
    nina, device = signed_up_by_passkey_alone(visitor, project)
    nina.open("/settings/passkeys")
    nina.page.locator("button[value=off]").click()
    check_page(nina.page, PASSKEYS)
    assert nina.page.locator("[role=alert]").is_visible() and nina.page.locator("button[value=off]").count() == 1
    nina.page.locator("a.remove").click()
    check_page(nina.page, "settings-passkey-remove")
    assert nina.page.locator("button[value=remove]").count() == 0
    assert nina.page.locator("[role=alert]").is_visible()
    identifier = nina.page.url.split("id=")[1]
    nina.open("/settings/passkeys")
    with nina.page.expect_navigation():
        nina.page.evaluate(
            """id => { const form = document.querySelector("form[method=post]");
            form.setAttribute("action", "/settings/passkeys/remove");
            for (const [name, value] of [["action", "remove"], ["id", id]]) {
              const field = document.createElement("input"); field.type = "hidden"; field.name = name; field.value = value;
              form.append(field); }
            HTMLFormElement.prototype.submit.call(form); }""",
            identifier,
        )
    nina.open("/settings/passkeys")
    assert nina.rows().count() == 1
    device.unplug()
    nina.devices.security_key(resident=True, verifies=True)
    nina.add_passkey()
    nina.page.locator("button[value=off]").first.click()
    check_page(nina.page, PASSKEYS)
    assert nina.page.locator("button[value=on]").count() == 1


@pytest.mark.parametrize("action", ["remove", "off"])
def test_ten_at_once_leave_one(visitor, project, action):
    """Ten tabs, a passkey each, and no other way in: one of them stays. What a tab may do ends when another one removed a
    passkey: it is told so, and the user tries again."""
    nina, _ = signed_up_by_passkey_alone(visitor, project)
    webauthn = project.client.webauthn
    for _ in range(9):
        started = webauthn.update_start(nina.email, nina.refresh, project.origin)
        options = json.loads(started["options"])
        made = Forger("localhost", project.origin).create(options)
        webauthn.update_finish(started["transactionId"], json.dumps(made))
    nina.open("/settings/passkeys")
    assert nina.rows().count() == 10
    identifiers = [row.get_attribute("data-passkey-id") for row in nina.rows().all()]
    path = f"{project.origin}/settings/passkeys" + ("/remove" if action == "remove" else "")
    http = [nina.http() for _ in identifiers]
    bodies = []
    for connection, identifier in zip(http, identifiers):
        form = PlainPage(connection.get(path, params={"id": identifier}, timeout=20)).form
        bodies.append({**form.values, "id": identifier, "action": action})

    def attempt(number: int) -> int:
        return http[number].post(path, data=bodies[number], allow_redirects=False, timeout=20).status_code

    statuses = all_at_once(len(bodies), attempt)
    assert set(statuses) <= {303, 400, 422} and 303 in statuses, statuses
    for number, status in enumerate(statuses):
        if status == 400:
            statuses[number] = attempt(number)
    assert sorted(statuses) == [303] * 9 + [422], statuses
    nina.open("/settings/passkeys")
    assert nina.page.locator("button[value=off]").count() == 1
