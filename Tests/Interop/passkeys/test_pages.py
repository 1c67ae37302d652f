"""The pages of passkeys, light and dark, on a phone and on a desk, in two languages: see `support/tour.py`."""

from __future__ import annotations

import pytest

from support.browsing import check_page
from support.hosted_visitor import PASSKEYS, ceremony, signed_up_by_passkey_alone, without_autofill
from support.methods import new_email
from support.tour import DEVICES, Tour


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page(visitor, project, callback_receiver, theme, device, language):
    """Fits, can be read, in both languages."""
    nina = visitor(color_scheme=theme, locale=language, **DEVICES[device])
    tour = Tour(nina.page, f"{language}-{theme}-{device}")
    without_autofill(nina.page)
    phone = nina.devices.phone()
    nina.open("/settings")
    nina.page.wait_for_selector("#passkey:visible")
    tour.look("passkey-login")
    nina.sign_in(offer=None)
    nina.page.wait_for_selector("body[data-quiet=over]")
    tour.look("passkey-offer")
    nina.open("/settings/passkeys")
    tour.look("passkeys-none")
    nina.add_passkey()
    tour.look("passkeys-added")
    nina.open("/settings/passkeys")
    tour.look("passkeys-sign-in-again")
    nina.show_what_is_there()
    phone.unplug()
    key = nina.devices.security_key(resident=True, verifies=True)
    nina.add_passkey()
    nina.page.locator("#passkey").click()
    nina.page.wait_for_selector("#passkey-problem")
    tour.look("passkeys-excluded")
    nina.page.locator("button[value=off]").first.click()
    check_page(nina.page, PASSKEYS)
    nina.rows().last.locator("details.rename summary").click()
    tour.look("passkeys-list")
    nina.page.locator("a.remove").first.click()
    check_page(nina.page, "settings-passkey-remove")
    tour.look("passkey-remove")
    key.unplug()
    started = project.client.webauthn.sign_up_start(new_email(), project.origin, {"name": "Nina"})
    nina.open(ceremony(project, callback_receiver, started))
    tour.look("passkey-ceremony")
    only, _ = signed_up_by_passkey_alone(visitor, project, color_scheme=theme, locale=language, **DEVICES[device])
    only.open("/settings/passkeys")
    only.page.locator("a.remove").click()
    check_page(only.page, "settings-passkey-remove")
    last = Tour(only.page, tour.name)
    last.look("passkey-only")
    assert not tour.problems + last.problems, "\n".join(tour.problems + last.problems)
