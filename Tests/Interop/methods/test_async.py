"""`DescopeClientAsync`: the same server for the package's other client, many at once."""

from __future__ import annotations

import asyncio

import pytest
from descope import AuthException

from support.methods import APP_PAGE, EMAIL, new_email, new_password
from support.project import MANAGEMENT_KEY

AT_ONCE = 8


def run(project, journey, **options):
    """Runs a journey with a client of its own."""

    async def whole():
        async with project.new_async_client(**options) as client:
            return await journey(client)

    return asyncio.run(whole())


def test_code_and_session(project):
    email = new_email()

    async def journey(client):
        await client.otp.sign_up(EMAIL, email, {"name": "Asa Async"})
        code = await asyncio.to_thread(lambda: project.mail.take(email).code)
        answer = await client.otp.verify_code(EMAIL, email, code)
        session, refresh = project.tokens(answer)
        assert (await client.validate_session(session))["userId"] == answer["userId"]
        assert (await client.me(refresh))["name"] == "Asa Async"
        renewed = await client.refresh_session(refresh)
        await client.logout(renewed["refreshSessionToken"]["jwt"])
        with pytest.raises(AuthException) as caught:
            await client.refresh_session(refresh)
        assert caught.value.status_code == 401

    run(project, journey)


def test_link_and_password(project):
    email, password = new_email(), new_password()

    async def journey(client):
        await client.magiclink.sign_up_or_in(EMAIL, email, APP_PAGE)
        token = await asyncio.to_thread(lambda: project.mail.take(email).token)
        _, refresh = project.tokens(await client.magiclink.verify(token))
        await client.password.update(email, password, refresh)
        project.tokens(await client.password.sign_in(email, password))

    run(project, journey)


def test_many_at_once(project):
    """Refreshes of one token in the same moment: all get a session, of one person."""
    answer, _ = project.sign_up_with_password()
    _, refresh = project.tokens(answer)

    async def journey(client):
        answers = await asyncio.gather(*(client.refresh_session(refresh) for _ in range(AT_ONCE)))
        assert {each["sessionToken"]["sub"] for each in answers} == {answer["userId"]}
        await client.refresh_session(answers[-1]["refreshSessionToken"]["jwt"])

    run(project, journey)


def test_management(project):
    async def journey(client):
        logins = [new_email() for _ in range(AT_ONCE)]
        await asyncio.gather(*(client.mgmt.user.create(login, email=login) for login in logins))
        found = await client.mgmt.user.search_all(login_ids=logins)
        assert {user["loginIds"][0] for user in found["users"]} == set(logins)

    run(project, journey, management_key=MANAGEMENT_KEY)
