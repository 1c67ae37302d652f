"""A second factor that is lost, from the sign-in page to a new one, as a browser without scripts sees it."""

from __future__ import annotations

import sqlite3
import time

import pyotp
import pytest

from support.methods import EMAIL, new_password
from support.visitor import Visitor

STEP_SECONDS = 30


class Loser:
    """A user with a proved mailbox, a password and an authenticator, who has lost the authenticator."""

    def __init__(self, project):
        self.project, self.password = project, new_password()
        answer = project.sign_up()
        self.email, self.user = answer["user"]["email"], answer["userId"]
        project.mgmt.user.set_active_password(self.email, self.password)
        project.mail.take(self.email)
        project.client.otp.sign_in(EMAIL, self.email)
        code = project.mail.take(self.email).code
        refresh = project.client.otp.verify_code(EMAIL, self.email, code)["refreshSessionToken"]["jwt"]
        self.key = project.client.totp.update_user(self.email, refresh)["key"]
        project.client.totp.sign_in_code(self.email, pyotp.TOTP(self.key).at(time.time() - STEP_SECONDS))
        project.mail.take(self.email)

    def visitor(self) -> Visitor:
        return Visitor(self.project.base, self.project.server.issuer)

    def second_factor(self, visitor: Visitor):
        """As far as the page that asks for the code of the authenticator."""
        page = visitor.open("/settings")
        assert page.name == "login"
        page = visitor.submit(page, {"username": self.email, "password": self.password})
        assert page.name == "code", page
        return page

    def prove(self, visitor: Visitor):
        """The password and a code of a mail; the page that follows."""
        page = visitor.submit(self.second_factor(visitor), button="lost")
        assert page.name == "lost-factor" and self.email not in page.soup.get_text()
        page = visitor.submit(page, button="0")
        assert page.name == "code", page
        mail = self.project.mail.take(self.email)
        assert "remove" in mail.subject and "knows your password" in mail.text
        return visitor.submit(page, {"code": mail.code})

    def wait(self) -> None:
        """As if the delay were over: the database's times are those of three days ago."""
        with sqlite3.connect(self.project.server.folder / "keyturn.db", timeout=30) as database:
            changed = database.execute(
                "UPDATE recovery SET begun_at = begun_at - 259200, ready_at = ready_at - 259200,"
                " expires_at = expires_at - 259200 WHERE user_id = ?",
                (self.user,),
            ).rowcount
        assert changed == 1

    def has_authenticator(self) -> bool:
        return self.project.mgmt.user.load(self.email)["user"]["TOTP"]


@pytest.fixture
def loser(project) -> Loser:
    return Loser(project)


def test_the_whole_way(project, loser):
    """Two proofs, a message, a wait, two proofs, a message: signed in, and a new authenticator can be added."""
    page = loser.prove(loser.visitor())
    assert page.name == "lost-factor-step", page
    begun = project.mail.take(loser.email)
    assert "will be removed" in begun.subject and begun.link.startswith(f"{project.server.issuer}/recovery/cancel?t=")
    early = loser.prove(loser.visitor())
    assert early.name == "lost-factor-step" and "remove" not in {value for _, value in early.form.buttons}
    loser.wait()
    visitor = loser.visitor()
    page = loser.prove(visitor)
    assert "remove" in {value for _, value in page.form.buttons} and loser.has_authenticator()
    assert visitor.cookie() is None
    page = visitor.submit(page, button="remove")
    assert page.name == "settings", page
    assert not loser.has_authenticator()
    project.mail.take(loser.email, about="recovered")
    assert visitor.open("/settings/authenticators").status == 200
    # The password is enough again, until there is another factor.
    other = loser.visitor()
    page = other.submit(other.open("/settings"), {"username": loser.email, "password": loser.password})
    assert page.name == "settings"


def test_the_link_of_the_message(project, loser):
    """Looking at it changes nothing; its button cancels, without a sign-in."""
    loser.prove(loser.visitor())
    link = project.mail.take(loser.email).link
    scanner = loser.visitor()
    for method in ("GET", "HEAD", "GET"):
        scanner.request(method, link)
    reader = loser.visitor()
    page = reader.open(link)
    assert page.name == "recovery-cancel" and len(page.forms) == 1
    done = reader.submit(page)
    assert done.name == "done" and done.soup.find("a", href="/settings/password")
    assert reader.cookie() is None
    page = loser.prove(loser.visitor())
    assert (page.status, page.name) == (429, "lost-factor")
    assert int(page.response.headers["Retry-After"]) > 80_000
    assert loser.has_authenticator()


def test_the_factor_ends_it(project, loser):
    """A sign-in with the factor shows that it is not lost: the page that would have removed it is over."""
    loser.prove(loser.visitor())
    project.mail.take(loser.email)
    loser.wait()
    ready_visitor = loser.visitor()
    ready = loser.prove(ready_visitor)
    assert "remove" in {value for _, value in ready.form.buttons}
    visitor = loser.visitor()
    page = visitor.submit(loser.second_factor(visitor), {"code": pyotp.TOTP(loser.key).now()})
    assert page.name == "settings", page
    late = ready_visitor.submit(ready, button="remove")
    assert late.status == 400 and loser.has_authenticator()
