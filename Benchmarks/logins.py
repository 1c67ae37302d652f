"""Sign-ins with a password, and what they do to everybody else."""

import json
import statistics
import subprocess
import time

from driving import (AUTHORIZATION, BUILD, CONNECTIONS, PASSWORD, PROJECT, ROUNDS, SECONDS, USER, Load, keyturn, paired,
                     refresh_tokens, row, wrk)


# As many people as connections, and more: one who signs in over and over at once looks like somebody who guesses.
NAMES = [USER, *(f"person-{i}@example.com" for i in range(4 * CONNECTIONS))]
PEOPLE = [{"login_ids": [n], "email": n, "password": PASSWORD} for n in NAMES]


def sign_ins(server, seconds=SECONDS, **environment):
    return Load("form.lua", f"{server.base}/v1/auth/password/signin", seconds, CONTENT_TYPE="application/json",
                FORM="\n".join(json.dumps({"loginId": n, "password": PASSWORD}) for n in NAMES),
                AUTHORIZATION=f"Bearer {PROJECT}", **environment)


def login_rows(folder, wanted):
    if wanted and wanted not in ("password-login", "refresh-p99-under-logins"):
        return []
    server = keyturn(folder, "logins", users=PEOPLE)

    def bare():
        return int(subprocess.run([BUILD / "HashBenchmark"], check=True, capture_output=True, text=True).stdout), None

    def slowest():
        tokens, _ = refresh_tokens(server, folder, CONNECTIONS + 8, "offline_access")
        return wrk("refresh.lua", f"{server.base}/oauth2/token", TOKENS=tokens, AUTHORIZATION=AUTHORIZATION,
                   PAUSE="10")[1]

    def slowest_beside_sign_ins():
        load = sign_ins(server, SECONDS * 10)
        time.sleep(0.5)
        latency = slowest()
        load.stop()
        return latency

    rate, limit, ratio = paired(lambda: sign_ins(server).result(), bare)
    rounds = [(slowest_beside_sign_ins(), slowest()) for _ in range(ROUNDS)]
    busy, idle = (statistics.median(column) for column in zip(*rounds))
    server.stop()
    return [
        row("password-login", rate, "1/s", limit, "bare Argon2id, all cores, same parameters", ratio, 0.95,
            "m=19456 KiB, t=2, p=1; each with a durable session and two signatures"),
        row("refresh-p99-under-logins", busy, "ms", idle, "the same while nobody signs in",
            statistics.median(a / b for a, b in rounds), 1.5, f"{CONNECTIONS} clients that pause for 10 ms"),
    ]
