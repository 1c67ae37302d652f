"""Attackers whose accounts claim the address of another user, and the server at which they sign in.

Each way ends with an account of the attacker's own, which never proved the address. A program that takes the claim
`email`, or a name, for who the user is must not hear it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pyotp
import requests

from support.configuration import MARIA, Client, Person
from support.project import PROJECT_ID, Wire
from support.relying_party import Provider, RelyingParty, SignedIn
from support.server import Server, free_port
from support.told_provider import CLIENT_ID, SECRET, ToldProvider
from support.visitor import Callback, Visitor

# Has an account in the programs, and none at the server until she proves her address.
NORA = Person("", "nora@example.test", "nine-narrow-nutmegs")
# A user who proves an address of her own.
EVE = Person("", "eve@elsewhere.test", "eleven-even-elevators")
PASSWORD = "some-long-pass-word-1"
SCOPE = "openid profile email phone"
PAGES_MAX = 8
NAMES = ("name", "given_name", "family_name", "middle_name", "nickname", "preferred_username")
_numbers = count(1)


@dataclass(frozen=True)
class Account:
    """An account, and how its user signs in.

    - `person`: who fills in the page; `None`: the session at an identity provider is enough.
    - `totp_key`: of the authenticator app, if there is one.
    - `proved`: the email address that the account did prove.
    - `wishes`: what the user adds to the request of the program, which passes through the browser.
    """

    person: Person | None
    totp_key: str | None = None
    proved: str | None = None
    wishes: dict = field(default_factory=dict)


class Place:
    """A server with open sign-up, with Maria, who proved her address, and one client for each program."""

    def __init__(self, folder: Path, clients: list[Client]):
        self.folder, self.clients, self.port = folder, clients, free_port()
        self.told = ToldProvider()
        # Addresses that are login IDs of the attacker's.
        self.claimed: set[str] = set()
        self.server: Server | None = None
        self.start()
        self.wire = Wire(self.base)
        self.provider = Provider(self.base)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **more) -> None:
        """Starts it, again if it runs. `more`: members of each client's entry."""
        if self.server is not None:
            self.server.stop()
        claimed = {name: MARIA.login for name in ("name", "nickname", "preferred_username")}
        self.server = Server(
            self.folder,
            {
                "issuer": self.base,
                "project": {"id": PROJECT_ID, "name": "Interop"},
                "delivery": {"outbox": True},
                "connections": [{
                    "id": "elsewhere", "name": "Elsewhere", "issuer": self.told.issuer, "client_id": CLIENT_ID,
                    "client_secret": SECRET,
                }],
                "clients": [client.entry() | more for client in self.clients],
                "users": [
                    MARIA.entry(),
                    # As another system knew it, which asked for no proof.
                    {"login_ids": ["moved"], "password": PASSWORD, "email": MARIA.login, "email_verified": False,
                     **claimed},
                ],
            },
            port=self.port,
        )

    def close(self) -> None:
        assert self.server.is_running(), f"the server is gone; its log ends:\n{self.server.log_tail()}"
        assert self.server.stop() == 0
        self.told.stop()

    # What attackers and users ask of the server.

    def call(self, path: str, body: dict, refresh: str | None = None) -> dict:
        """A call of the methods' wire that succeeds."""
        answer = self.wire.post(f"/v1/auth/{path}", body, bearer=f"{PROJECT_ID}:{refresh}" if refresh else PROJECT_ID)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"
        return answer.json()

    def sign_up(self, login: str, **user: str) -> dict:
        """An account with a password, and no proof of anything."""
        return self.call("password/signup", {"loginId": login, "password": PASSWORD, "user": user})

    def sign_up_by_code(self, login: str, password: str = PASSWORD, **user: str) -> str:
        """An account that proved its login ID; its refresh token."""
        method = "email" if "@" in login else "sms"
        self.call(f"otp/signup/{method}", {"loginId": login, "user": user})
        refresh = self.call(f"otp/verify/{method}", {"loginId": login, "code": self.code(login)})["refreshJwt"]
        self.call("password/update", {"loginId": login, "newPassword": password}, refresh)
        return refresh

    def code(self, to: str) -> str:
        letters = self.wire.send("GET", "/dev/outbox.json", bearer=None).json()
        return [letter["code"] for letter in letters if letter["to"] == to and letter.get("code")][-1]

    def pass_through(self, visitor: Visitor, first: requests.Response, who: Account) -> Callback:
        """From the program's redirect to the code that it gets, whatever lies between."""
        address, query = first.headers["Location"].split("?")
        arrival = visitor.open(f"{address}?{urlencode(dict(parse_qsl(query)) | who.wishes)}")
        for _ in range(PAGES_MAX):
            if isinstance(arrival, Callback):
                if not arrival.uri.startswith(self.told.issuer):
                    assert "code" in arrival.parameters, f"the server itself refused: {arrival.parameters}"
                    return arrival
                arrival = visitor.follow(visitor.get(arrival.url))
            elif arrival.name == "code" and who.totp_key:
                arrival = visitor.submit(arrival, {"code": pyotp.TOTP(who.totp_key).at(time.time() + 30)})
            else:
                assert who.person is not None, f"a page, and no person to fill it in: {arrival}"
                arrival = visitor.sign_in(arrival, who.person)
        raise AssertionError(f"more than {PAGES_MAX} pages, the last {arrival}")

    def sign_in(self, who: Account, client: Client, scope: str = SCOPE) -> SignedIn:
        """A sign-in of a program whose part the test plays itself."""
        rp, visitor = RelyingParty(self.provider, client), self.provider.visitor()
        request = rp.request(scope=scope, pkce=True)
        address = f"{self.provider.endpoint('authorization')}?{urlencode(request.parameters)}"
        redirect = requests.Response()
        redirect.headers["Location"] = address
        callback = self.pass_through(visitor, redirect, who)
        tokens = rp.accepted(rp.redeem(callback, request))
        return SignedIn(visitor, request, callback, tokens, {})


def _new_address() -> str:
    return f"mallory-{next(_numbers)}@elsewhere.test"


def _person(login: str) -> Person:
    return Person("", login, PASSWORD)


# The ways to an account that claims an address.


def beside_a_login_id(place: Place, address: str) -> Account:
    """One anonymous request."""
    login = _new_address()
    place.sign_up(login, email=address, name=address, givenName=address, middleName=address, familyName=address)
    return Account(_person(login))


def beside_a_user_name(place: Place, address: str) -> Account:
    login = f"mallory-{next(_numbers)}"
    place.sign_up(login, email=address)
    return Account(_person(login))


def as_login_id(place: Place, address: str) -> Account:
    """The address of a person without an account; another account's is refused."""
    if address not in place.claimed:
        place.sign_up(address, email=address, name=address)
        place.claimed.add(address)
    return Account(_person(address))


def beside_a_proved_phone_number(place: Place, address: str) -> Account:
    login = f"+4915{time.time_ns() // 1000 % 10**8:08}"
    place.sign_up_by_code(login, email=address, name=address)
    return Account(_person(login))


def beside_an_authenticator_app(place: Place, address: str) -> Account:
    login = _new_address()
    key = place.call("totp/signup", {"loginId": login, "user": {"email": address, "name": address}})["key"]
    code = pyotp.TOTP(key).at(time.time())
    refresh = place.call("totp/verify", {"loginId": login, "code": code})["refreshJwt"]
    place.call("password/update", {"loginId": login, "newPassword": PASSWORD}, refresh)
    return Account(_person(login), totp_key=key)


def asked_for_and_not_proved(place: Place, address: str) -> Account:
    """By the refresh token of an account that did prove another address, and in the settings; nothing is typed in."""
    login = _new_address()
    refresh = place.sign_up_by_code(login)
    asked = {"loginId": login, "email": address, "addToLoginIDs": True, "onMergeUseExisting": True}
    for method in ("otp", "magiclink", "enchantedlink"):
        place.call(f"{method}/update/email", asked, refresh)
    visitor = place.provider.visitor()
    visitor.sign_in(visitor.open("/settings"), _person(login))
    page = visitor.open("/settings/identifiers")
    form = next(form for form in page.forms if ("action", "add") in form.buttons)
    answer = visitor.post(form.action, data=form.filled({"identifier": address}, "add"))
    assert visitor.follow(answer).name == "code"
    return Account(_person(login), proved=login)


def with_the_code_of_another_address(place: Place, address: str) -> Account:
    """A code that reached the attacker, after the victim's address was asked for."""
    login, own = _new_address(), _new_address()
    refresh = place.sign_up_by_code(login)
    for email in (own, address):
        asked = {"loginId": login, "email": email, "addToLoginIDs": True, "onMergeUseExisting": True}
        place.call("otp/update/email", asked, refresh)
    # It proves what it was sent to.
    place.call("otp/verify/email", {"loginId": login, "code": place.code(own)})
    return Account(_person(login), proved=own)


def before_another_is_proved(place: Place, address: str) -> Account:
    """The address stands beside a login ID that the attacker proves later."""
    login = _new_address()
    place.sign_up(login, email=address)
    place.call("otp/signin/email", {"loginId": login})
    refresh = place.call("otp/verify/email", {"loginId": login, "code": place.code(login)})["refreshJwt"]
    place.call("password/update", {"loginId": login, "newPassword": PASSWORD}, refresh)
    return Account(_person(login), proved=login)


def in_names(place: Place, address: str) -> Account:
    """Of an account that proved another address."""
    login = _new_address()
    place.sign_up_by_code(login, name=address, givenName=address, middleName=address, familyName=address)
    visitor = place.provider.visitor()
    visitor.sign_in(visitor.open("/settings"), _person(login))
    profile = visitor.open("/settings/profile")
    fields = dict.fromkeys((*NAMES, "email"), address) | {"email_verified": "true"}
    assert visitor.submit(profile, fields).alert is None
    return Account(_person(login), proved=login)


def moved_from_elsewhere(place: Place, address: str) -> Account:
    """An account that the operator imported as it was."""
    assert address == MARIA.login
    return Account(_person("moved"))


def by_the_word_of_a_provider(place: Place, address: str) -> Account:
    """A provider whose word about addresses counts for nothing: the attacker's own, say, with an account linked."""
    login = _new_address()
    place.sign_up(login)
    names = dict.fromkeys(NAMES, address)
    place.told.token = {"sub": login} | names
    place.told.userinfo = {"sub": login} | names
    through = Account(_person(login), wishes={"connection": "elsewhere"})
    place.sign_in(through, place.clients[0])
    said = {"sub": login, "email": address, "email_verified": True} | names
    place.told.token, place.told.userinfo = said, said
    return Account(None, wishes=through.wishes)


def in_the_request(place: Place, address: str) -> Account:
    """The claims of the request say which values are wanted (OpenID Connect Core §5.5.1)."""
    login = _new_address()
    place.sign_up(login, email=address)
    wanted = {name: {"essential": True, "value": address} for name in ("email", *NAMES)}
    wanted["email_verified"] = {"value": True}
    wishes = {"claims": json.dumps({"userinfo": wanted, "id_token": wanted}), "login_hint": address, "scope": SCOPE}
    return Account(_person(login), wishes=wishes)


WAYS: dict[str, tuple[Callable[[Place, str], Account], Person]] = {
    "beside a login ID": (beside_a_login_id, MARIA),
    "beside a login ID, of a person without an account": (beside_a_login_id, NORA),
    "as the login ID, of a person without an account": (as_login_id, NORA),
    "beside a user name": (beside_a_user_name, MARIA),
    "beside a proved phone number": (beside_a_proved_phone_number, MARIA),
    "beside an authenticator app": (beside_an_authenticator_app, MARIA),
    "asked for and not proved": (asked_for_and_not_proved, MARIA),
    "asked for and not proved, of a person without an account": (asked_for_and_not_proved, NORA),
    "with the code of another address": (with_the_code_of_another_address, MARIA),
    "before another is proved": (before_another_is_proved, MARIA),
    "in names": (in_names, MARIA),
    "moved from elsewhere": (moved_from_elsewhere, MARIA),
    "by the word of a provider": (by_the_word_of_a_provider, MARIA),
    "by the word of a provider, of a person without an account": (by_the_word_of_a_provider, NORA),
    "in the request": (in_the_request, MARIA),
}
