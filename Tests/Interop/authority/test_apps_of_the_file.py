"""A client of the file takes the place of another maker's of its name: nothing that this one was given goes on there, also
if the file trusts it later than it names it."""

from __future__ import annotations

import pytest
import requests

from support.mobile_client import MobileClient


@pytest.fixture(scope="module", params=["at once", "later"])
def site(tmp_path_factory, request):
    """The file makes it an own app, which users are not asked about."""
    made = MobileClient(tmp_path_factory.mktemp("file"))
    if request.param == "later":
        made.name()
        assert not made.opens_settings(made.partners), "the control: it is named, and no own app"
    made.name(first_party=True)
    yield made
    assert made.server.stop() == 0


def test_the_own_app_opens_the_settings(site):
    """The control."""
    assert site.opens_settings(site.own_token())


def test_another_makers_token_opens_no_settings(site):
    assert not site.opens_settings(site.partners), "the maker is in the user's settings, and never had a yes to that"


def test_another_makers_token_is_not_renewed(site):
    renewed = requests.post(f"{site.server.base}/oauth2/token", timeout=20, data={
        "grant_type": "refresh_token", "client_id": "mobile", "refresh_token": site.partners})
    assert renewed.status_code == 400, "an own app's token, in the maker's hands"
