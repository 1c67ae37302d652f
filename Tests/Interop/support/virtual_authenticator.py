"""Chromium's virtual authenticators: what is plugged in, who is at it, what it keeps."""

from __future__ import annotations

import base64
from pathlib import Path

from playwright.sync_api import Page

from support.authenticator import Authenticator, decode

UPGRADE = Path(__file__).with_name("granted_upgrade.js")


class VirtualAuthenticator:
    """One authenticator of one page."""

    def __init__(self, session, identifier: str):
        self._session, self._identifier = session, identifier

    def credentials(self) -> list[dict]:
        """What it keeps: `credentialId`, `rpId`, `userHandle` (bytes; `None` if not resident), `signCount`, …"""
        found = self._ask("getCredentials")["credentials"]
        for one in found:
            one["credentialId"] = _bytes(one["credentialId"])
            one["userHandle"] = _bytes(one["userHandle"]) if one.get("userHandle") else None
        return found

    def forget(self, credential_id: bytes) -> None:
        self._ask("removeCredential", credentialId=_text(credential_id))

    def verify_user(self, succeeds: bool) -> None:
        """Whether the finger on it is the right one."""
        self._ask("setUserVerified", isUserVerified=succeeds)

    def touch(self, happens: bool) -> None:
        """Whether anybody touches it at all; without that, a ceremony waits."""
        self._ask("setAutomaticPresenceSimulation", enabled=happens)

    def unplug(self) -> None:
        self._ask("removeVirtualAuthenticator")

    def _ask(self, method: str, **parameters) -> dict:
        return self._session.send(f"WebAuthn.{method}", {"authenticatorId": self._identifier, **parameters})


class VirtualAuthenticators:
    """Those of one page. A page that opens none has no authenticator."""

    def __init__(self, page: Page):
        self._session = page.context.new_cdp_session(page)
        self._session.send("WebAuthn.enable")

    def phone(self, **options) -> VirtualAuthenticator:
        """What is built in: resident keys, a finger, backups."""
        return self.add(
            transport="internal",
            hasResidentKey=True,
            hasUserVerification=True,
            isUserVerified=True,
            defaultBackupEligibility=True,
            defaultBackupState=True,
            **options,
        )

    def security_key(self, *, resident: bool = False, verifies: bool = False, **options) -> VirtualAuthenticator:
        """What is plugged in."""
        return self.add(
            transport="usb", hasResidentKey=resident, hasUserVerification=verifies, isUserVerified=verifies, **options
        )

    def old_security_key(self) -> VirtualAuthenticator:
        """One that knows U2F alone."""
        return self.add(protocol="u2f", transport="usb")

    def add(self, **options) -> VirtualAuthenticator:
        options = {"protocol": "ctap2", "automaticPresenceSimulation": True, **options}
        if options["protocol"] == "ctap2":
            options.setdefault("ctap2Version", "ctap2_1")
        answer = self._session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        return VirtualAuthenticator(self._session, answer["authenticatorId"])


def _bytes(text: str) -> bytes:
    return decode(text.replace("+", "-").replace("/", "_").rstrip("="))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def grant_upgrades(page: Page, device: Authenticator) -> None:
    """From the next page on, the browser makes a passkey with this authenticator if it is asked quietly: nobody is
    there."""
    page.expose_function(
        "makeQuietly", lambda options: device.create(options, user_present=False, user_verified=False)
    )
    page.add_init_script(path=UPGRADE)
