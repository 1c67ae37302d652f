"""Attacks 29 and 113, and what a stranger over HTTP can try at the key service."""

from __future__ import annotations

import base64
import json
import sqlite3
import threading

import pytest
import requests

from support.configuration import MARIA
from support.secrets_seen import remember

PIN = "a-pin-that-is-found-again-4711"


def post(site, endpoint: str, body: dict, **more) -> requests.Response:
    return requests.post(f"{site.base}/keyservice/v1/{endpoint}", json=body, timeout=60, **more)


def attempts(site, key_id: str) -> tuple[int, int]:
    """How many attempts the server began in all, and how many count at present."""
    with sqlite3.connect(site.folder / "keyturn.db", timeout=30) as connection:
        row = connection.execute("SELECT attempt, failures FROM data_key WHERE id = ?", [key_id]).fetchone()
    connection.close()
    return row


def test_of_a_thousand_guesses_at_once_three_are_looked_at(site):
    """Sixteen: however many come at once, over however many connections, from one network."""
    key = post(site, "createkey", {"secret": "7391"}).json()
    statuses: list[int] = []
    lock = threading.Lock()

    def guess(numbers: range) -> None:
        with requests.Session() as session:
            session.trust_env = False
            for number in numbers:
                answer = session.post(
                    f"{site.base}/keyservice/v1/key", json={"keyid": key["keyid"], "secret": f"{number:04}"}, timeout=60
                )
                with lock:
                    statuses.append(answer.status_code)
                assert "key" not in answer.json()

    threads = [threading.Thread(target=guess, args=(range(start, start + 20),)) for start in range(0, 1000, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 1000 and set(statuses) <= {401, 403, 429, 503}
    assert statuses.count(401) == 2
    assert attempts(site, key["keyid"]) == (3, 3)
    for body in ({"secret": "7391"}, {"longsecret": key["longsecret"]}):
        assert post(site, "key", {"keyid": key["keyid"], **body}).status_code == 403
    assert attempts(site, key["keyid"]) == (3, 3)


def test_no_other_page_gets_through(site):
    """A script of another site would need to be asked first, and is refused; a form cannot say what it must."""
    asked = requests.options(
        f"{site.base}/keyservice/v1/key",
        headers={
            "Origin": "https://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        },
        timeout=30,
    )
    assert asked.status_code == 405 and "access-control-allow-origin" not in asked.headers
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = requests.post(
            f"{site.base}/keyservice/v1/createkey",
            data=json.dumps({"secret": "1234"}),
            headers={"Content-Type": kind, "Origin": "https://evil.example"},
            timeout=30,
        )
        assert answer.status_code == 415 and "access-control-allow-origin" not in answer.headers


@pytest.mark.late
def test_attacks_29_and_113_secret_key_and_long_secret_are_nowhere(site, signed_in):
    """Twenty-three: no log line, no answer but the one that hands it out, and no file knows any of the three."""
    remember("PIN", PIN)
    key = post(site, "createkey", {"secret": PIN}).json()
    needles = [PIN, key["key"], key["longsecret"]]
    answers = [
        post(site, "key", {"keyid": key["keyid"], "secret": PIN + "x"}),
        post(site, "key", {"keyid": key["keyid"], "longsecret": key["longsecret"] + "x"}),
        post(site, "key", {"keyid": key["keyid"], "secret": PIN, "longsecret": key["longsecret"]}),
        post(site, "key", {"keyid": key["longsecret"], "secret": PIN}),
        post(site, "createkey", {"secret": PIN * 100}),
        post(site, f"keys/{PIN}", {"secret": PIN}),
        requests.post(f"{site.base}/keyservice/v1/key", data=f'{{"secret":"{PIN}"', timeout=30,
                      headers={"Content-Type": "application/json"}),
        requests.get(f"{site.base}/metrics", timeout=30),
    ]
    assert [answer.status_code for answer in answers] == [401, 401, 400, 404, 400, 405, 400, 200]
    changed = post(site, "changesecret", {"keyid": key["keyid"], "secret": PIN, "newsecret": PIN[::-1]})
    assert changed.status_code == 200 and changed.json()["key"] == key["key"]
    signed_in.login_with_password("1234", MARIA.sub, stores_new=True)
    assert post(site, "deletekey", {"keyid": key["keyid"], "secret": PIN[::-1]}).status_code == 204
    needles += [PIN[::-1], signed_in.session["refresh_token"]]
    for answer in answers:
        text = answer.text + str(answer.headers)
        assert not any(needle in text for needle in needles)
    kept = post(site, "createkey", {"secret": PIN}).json()
    needles += [kept["key"], kept["longsecret"]]
    log = "\n".join(site.output) + site.log_text()
    assert not any(needle in log for needle in needles)
    raw = [needle.encode() for needle in needles] + [base64.b64decode(kept[name]) for name in ("key", "longsecret")]
    files = [path.read_bytes() for path in site.folder.iterdir() if path.name.startswith("keyturn.db")]
    assert any(kept["keyid"].encode() in contents for contents in files), "it was looked at"
    assert not any(needle in contents for needle in raw for contents in files)
