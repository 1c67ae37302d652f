"""Attack 89: the second factor of an account is asked for on every way in of the methods' wire."""

from __future__ import annotations

import time

import pyotp
import pytest

from support.configuration import MARIA
from support.project import PROJECT_ID, Wire
from support.server import Server


class Site:
    """A server, and a user who may have an authenticator app."""

    def __init__(self, folder, **settings):
        self.server = Server(
            folder,
            {
                "project": {"id": PROJECT_ID, **settings.pop("project", {})},
                "delivery": {"outbox": True},
                "users": [MARIA.entry()],
                **settings,
            },
        )
        self.wire = Wire(self.server.base)
        self.steps = 0

    def password(self):
        return self.wire.post("/v1/auth/password/signin", {"loginId": MARIA.login, "password": MARIA.password})

    def totp(self, key: str, reference: str | None = None):
        # Each time step counts once: codes of the next ones are early, and taken.
        code = pyotp.TOTP(key).at(time.time() + 30 * self.steps)
        self.steps += 1
        bearer = PROJECT_ID if reference is None else f"{PROJECT_ID}:{reference}"
        return self.wire.post("/v1/auth/totp/verify", {"loginId": MARIA.login, "code": code}, bearer=bearer)

    def enrol(self) -> str:
        refresh = self.password().json()["refreshJwt"]
        made = self.wire.post("/v1/auth/totp/update", {"loginId": MARIA.login}, bearer=f"{PROJECT_ID}:{refresh}")
        assert made.status_code == 200, made.text
        assert self.totp(made.json()["key"], refresh).status_code == 200
        return made.json()["key"]


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    yield site
    assert site.server.stop() == 0


def test_attack_89_a_stolen_password_opens_nothing(site):
    """The refusal names what is missing, and the code completes this very sign-in."""
    key = site.enrol()
    refused = site.password()
    body = refused.json()
    assert refused.status_code == 403 and body["missing"] == "second_factor" and "refreshJwt" not in body
    reference = body["pendingRef"]
    for path in ("/v1/auth/refresh", "/v1/auth/logout", "/v1/auth/me"):
        method = "GET" if path.endswith("/me") else "POST"
        answer = site.wire.send(method, path, None if method == "GET" else {}, bearer=f"{PROJECT_ID}:{reference}")
        assert answer.status_code == 401, path
    done = site.totp(key, reference)
    assert done.status_code == 200, done.text
    assert {"pwd", "totp", "mfa"} <= set(claims(done.json()["sessionJwt"])["amr"])


def test_attack_89_a_mailbox_opens_nothing(site):
    """A code by mail and the link of a reset are one factor each."""
    site.enrol()
    site.wire.post("/v1/auth/otp/signin/email", {"loginId": MARIA.login})
    code = last(site)["code"]
    answer = site.wire.post("/v1/auth/otp/verify/email", {"loginId": MARIA.login, "code": code})
    assert answer.status_code == 403 and answer.json()["missing"] == "second_factor"
    site.wire.post("/v1/auth/password/reset", {"loginId": MARIA.login})
    token = last(site)["links"][0].split("t=")[1]
    answer = site.wire.post("/v1/auth/magiclink/verify", {"token": token})
    assert answer.status_code == 403 and answer.json()["missing"] == "second_factor"


def test_who_has_none_sets_one_up_before_the_session(tmp_path):
    """`project.second_factor: required`."""
    site = Site(tmp_path, project={"second_factor": "required"})
    refused = site.password().json()
    assert refused["missing"] == "second_factor_setup" and "refreshJwt" not in refused
    bearer = f"{PROJECT_ID}:{refused['pendingRef']}"
    key = site.wire.post("/v1/auth/totp/update", {"loginId": MARIA.login}, bearer=bearer).json()["key"]
    done = site.totp(key, refused["pendingRef"])
    assert done.status_code == 200 and done.json()["refreshJwt"]
    assert site.password().json()["missing"] == "second_factor"
    assert site.server.stop() == 0


def test_the_setting_brings_the_old_answer_back(tmp_path):
    """`methods.password_beside_second_factor`."""
    site = Site(tmp_path, methods={"password_beside_second_factor": True})
    site.enrol()
    assert site.password().status_code == 200
    assert site.server.stop() == 0


def last(site: Site) -> dict:
    return site.wire.send("GET", "/dev/outbox.json", bearer=None).json()[-1]


def claims(token: str) -> dict:
    import base64
    import json

    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
