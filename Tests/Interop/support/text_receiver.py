"""The operator's gateway for text messages: takes what is signed as docs/delivery.md says, and refuses the rest."""

from __future__ import annotations

import hashlib
import hmac
import json
import time

from support.messages import Letterbox, Message
from support.receivers import Receiver

SECRET = "whsec-gateway-and-server-know-this"
AGE_SECONDS_MAX = 300


class TextReceiver(Letterbox):
    """Receives text messages and calls on loopback."""

    def __init__(self):
        super().__init__()
        self.posted: list[dict] = []
        self.refused: list[str] = []
        self._keys: set[str] = set()
        self._receiver = Receiver(self._note)

    def configuration(self) -> dict:
        """What the server's file says of it."""
        return {"url": f"{self._receiver.base}/texts", "secret": SECRET}

    def close(self) -> None:
        self._receiver.close()

    def _note(self, request) -> int:
        wrong = self._mistake(request)
        if wrong:
            self.refused.append(wrong)
            return 401
        message = json.loads(request.body)
        self.posted.append(message)
        self.put(Message(message["to"], "", message["text"], {"channel": message["channel"]}))
        return 200

    def _mistake(self, request) -> str | None:
        """What is wrong with a request, if anything: fresh, signed over `timestamp.body`, not seen under this key."""
        timestamp = request.headers.get("keyturn-timestamp", "")
        if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > AGE_SECONDS_MAX:
            return f"not fresh: {request.headers}"
        signed = f"{timestamp}.{request.body}".encode()
        expected = "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, request.headers.get("keyturn-signature", "")):
            return "the signature is not right"
        key = request.headers.get("idempotency-key", "")
        if not key or key in self._keys:
            return f"no key, or one that was used before: {key!r}"
        self._keys.add(key)
        return None
