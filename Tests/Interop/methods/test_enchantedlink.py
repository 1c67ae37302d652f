"""Three links of which one is right, followed elsewhere, with the unchanged package."""

from __future__ import annotations

import re

import pytest

from support.messages import token_of
from support.methods import APP_PAGE, PENDING, SPENT_LINK, new_email, new_phone, refused


@pytest.fixture
def elsewhere(project):
    """The device on which the mail is read."""
    return project.new_client()


def still_waits(client, reference: str) -> None:
    """The poll of a link that nobody followed: 401, and the code by which pollers go on."""
    refused(lambda: client.enchantedlink.get_session(reference), PENDING, status=401)


def check_started(started: dict) -> None:
    assert re.fullmatch(r"\d\d", started["linkId"]), started
    assert len(started["pendingRef"]) >= 22, "the reference can be guessed"


def test_sign_up(project, client, elsewhere):
    """The right link on another device lets the one that waits in, and nobody else."""
    email = new_email()
    started = client.enchantedlink.sign_up(email, APP_PAGE, {"name": "Enno Enchanted"})
    check_started(started)
    assert "*" in started["maskedEmail"]
    still_waits(client, started["pendingRef"])
    links = project.mail.take(email).numbered()
    assert started["linkId"] in links and len({token_of(link) for link in links.values()}) == 3
    assert elsewhere.enchantedlink.verify(token_of(links[started["linkId"]])) is None
    answer = client.enchantedlink.get_session(started["pendingRef"])
    project.tokens(answer)
    assert answer["user"]["email"] == email and answer["user"]["verifiedEmail"] is True and answer["firstSeen"] is True
    refused(lambda: client.enchantedlink.get_session(started["pendingRef"]))


@pytest.mark.parametrize("place", [0, 1])
def test_wrong_link(project, client, elsewhere, place):
    """Whoever follows a wrong one did not see the number: refused, and the one who waits does not get in."""
    email = project.sign_up()["user"]["email"]
    started = client.enchantedlink.sign_in(email, APP_PAGE)
    links = project.mail.take(email).numbered()
    wrong = [link for number, link in links.items() if number != started["linkId"]]
    refused(lambda: elsewhere.enchantedlink.verify(token_of(wrong[place])))
    refused(lambda: client.enchantedlink.get_session(started["pendingRef"]))


def test_right_link_is_spent_once(project, client, elsewhere):
    email = new_email()
    started = client.enchantedlink.sign_up_or_in(email, APP_PAGE)
    token = token_of(project.mail.take(email).numbered()[started["linkId"]])
    elsewhere.enchantedlink.verify(token)
    refused(lambda: elsewhere.enchantedlink.verify(token), *SPENT_LINK)
    project.tokens(client.enchantedlink.get_session(started["pendingRef"]))


def test_the_link_alone_opens_nothing(project, client):
    """Its token is no magic link, and not the reference of the one who waits."""
    email = new_email()
    started = client.enchantedlink.sign_up_or_in(email, APP_PAGE)
    token = token_of(project.mail.take(email).numbered()[started["linkId"]])
    refused(lambda: client.magiclink.verify(token))
    refused(lambda: client.enchantedlink.get_session(token))
    refused(lambda: client.enchantedlink.verify(started["pendingRef"]))
    refused(lambda: client.enchantedlink.get_session(started["linkId"]))


def test_two_that_wait(project, client, elsewhere):
    """Each gets what was confirmed for it."""
    email = project.sign_up()["user"]["email"]
    started = []
    for _ in range(2):
        started.append(client.enchantedlink.sign_in(email, APP_PAGE) | {"links": project.mail.take(email).numbered()})
    first, second = started
    elsewhere.enchantedlink.verify(token_of(second["links"][second["linkId"]]))
    still_waits(client, first["pendingRef"])
    project.tokens(client.enchantedlink.get_session(second["pendingRef"]))


def test_sign_in_of_somebody_who_does_not_exist(project, client):
    """The same triple, and a poll that waits like any other."""
    email = new_email()
    started = client.enchantedlink.sign_in(email, APP_PAGE)
    check_started(started)
    still_waits(client, started["pendingRef"])
    project.mail.nothing(email)


def test_by_text_message(project, client, elsewhere):
    phone = new_phone()
    started = client.enchantedlink.sign_up_or_in_with_phone(phone, APP_PAGE)
    check_started(started)
    assert "*" in started["maskedPhone"]
    links = project.texts.take(phone).numbered()
    elsewhere.enchantedlink.verify(token_of(links[started["linkId"]]))
    answer = client.enchantedlink.get_session(started["pendingRef"])
    project.tokens(answer)
    assert answer["user"]["phone"] == phone


def test_update_email(near):
    first, client = near.sign_up(), near.client
    new = new_email("moved")
    started = client.enchantedlink.update_user_email(
        first["user"]["email"], new, first["refreshSessionToken"]["jwt"], add_to_login_ids=True
    )
    check_started(started)
    links = near.mail.take(new).numbered()
    near.new_client().enchantedlink.verify(token_of(links[started["linkId"]]))
    answer = client.enchantedlink.get_session(started["pendingRef"])
    assert answer["userId"] == first["userId"]
    assert client.me(answer["refreshSessionToken"]["jwt"])["email"] == new
