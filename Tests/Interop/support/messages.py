"""Messages as people get them, in the order in which they arrive."""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from support.secrets_seen import remember

ARRIVAL_SECONDS = 10
CODE = re.compile(r"(?<![\w/=.-])(\d{6})(?![\w-])")
LINK = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]")


@dataclass
class Message:
    """What somebody reads."""

    to: str
    subject: str
    text: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        # A call reads the digits one by one.
        text = re.sub(r"(?<=\d), (?=\d)", "", self.text) if self.headers.get("channel") == "voice" else self.text
        found = set(CODE.findall(LINK.sub("", text)))
        assert len(found) == 1, f"not one code but {found or 'none'} in: {self.text!r}"
        return found.pop()

    @property
    def has_code(self) -> bool:
        return bool(CODE.search(LINK.sub("", self.text)))

    @property
    def links(self) -> list[str]:
        """The links with a token, each once, in the order in which they are shown."""
        return [link for link in dict.fromkeys(LINK.findall(self.text)) if "t" in parse_qs(urlsplit(link).query)]

    @property
    def link(self) -> str:
        assert len(self.links) == 1, f"{len(self.links)} links with a token in: {self.text!r}"
        return self.links[0]

    @property
    def token(self) -> str:
        return token_of(self.link)

    def numbered(self) -> dict[str, str]:
        """The links of an enchanted link by the two digits that stand before each."""
        found = re.findall(rf"(?<!\d)(\d\d)(?!\d)[^\dh]*({LINK.pattern})", self.text)
        assert len(found) == 3, f"not three numbered links in: {self.text!r}"
        return dict(found)


def token_of(link: str) -> str:
    """The token in query `t`."""
    (token,) = parse_qs(urlsplit(link).query)["t"]
    remember("link token", token)
    return token


class Letterbox:
    """Where messages arrive, by address; each is taken once."""

    def __init__(self):
        self._waiting: dict[str, list[Message]] = defaultdict(list)
        self._changed = threading.Condition()

    def put(self, message: Message) -> None:
        with self._changed:
            self._waiting[message.to.lower()].append(message)
            self._changed.notify_all()

    def take(self, address: str, seconds: float = ARRIVAL_SECONDS, *, about: str = "") -> Message:
        """The next message to this address whose subject has these words, as soon as it is here.

        Of two that are sent at the same moment either may come first.
        """
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                waiting = self._waiting[address.lower()]
                found = next((message for message in waiting if about in message.subject), None)
                if found:
                    waiting.remove(found)
                    return found
                left = deadline - time.monotonic()
                if left <= 0:
                    others = [name for name, waiting in self._waiting.items() if waiting]
                    raise AssertionError(f"nothing arrived for {address} within {seconds} s; waiting: {others[-5:]}")
                self._changed.wait(left)

    def nothing(self, address: str, seconds: float = 0.5) -> None:
        """Asserts that nothing is there, and nothing comes."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting[address.lower()], seconds)
            assert not self._waiting[address.lower()], f"unexpected: {self._waiting[address.lower()]}"
