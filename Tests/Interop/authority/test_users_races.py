"""Two devices do the same at the same moment, or one does while the other takes the ground away: one of them wins."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from support.own_account import OwnAccounts, new_name, new_password
from support.project import MANAGEMENT_KEY, PROJECT_ID, Wire


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    made = OwnAccounts(tmp_path_factory.mktemp("races"), project={"approval": {"seconds": 120}})
    yield made
    made.close()


def at_once(*actions: Callable) -> list:
    """What each answers; all begin together."""
    gate, answers = threading.Barrier(len(actions)), [None] * len(actions)

    def run(index: int) -> None:
        gate.wait()
        answers[index] = actions[index]()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def posting(site: OwnAccounts, path: str, body: dict, shown: str | None = None) -> Callable:
    """A call on a connection of its own."""
    wire, bearer = Wire(site.base), f"{PROJECT_ID}:{shown}" if shown else PROJECT_ID
    return lambda: wire.post(f"/v1/auth/{path}", body, bearer=bearer)


def winners(answers: list) -> int:
    assert all(answer.status_code in (200, 400, 401, 403, 429) for answer in answers), [a.text for a in answers]
    return sum(answer.status_code == 200 for answer in answers)


@pytest.fixture
def rae(site):
    email, password = new_name("rae"), new_password()
    return email, password, site.sign_up(email, password)


def test_one_code_opens_one_session(site, rae):
    site.call("otp/signin/email", {"loginId": rae[0]})
    body = {"loginId": rae[0], "code": site.code(rae[0])}
    assert winners(at_once(*[posting(site, "otp/verify/email", body) for _ in range(4)])) == 1


def test_one_link_opens_one_session(site, rae):
    site.call("magiclink/signin/email", {"loginId": rae[0]})
    body = {"token": site.tokens(rae[0])[0]}
    assert winners(at_once(*[posting(site, "magiclink/verify", body) for _ in range(4)])) == 1


def test_one_time_step_of_an_authenticator_counts_once(site, rae):
    key, _ = site.add_authenticator(rae[0], rae[2])
    references = [site.by_password(*rae[:2]).json()["pendingRef"] for _ in range(4)]
    body = {"loginId": rae[0], "code": site.totp(key)}
    assert winners(at_once(*[posting(site, "totp/verify", body, one) for one in references])) == 1


def test_one_reference_is_completed_once(site, rae):
    key, _ = site.add_authenticator(rae[0], rae[2])
    reference = site.by_password(*rae[:2]).json()["pendingRef"]
    bodies = [{"loginId": rae[0], "code": site.totp(key)} for _ in range(2)]
    assert winners(at_once(*[posting(site, "totp/verify", body, reference) for body in bodies])) <= 1


def test_one_password_is_replaced_once(site, rae):
    bodies = [{"loginId": rae[0], "oldPassword": rae[1], "newPassword": new_password()} for _ in range(3)]
    answers = at_once(*[posting(site, "password/replace", body) for body in bodies])
    assert winners(answers) == 1
    good = [site.by_password(rae[0], body["newPassword"]).status_code == 200 for body in bodies]
    assert good == [answer.status_code == 200 for answer in answers]


def test_one_name_goes_to_one_of_two(site):
    name = new_name("rob")
    bodies = [{"loginId": name, "password": new_password()} for _ in range(3)]
    assert winners(at_once(*[posting(site, "password/signup", body) for body in bodies])) == 1
    assert sum(site.by_password(name, body["password"]).status_code == 200 for body in bodies) == 1


def test_two_authenticators_that_are_confirmed_at_once_leave_one(site, rae):
    """Each was begun in a session that might."""
    other = site.by_password(*rae[:2]).json()["refreshJwt"]
    keys = [site.call("totp/update", {"loginId": rae[0]}, one)["key"] for one in (rae[2], other)]
    bodies = [{"loginId": rae[0], "code": site.totp(key)} for key in keys]
    assert winners(at_once(*[posting(site, "totp/verify", body) for body in bodies])) == 1
    references = [site.by_password(*rae[:2]).json()["pendingRef"] for _ in keys]
    after = [
        site.post("totp/verify", {"loginId": rae[0], "code": site.totp(key)}, one).status_code == 200
        for key, one in zip(keys, references, strict=True)
    ]
    assert sum(after) == 1


@pytest.mark.parametrize("turn", range(2))
def test_no_session_outlives_a_sign_out_everywhere(site, rae, turn):
    """Sign-ins, refreshes and authenticators at the moment of it: what began before is over afterwards."""
    email, password, own = rae
    site.call("otp/signin/email", {"loginId": email})
    code = site.code(email)
    key = site.call("totp/update", {"loginId": email}, own)["key"] if turn % 2 else None
    answers = at_once(
        posting(site, "logoutall", {}, site.by_password(email, password).json()["refreshJwt"]),
        posting(site, "otp/verify/email", {"loginId": email, "code": code}),
        posting(site, "refresh", {}, own),
        *([posting(site, "totp/verify", {"loginId": email, "code": site.totp(key)})] if key else []),
    )
    assert answers[0].status_code == 200
    assert not site.is_alive(own)
    refreshed = answers[2].json().get("refreshJwt")
    assert not refreshed or not site.is_alive(refreshed)


@pytest.mark.parametrize("turn", range(2))
def test_an_account_is_merged_into_one_of_two(site, turn):
    """Two users with her mailbox: there is one account afterwards that has the address, and none of it twice."""
    victim = new_name("vera")
    own = site.sign_up(victim)
    thieves = []
    for _ in range(2):
        name = new_name("mallory")
        session = site.sign_up(name)
        site.call("otp/update/email", {"loginId": name, "email": victim, "addToLoginIDs": True}, session)
        thieves.append((name, session, site.code(victim)))
    answers = at_once(*[
        posting(site, "otp/verify/email", {"loginId": name, "code": code}, session) for name, session, code in thieves])
    assert any(answer.status_code == 200 for answer in answers)
    assert not site.is_alive(own)
    # The second may have merged with what the first had by then.
    holders = {site.user(name)["userId"] for name, _, _ in thieves if victim in site.user(name)["loginIds"]}
    assert holders == {site.user(victim)["userId"]}


@pytest.mark.parametrize("turn", range(2))
def test_a_status_change_wins_over_a_sign_in(site, rae, turn):
    email, password, own = rae
    manage = Wire(site.base)
    answers = at_once(
        lambda: manage.post(
            "/v1/mgmt/user/update/status", {"loginId": email, "status": "disabled"},
            bearer=f"{PROJECT_ID}:{MANAGEMENT_KEY}"),
        posting(site, "password/signin", {"loginId": email, "password": password}),
        posting(site, "refresh", {}, own),
    )
    assert answers[0].status_code == 200
    for answer in answers[1:]:
        if answer.status_code == 200:
            assert not site.is_alive(answer.json()["refreshJwt"])


def test_one_approval_is_collected_once(site, rae):
    phone, _ = site.browse(*rae[:2])
    desk, page, number = site.ask_for_approval(rae[0])
    site.approve(phone, number)
    twin = site.visitor()
    for cookie in desk.session.cookies:
        twin.session.cookies.set_cookie(cookie)
    at_once(*[lambda browser=browser: browser.submit(page, button="refresh") for browser in (desk, twin)])
    assert [browser.open("/settings").name for browser in (desk, twin)].count("settings") == 1
