"""What a refresh costs when there are many grants."""

import sqlite3
import statistics
import urllib.parse
from pathlib import Path

from driving import AUTHORIZATION, CALLBACK, ROUNDS, Browser, keyturn, row, token
from peer import Side

NAME = "token-refresh-10m"
MANY, FEW = 10_000_000, 10_000
# More than the pages that the database keeps in memory: nearly each refresh reads its page again.
TOKENS = 2_000
SCOPE = "offline_access bench.read"


def fill(path, count):
    """Copies a grant until there are so many. Their identifiers ascend, so that this takes minutes, and are spread over
    all, so that real ones lie among them."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    columns = [name for _, name, *_ in database.execute("PRAGMA table_info(grant_)")]
    own = {"id": "?", "code_digest": "?"}
    sql = (f"INSERT INTO grant_ ({', '.join(columns)}) SELECT {', '.join(own.get(name, name) for name in columns)} "
           "FROM (SELECT * FROM grant_ WHERE redeemed_at IS NOT NULL LIMIT 1)")
    length = len(database.execute("SELECT id FROM grant_ LIMIT 1").fetchone()[0])
    digest = len(database.execute("SELECT code_digest FROM grant_ WHERE code_digest IS NOT NULL LIMIT 1").fetchone()[0])
    step = (1 << 64) // count

    def rows():
        for number in range(count):
            place = (number * step + step // 2).to_bytes(8, "big")
            yield place + bytes(length - 8), place + bytes(digest - 8)

    with database:
        database.executemany(sql, rows())
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def refresh_tokens(server, folder):
    """Many sessions of one user, whose browser is signed in."""
    browser = Browser(server.port)
    browser.sign_in(SCOPE)
    path = Path(folder) / f"many-{server.port}"
    query = urllib.parse.urlencode({
        "client_id": "bench", "redirect_uri": CALLBACK, "response_type": "code", "scope": SCOPE})
    tokens = []
    for _ in range(TOKENS):
        answer, _ = browser.request("GET", f"/oauth2/authorize?{query}")
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query)["code"][0]
        answer = token(server.port, {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK})
        tokens.append(answer["refresh_token"])
    path.write_text("".join(f"{each}\n" for each in tokens))
    return str(path)


class Grown:
    """A server whose database has so many grants."""

    def __init__(self, folder, count):
        name = f"grown-{count}"
        server = keyturn(folder, name)
        token(server.port, {
            "grant_type": "authorization_code", "code": Browser(server.port).sign_in(SCOPE), "redirect_uri": CALLBACK})
        server.stop()
        fill(f"{folder}/{name}.db", count)
        self.server, self.folder = keyturn(folder, name), folder
        self.side = Side(name, self.server.process.pid, {})

    def measure(self):
        tokens = {"TOKENS": refresh_tokens(self.server, self.folder), "AUTHORIZATION": AUTHORIZATION}
        self.side.loads["refresh"] = ("refresh.lua", f"{self.server.base}/oauth2/token", tokens)
        self.side.measure("refresh")


def growth_rows(folder, wanted):
    # It takes eight minutes and eight gigabytes: for those who ask for it.
    if wanted != NAME:
        return []
    many, few = Grown(folder, MANY), Grown(folder, FEW)
    for _ in range(ROUNDS):
        many.measure()
        few.measure()
    for grown in (many, few):
        grown.server.stop()
    (rate, spent, p50, p99), (limit, their_spent, their_p50, their_p99) = (
        grown.side.medians("refresh") for grown in (many, few))
    ratio = statistics.median(a[0] / b[0] for a, b in zip(*(g.side.figures["refresh"] for g in (many, few))))
    return [row(NAME, rate, "1/s", limit, "10,000 grants", ratio, 1 / 1.5,
                f"SQLite, ten million grants; CPU µs {spent:.0f}, {their_spent:.0f}; p50 ms {p50:.2f}, {their_p50:.2f}; "
                f"p99 {p99:.1f}, {their_p99:.1f}")]
