"""mod_auth_openidc in Apache, as Debian ships it: sign-in, both algorithms, form_post, logout from either side."""

from __future__ import annotations

import time

import pytest

from support.apache import Apache, is_installed
from support.configuration import MARIA
from support.pages import Page
from support.visitor import Callback

pytestmark = pytest.mark.skipif(
    not is_installed(), reason="apache2-bin and libapache2-mod-auth-openidc are not installed and could not be"
)


@pytest.fixture(scope="module")
def apache(provider, apache_ports):
    server = Apache(apache_ports[0], provider.issuer, "apache-app")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def elliptic_apache(provider, apache_ports):
    """The same with ES256 and answers by form."""
    server = Apache(apache_ports[1], provider.issuer, "apache-es256-app", algorithm="ES256", response_mode="form_post")
    yield server
    server.stop()


def enter(apache: Apache, visitor, *, mode: str = "query"):
    """Somebody opens a protected page, signs in if asked, and reads it."""
    first = visitor.get(apache.address)
    assert first.status_code == 302, f"status {first.status_code}\n{apache.log_tail()}"
    assert "code_challenge_method=S256" in first.headers["Location"]
    arrival = visitor.follow(first)
    if isinstance(arrival, Page):
        arrival = visitor.sign_in(arrival)
    assert isinstance(arrival, Callback) and arrival.mode == mode, f"the app was not reached: {arrival}"
    if mode == "form_post":
        response = visitor.post(arrival.uri, data=arrival.parameters)
    else:
        response = visitor.get(arrival.url)
    assert response.status_code == 302, f"status {response.status_code}\n{apache.log_tail()}"
    assert response.headers["Location"] == apache.address
    check_inside(apache, visitor)


def check_inside(apache: Apache, visitor) -> None:
    response = visitor.get(apache.address)
    assert response.status_code == 200, f"status {response.status_code}\n{apache.log_tail()}"
    assert response.headers["X-Remote-User"].split("@")[0] == MARIA.sub


def is_inside(apache: Apache, visitor) -> bool:
    return visitor.get(apache.address).status_code == 200


def test_mod_auth_openidc_signs_in(apache, visitor):
    """302 to us, code and S256, a session, the page, `REMOTE_USER`."""
    enter(apache, visitor)


def test_mod_auth_openidc_with_es256_and_form_post(elliptic_apache, visitor):
    enter(elliptic_apache, visitor, mode="form_post")


def test_mod_auth_openidc_signs_out(apache, app, visitor):
    """The module's own logout leads through ours and back."""
    enter(apache, visitor)
    after = f"{apache.base}/open/signed-out"
    response = visitor.get(f"{apache.base}/protected/callback", params={"logout": after})
    arrival = visitor.follow(response)
    assert isinstance(arrival, Callback) and arrival.uri == after, f"not back: {arrival}"
    assert not is_inside(apache, visitor)
    assert not app("first-app").is_signed_in(visitor)


def test_mod_auth_openidc_is_told_of_logouts(apache, app, visitor):
    """Back-channel logout: the person signs out at another app, and the module's session is over."""
    enter(apache, visitor)
    rp = app("first-app")
    signed_in = rp.sign_in(visitor, person=None)
    visitor.open(rp.provider.endpoint("end_session"), {"id_token_hint": signed_in.id_token})
    deadline = time.monotonic() + 10
    while is_inside(apache, visitor) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not is_inside(apache, visitor), f"the session lives on\n{apache.log_tail()}"
