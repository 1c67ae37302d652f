"""Other providers: responses of SAML judged, and whole sign-ins at a provider of OpenID Connect over HTTP."""

import json
import subprocess

from driving import BUILD, PROJECT, Process, keyturn, paired, row


def federation_rows(folder, wanted):
    rows = []
    if wanted in ("", "saml-response"):
        rows += json.loads(benchmark("responses"))
    if wanted in ("", "federated-sign-in"):
        provider, limit_server = (Process(BUILD / "LimitServer", "provider") for _ in range(2))
        server = keyturn(
            folder, "federation", trusted_proxies=["127.0.0.1"],
            project={"id": PROJECT, "approved_domains": ["app.example.test"]},
            connections=[{"id": "bench", "name": "Bench", "issuer": f"{provider.base}/provider", "client_id": "bench",
                          "client_secret": "a-secret-between-the-two-servers-2"}])
        rate, limit, ratio = paired(lambda: (float(benchmark("sign-ins", server.base)), None),
                                    lambda: (float(benchmark("limit", limit_server.base)), None))
        for process in (server, provider, limit_server):
            process.stop()
        rows.append(row("federated-sign-in", rate, "1/s", limit,
                        "the same client; of the server, one call for the token and two bare ES256", ratio, None,
                        "address, page, callback, session; durable; 16 users of an OpenID provider"))
    return rows


def benchmark(*arguments):
    return subprocess.run([BUILD / "FederationBenchmark", *arguments], check=True, capture_output=True, text=True).stdout
