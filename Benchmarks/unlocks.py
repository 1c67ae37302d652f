"""Devices that ask for their data key with a PIN."""

import http.client
import json
import subprocess

from driving import BUILD, CONNECTIONS, SECONDS, Load, keyturn, paired, row

PIN = "1234"


def unlock_rows(folder, wanted):
    if wanted and wanted != "unlock":
        return []
    server = keyturn(folder, "unlocks", key_service={"enabled": True})
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    keys = []
    # More than connections: one key is asked for by one request at a time.
    for _ in range(4 * CONNECTIONS):
        connection.request("POST", "/keyservice/v1/createkey", json.dumps({"secret": PIN}),
                           {"Content-Type": "application/json"})
        keys.append(json.loads(connection.getresponse().read())["keyid"])

    def unlock():
        return Load("form.lua", f"{server.base}/keyservice/v1/key", SECONDS, CONTENT_TYPE="application/json",
                    FORM="\n".join(json.dumps({"secret": PIN, "keyid": key}) for key in keys)).result()

    def bare():
        return int(subprocess.run([BUILD / "HashBenchmark"], check=True, capture_output=True, text=True).stdout), None

    rate, limit, ratio = paired(unlock, bare)
    server.stop()
    return [row("unlock", rate, "1/s", limit, "bare Argon2id, all cores, same parameters", ratio, 0.95,
                "m=19456 KiB, t=2, p=1; each attempt counted durably before, and counted back after it")]
