"""Test users, in the order in which the vendor's own end-to-end suite goes; embedded links."""

from __future__ import annotations

import time

import pytest
from descope import LoginOptions
from descope.management._user_base import CreateUserObj

from support.messages import token_of
from support.methods import APP_PAGE, BAD_CODE, EMAIL, SMS, SPENT_LINK, new_email, new_phone, refused


@pytest.fixture
def tester(mgmt) -> str:
    email = new_email("tester")
    user = mgmt.user.create_test_user(email, email=email, phone=new_phone(), display_name="Tess Test")["user"]
    assert user["test"] is True
    return email


def test_code_first_sign_up_second(project, client, mgmt, tester):
    """The code was made before anybody signed up, and still counts; signing up again succeeds."""
    generated = mgmt.user.generate_otp_for_test_user(EMAIL, tester)
    assert generated["loginId"] == tester and len(generated["code"]) == 6
    client.otp.sign_up(EMAIL, tester, {"name": "Tess Test"})
    answer = client.otp.verify_code(EMAIL, tester, generated["code"])
    project.tokens(answer)
    assert answer["user"]["test"] is True and answer["user"]["loginIds"] == [tester]


def test_code_first_sign_in_second(project, client, mgmt, tester):
    code = mgmt.user.generate_otp_for_test_user(EMAIL, tester)["code"]
    client.otp.sign_in(EMAIL, tester)
    project.tokens(client.otp.verify_code(EMAIL, tester, code))
    refused(lambda: client.otp.verify_code(EMAIL, tester, code), *BAD_CODE)


def test_code_by_text_message(project, client, mgmt, tester):
    code = mgmt.user.generate_otp_for_test_user(SMS, tester, LoginOptions(custom_claims={"k": 1}))["code"]
    answer = client.otp.verify_code(SMS, tester, code)
    project.tokens(answer)
    assert answer["sessionToken"]["nsec"] == {"k": 1}


def test_magic_link(project, client, mgmt, tester):
    """The token stands in query `t`."""
    generated = mgmt.user.generate_magic_link_for_test_user(EMAIL, tester, APP_PAGE)
    assert generated["loginId"] == tester and generated["link"].startswith(APP_PAGE)
    client.magiclink.sign_in(EMAIL, tester, APP_PAGE)
    token = token_of(generated["link"])
    project.tokens(client.magiclink.verify(token))
    refused(lambda: client.magiclink.verify(token), *SPENT_LINK)


def test_enchanted_link(project, client, mgmt, tester):
    generated = mgmt.user.generate_enchanted_link_for_test_user(tester, APP_PAGE)
    refused(lambda: client.enchantedlink.get_session(generated["pendingRef"]), "E062503", status=401)
    client.enchantedlink.verify(token_of(generated["link"]))
    answer = client.enchantedlink.get_session(generated["pendingRef"])
    project.tokens(answer)
    assert answer["user"]["loginIds"] == [tester] == [generated["loginId"]]


def test_only_for_test_users(project, mgmt):
    """Nobody reads the codes of real people."""
    email = new_email()
    project.sign_up(email)
    for generate in (
        lambda: mgmt.user.generate_otp_for_test_user(EMAIL, email),
        lambda: mgmt.user.generate_magic_link_for_test_user(EMAIL, email, APP_PAGE),
        lambda: mgmt.user.generate_enchanted_link_for_test_user(email, APP_PAGE),
    ):
        refused(generate)
    project.mail.nothing(email, 0.2)


def test_search_and_removal(mgmt, tester):
    """Found only where one asks for them; removed all at once, and nobody else."""
    real = new_email()
    mgmt.user.create(real, email=real)

    def found(search, **marks) -> list[str]:
        return [user["loginIds"][0] for user in search(**marks)["users"]]

    logins = [tester, real]
    assert found(mgmt.user.search_all, login_ids=logins) == [real]
    assert sorted(found(mgmt.user.search_all, login_ids=logins, with_test_user=True)) == sorted(logins)
    assert found(mgmt.user.search_all, login_ids=logins, test_users_only=True, with_test_user=True) == [tester]
    assert found(mgmt.user.search_all_test_users, login_ids=logins) == [tester]
    mgmt.user.delete_all_test_users()
    assert found(mgmt.user.search_all_test_users) == []
    assert found(mgmt.user.search_all, login_ids=logins) == [real]


def test_embedded_link(project, client, mgmt):
    """A token for an operator's own message: signs in once, with the operator's claims."""
    email = new_email()
    user_id = project.sign_up(email)["userId"]
    token = mgmt.user.generate_embedded_link(email, {"campaign": "spring"})
    answer = client.magiclink.verify(token)
    project.tokens(answer)
    assert answer["userId"] == user_id and "campaign" in str(answer["sessionToken"])
    refused(lambda: client.magiclink.verify(token), *SPENT_LINK)


def test_embedded_link_runs_out(project, client, mgmt):
    email = new_email()
    project.sign_up(email)
    token = mgmt.user.generate_embedded_link(email, timeout=1)
    time.sleep(2.1)
    refused(lambda: client.magiclink.verify(token), *SPENT_LINK)


def test_embedded_link_for_somebody_new(project, client, mgmt):
    email = new_email()
    user = CreateUserObj(email=email, name="Emma Embedded")
    answer = client.magiclink.verify(mgmt.user.generate_sign_up_embedded_link(email, user, email_verified=True))
    project.tokens(answer)
    assert answer["firstSeen"] is True and answer["user"]["name"] == "Emma Embedded"
    assert answer["user"]["verifiedEmail"] is True
