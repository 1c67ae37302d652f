"""A proxy between client and server that notes what comes by, and loses, cuts or holds answers."""

from __future__ import annotations

import contextlib
import json
import random
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from support.raw import is_complete

TIMEOUT_SECONDS = 60
CONNECTION = re.compile(rb"\r\nConnection:[^\r]*", re.IGNORECASE)
LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)", re.IGNORECASE)


@dataclass
class Exchange:
    """A request that came by, and the server's whole answer to it; empty if the server gave none."""

    head: bytes
    body: bytes
    answer: bytes = b""

    @property
    def path(self) -> str:
        return self.head.split(b" ")[1].decode("latin-1").split("?")[0]

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode("latin-1")))

    @property
    def headers(self) -> dict[str, str]:
        """Of the request; names in lower case."""
        return fields_of(self.head)

    @property
    def answer_headers(self) -> dict[str, str]:
        """Names in lower case."""
        return fields_of(self.answer_head)

    @property
    def answer_body(self) -> bytes:
        return self.answer[len(self.answer_head) :]

    @property
    def is_refresh(self) -> bool:
        return self.form.get("grant_type") == "refresh_token"

    @property
    def is_challenge(self) -> bool:
        """Whether the server only asked for its nonce in the proof: nothing has happened yet."""
        return b'"use_dpop_nonce"' in self.answer

    @property
    def answer_head(self) -> bytes:
        """With the empty line at its end."""
        return self.answer[: self.answer.index(b"\r\n\r\n") + 4]

    @property
    def status(self) -> int:
        words = self.answer.split(b"\r\n")[0].split(b" ")
        return int(words[1]) if len(words) > 1 else 0


def deliver(exchange: Exchange) -> bytes:
    """What the client gets: everything."""
    return exchange.answer


def lose(exchange: Exchange) -> bytes:
    """What the client gets: nothing."""
    return b""


def cut_in_head(exchange: Exchange) -> bytes:
    """What the client gets: the beginning of the head."""
    return exchange.answer[: random.randrange(1, len(exchange.answer_head))]


def cut_in_body(exchange: Exchange) -> bytes:
    """What the client gets: the head, and the beginning of the body or nothing of it."""
    return exchange.answer[: random.randrange(len(exchange.answer_head), len(exchange.answer))]


@dataclass
class Hold:
    """Keeps answers back until somebody releases them."""

    arrived: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self, exchange: Exchange) -> bytes:
        self.arrived.set()
        self.released.wait(TIMEOUT_SECONDS)
        return exchange.answer


class Proxy:
    """Passes each request on, waits for the whole answer, and then decides what the client gets of it.

    - `base`: the address for clients.
    - `server_port`: where the server is, on this machine.
    - `instead`: answers in the server's place; with `None` the server is asked, as soon as that is said.
    - `treat_refresh`: decides what becomes of answers to refreshes; everything else is delivered.
    - `expires_in`: what public clients read in token answers, instead of the server's word; with 0, each
      `keyturn token` is a refresh.
    """

    def __init__(self, server_port: int):
        self.server_port = server_port
        self.instead: Callable[[Exchange], bytes | None] = lambda exchange: None
        self.treat_refresh: Callable[[Exchange], bytes] = deliver
        self.expires_in: int | None = None
        self.exchanges: list[Exchange] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def refreshes(self) -> list[Exchange]:
        return [exchange for exchange in self.exchanges if exchange.is_refresh and not exchange.is_challenge]

    def close(self) -> None:
        # A thread that waits in accept notices a shutdown, but not a close.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        # Either side may be killed at any moment.
        with client, contextlib.suppress(OSError):
            client.settimeout(TIMEOUT_SECONDS)
            exchange = read_request(client)
            if exchange is None:
                return
            self.exchanges.append(exchange)
            other = self.instead(exchange)
            if other is not None:
                client.sendall(other)
                return
            exchange.answer = self.ask(exchange)
            is_treated = exchange.is_refresh and not exchange.is_challenge
            client.sendall(self.treat_refresh(exchange) if is_treated else exchange.answer)

    def ask(self, exchange: Exchange) -> bytes:
        """The server's answer; empty if it gives none."""
        answer = b""
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", self.server_port), timeout=TIMEOUT_SECONDS) as server:
                server.sendall(alone(exchange.head) + exchange.body)
                while not is_complete(answer) and (part := server.recv(65_536)):
                    answer += part
        if self.expires_in is not None and "client_id" in exchange.form:
            answer = with_lifetime(answer, self.expires_in)
        return alone(answer) if answer else b""


def read_request(client: socket.socket) -> Exchange | None:
    """The next request; `None` if the connection ends first."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = client.recv(65_536)
        if not part:
            return None
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    length = LENGTH.search(head)
    while length and len(body) < int(length[1]):
        part = client.recv(65_536)
        if not part:
            return None
        body += part
    return Exchange(head + b"\r\n\r\n", body)


def alone(message: bytes) -> bytes:
    """The same message, as the only one on its connection."""
    head, end, body = message.partition(b"\r\n\r\n")
    return CONNECTION.sub(b"", head) + b"\r\nConnection: close" + end + body


def fields_of(head: bytes) -> dict[str, str]:
    """The header fields after the first line; names in lower case."""
    fields = (line.partition(b":") for line in head.split(b"\r\n")[1:] if b":" in line)
    return {name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, _, value in fields}


def without_server(status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> bytes:
    """A whole answer that no server gave."""
    lines = [f"HTTP/1.1 {status} Answer", *(f"{name}: {value}" for name, value in (headers or {}).items())]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", ""]).encode() + body


def with_lifetime(answer: bytes, seconds: int) -> bytes:
    """The same token answer, with another `expires_in`."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if b'"expires_in"' not in body:
        return answer
    body = json.dumps(json.loads(body) | {"expires_in": seconds}).encode()
    return LENGTH.sub(b"\r\nContent-Length: %d" % len(body), head) + end + body
