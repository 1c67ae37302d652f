"""Attack 79: the time of a wrong password does not tell whose password another system hashed."""

from __future__ import annotations

import json
import statistics
import subprocess
import time

import pytest
import requests

from support.measured import report
from support.server import Server, binary

PROJECT = "P2ImportedPasswords00000000"
WRONG = "wrong-horse-battery"
ROUNDS = 5
TRIALS = 3
# Only wrong passwords are tried: nobody knows what these digests are of.
DIGEST = "A" * 43
# A program without optimisation computes a tenth in the same time.
ITERATIONS = 100_000 if "/debug/" in str(binary()) else 1_000_000
HASHES = {
    "bcrypt-10": "$2b$10$" + "a" * 53,
    "bcrypt-12": "$2b$12$" + "a" * 53,
    "django-older": f"pbkdf2_sha256${ITERATIONS * 6 // 10}$salt${DIGEST}=",
    "django-newer": f"pbkdf2_sha256${ITERATIONS}$salt${DIGEST}=",
}


@pytest.fixture
def imported(tmp_path):
    """A server beside whose own users others were imported, with hashes of two products."""
    configuration = {
        "project": {"id": PROJECT}, "trusted_proxies": ["127.0.0.1"], "delivery": {"outbox": True},
    }
    server = Server(tmp_path, configuration)
    rows = [{"login_ids": [f"{name}@example.test"], "password_hash": hash} for name, hash in HASHES.items()]
    rows.append({"login_ids": ["ours@example.test"], "password": "a-good-password-of-ours"})
    users = tmp_path / "users.jsonl"
    users.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = subprocess.run(
        [binary(), "user", "import", str(users), "--database", f"sqlite:{tmp_path / 'keyturn.db'}"],
        capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    yield server
    server.stop()


def seconds(server: Server, login: str, network: int) -> float:
    """How long one wrong password takes, from a network that never tried one."""
    start = time.perf_counter()
    answer = requests.post(
        f"{server.base}/v1/auth/password/signin", json={"loginId": login, "password": WRONG}, timeout=60,
        headers={
            "Authorization": f"Bearer {PROJECT}", "X-Forwarded-For": f"198.51.{network // 250}.{network % 250 + 1}"})
    took = time.perf_counter() - start
    assert answer.status_code == 400, f"{login}: {answer.status_code} {answer.text}"
    return took


@pytest.mark.timed
def test_attack_79_imported_users_cost_what_unknown_ones_do(imported):
    """Interleaved, medians: of one class, where one try told before. A busy machine gets another trial."""
    names = ["nobody", "somebody-else", "ours", *HASHES]
    # A server looks for new kinds of hashes every ten seconds.
    time.sleep(12)
    network, ratios = 0, []
    for _ in range(TRIALS):
        times: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(ROUNDS):
            for name in names:
                network += 1
                times[name].append(seconds(imported, f"{name}@example.test", network))
        medians = {name: statistics.median(each) for name, each in times.items()}
        ratios.append(max(medians.values()) / min(medians.values()))
        told = ", ".join(f"{name} {value * 1000:.0f}" for name, value in medians.items())
        report(f"attack 79, imported passwords: medians of {ROUNDS} in ms: {told}")
        if ratios[-1] < 1.5:
            break
    assert min(ratios) < 1.5, f"the time tells who was imported: {ratios}"
