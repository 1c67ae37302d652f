"""Redeemed authorization codes on PostgreSQL, beside the same statement without a server."""

import base64
import secrets
import urllib.parse
from pathlib import Path

from costs import cost_rows, costed, names, trip_row
from driving import AUTHORIZATION, CALLBACK, CONNECTIONS, Browser, keyturn, token, wrk
from flights import RUNS, Observed
from postgresql import PostgreSQL, code_digest

OPERATION = "code-redemption"
SCOPE = "offline_access bench.read"
# A code may be redeemed for a minute, and a browser needs some milliseconds for each.
CODES = 2_000
# How often a connection of pgbench redeems one in a round.
EACH = 1_000


def codes(browser, count):
    """Codes for a browser that is signed in."""
    query = urllib.parse.urlencode({
        "client_id": "bench", "redirect_uri": CALLBACK, "response_type": "code", "scope": SCOPE})
    for _ in range(count):
        answer, _ = browser.request("GET", f"/oauth2/authorize?{query}")
        yield urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query)["code"][0]


def form(code):
    return {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}


class Redeemer:
    """A server, and a browser that is signed in there."""

    def __init__(self, database, folder, name, address, shared):
        self.database, self.folder = database, folder
        self.server = keyturn(folder, name, database=address, secrets=[shared], drain_seconds=0)
        self.browser = Browser(self.server.port)
        self.browser.sign_in(SCOPE)

    def redeem(self):
        path = Path(self.folder) / "redemptions"
        path.write_text("".join(
            f"127.0.0.1\t{urllib.parse.urlencode(form(code))}\n" for code in codes(self.browser, CODES)))
        return costed(self.database, lambda: wrk(
            "lines.lua", f"{self.server.base}/oauth2/token", seconds=60, LINES=str(path), AUTHORIZATION=AUTHORIZATION,
            CONTENT_TYPE="application/x-www-form-urlencoded"), CODES)


def works(folder, database, shared):
    """What the server does in its database to redeem a code."""
    observed = Observed(database)
    redeemer = Redeemer(database, folder, "redemption-observed", observed.address, shared)
    left = list(codes(redeemer.browser, RUNS + 1))
    found = observed.works_of(lambda: token(redeemer.server.port, form(left.pop())))
    redeemer.server.stop()
    observed.stop()
    return found


class Bare:
    """pgbench redeems copies of a grant whose code is not redeemed, with the server's own statement."""

    def __init__(self, database, statement):
        self.database, self.statement, self.first = database, statement, 0

    def redeem(self):
        count = CONNECTIONS * EACH
        self.database.copy_grants("redeemed_at IS NULL", range(self.first, self.first + count))
        number = f"(:client_id)::bigint * {EACH} + (:n)::bigint + {self.first - 1}"
        digest = next(v for v in self.statement.values if v.endswith("'::bytea"))
        script = "\\set n :n + 1\n" + self.statement.with_values({digest: code_digest(number)})
        cost = costed(self.database, lambda: self.database.rate(script, each=EACH), count)
        self.first += count
        self._check()
        return cost

    def _check(self):
        redeemed = int(self.database.sql(
            f"SELECT count(*) FROM generate_series(0, {self.first - 1}) AS number "
            f"JOIN grant_ ON code_digest = {code_digest('number')} WHERE redeemed_at IS NOT NULL"))
        if redeemed != self.first:
            raise SystemExit(f"pgbench redeemed {redeemed} of {self.first} codes")


def redemption_rows(folder, wanted):
    if wanted and wanted not in names(OPERATION):
        return []
    database = PostgreSQL()
    shared = base64.b64encode(secrets.token_bytes(32)).decode()
    done = works(folder, database, shared)
    statement = next(s for work in done for s in work.statements if s.sql.startswith("UPDATE grant_"))
    redeemer = Redeemer(database, folder, "redemptions", database.address, shared)
    rows = [trip_row(OPERATION, done, 2)]
    rows += cost_rows(OPERATION, redeemer.redeem, Bare(database, statement).redeem, "pgbench, the same UPDATE",
                      "durable; one ES256 signature; both share the processors with the database")
    redeemer.server.stop()
    database.stop()
    return [r for r in rows if not wanted or r["name"] == wanted]
