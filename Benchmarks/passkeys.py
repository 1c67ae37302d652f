"""Passkeys: assertions judged, and whole sign-ins over HTTP."""

import json
import subprocess

from driving import BUILD, Process, keyturn, paired, row

PARTY = {"rp_id": "localhost", "rp_name": "Bench", "origins": ["http://localhost"], "publishable_key": "pubkey_bench",
         "secret_key": "secret_0f2b7c1d9e4a6853b0c7d2e1f4a59688"}


def passkey_rows(folder, wanted):
    rows = []
    if wanted in ("", "passkey-assertion"):
        rows += json.loads(benchmark("assertions"))
    if wanted in ("", "passkey-ceremony"):
        server = keyturn(folder, "passkeys", passkeys=[PARTY], trusted_proxies=["127.0.0.1"])
        constant = Process(BUILD / "LimitServer")
        rate, limit, ratio = paired(lambda: (float(benchmark("ceremonies", server.base)), None),
                                    lambda: (float(benchmark("constant", constant.base)), None))
        server.stop()
        constant.stop()
        rows.append(row("passkey-ceremony", rate, "1/s", limit, "the same client, constant answers", ratio, None,
                        "options, assertion, verification by the backend; two durable writes"))
    return rows


def benchmark(*arguments):
    return subprocess.run([BUILD / "PasskeyBenchmark", *arguments], check=True, capture_output=True, text=True).stdout
