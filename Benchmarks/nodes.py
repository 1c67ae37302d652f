"""Servers on PostgreSQL, beside the same statements without a server: what is between the two is ours."""

import base64
import re
import secrets
import urllib.parse
import urllib.request

from driving import AUTHORIZATION, CONNECTIONS, Load, keyturn, paired, refresh_tokens, row, token, wrk
from postgresql import PostgreSQL

SCOPE = "offline_access bench.read"
NAMES = ["token-refresh-postgresql", "introspect-postgresql", "token-refresh-two-nodes"]


class Node:
    """A server on the database, and refresh tokens of its own."""

    def __init__(self, database, folder, name, shared):
        self.server = keyturn(folder, name, database=database.address, secrets=[shared], drain_seconds=0)
        self.folder = folder
        self.tokens, self.access_token = self._sign_in()

    def _sign_in(self):
        return refresh_tokens(self.server, self.folder, CONNECTIONS + 8, SCOPE)

    def load(self):
        tokens, _ = self._sign_in()
        return Load("refresh.lua", f"{self.server.base}/oauth2/token", TOKENS=tokens, AUTHORIZATION=AUTHORIZATION)

    def refresh(self):
        return self.load().result()

    def introspect(self):
        return wrk("form.lua", f"{self.server.base}/oauth2/introspect", FORM=f"token={self.access_token}",
                   AUTHORIZATION=AUTHORIZATION)

    def introspect_once(self):
        form = urllib.parse.urlencode({"token": self.access_token}).encode()
        request = urllib.request.Request(
            f"{self.server.base}/oauth2/introspect", form, {"Authorization": AUTHORIZATION})
        urllib.request.urlopen(request, timeout=10).read()


def refresh_script(database, node):
    """The server's own statement, on as many grants as there are connections: each connection has one.

    It is the one for a single grant: the server sends it for a token that comes again.
    """
    fresh = open(node.tokens).read().split()[-1]

    def refresh_twice():
        for _ in range(2):
            token(node.server.port, {"grant_type": "refresh_token", "refresh_token": fresh})

    sql = database.statement("UPDATE grant_", refresh_twice)
    database.sql("CREATE TABLE bench_grant AS SELECT (row_number() OVER () - 1)::int AS n, id FROM grant_ "
                 "WHERE redeemed_at IS NOT NULL AND ended_at IS NULL LIMIT 16")
    database.sql("ALTER TABLE bench_grant ADD PRIMARY KEY (n)")
    # A server knows the counter from the token. Here the row does.
    values = {1: "extract(epoch FROM now())::bigint", 2: "2592000::bigint", 4: "counter", 5: "'bench'::text",
              3: "(SELECT id FROM bench_grant WHERE n = :client_id)", 6: "NULL::text", 7: "1::bigint",
              8: "'127.0.0.1'::text"}
    return re.sub(r"\$(\d+)", lambda m: values[int(m[1])], sql) + ";\n"


def look_script(database, node):
    """The look at a grant that an introspection makes."""
    sql = database.statement("SELECT [^;]*FROM grant_", node.introspect_once)
    values = {1: "(SELECT id FROM bench_grant WHERE n = :client_id)", 2: "extract(epoch FROM now())::bigint"}
    return re.sub(r"\$(\d+)", lambda m: values[int(m[1])], sql) + ";\n"


def node_rows(folder, wanted):
    if wanted and wanted not in NAMES:
        return []
    database = PostgreSQL()
    shared = base64.b64encode(secrets.token_bytes(32)).decode()
    nodes = [Node(database, folder, f"node-{number}", shared) for number in range(2)]
    rows = []

    def add(name, ours, limit, limit_name, goal, note=""):
        if not wanted or wanted == name:
            value, bound, ratio = paired(ours, limit)
            rows.append(row(name, value, "1/s", bound, limit_name, ratio, goal, note))

    script = refresh_script(database, nodes[0])
    add("token-refresh-postgresql", nodes[0].refresh, lambda: database.rate(script), "pgbench, the same UPDATE", 0.7,
        "one round trip; durable; both share the processors with the database")

    look = look_script(database, nodes[0])
    add("introspect-postgresql", nodes[0].introspect, lambda: database.rate(look), "pgbench, the same SELECT", None,
        "one round trip, one ES256 signature")

    def both():
        loads = [node.load() for node in nodes]
        return sum(load.result()[0] for load in loads), 0

    add("token-refresh-two-nodes", both, nodes[0].refresh, "one node", None, "on one machine")
    for node in nodes:
        node.server.stop()
    database.stop()
    return rows
