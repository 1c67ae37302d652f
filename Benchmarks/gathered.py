"""What the database alone does with refreshes of many callers in one statement, as the server sends them."""

import base64
import re
import secrets
import statistics

from driving import CONNECTIONS, ROUNDS, SECONDS, keyturn, refresh_tokens, row, token
from postgresql import PostgreSQL, grant_id

# How many statements the server has under way at most.
STATEMENTS = 2
# How many callers a statement is for: at most, and while the load has its few connections.
MANY, FEW = 64, CONNECTIONS // STATEMENTS
CALLERS = {"gathered-refresh-limit": MANY, f"gathered-refresh-limit-{FEW}": FEW}
# Each connection has so many sets of grants, and takes them in turn.
SETS = 16
GOAL = 20_000
COPIES = f"(SELECT {grant_id('number')} FROM generate_series(0::bigint, {STATEMENTS * SETS * MANY}) AS number)"


def statement(folder, database):
    """The server's own."""
    shared = base64.b64encode(secrets.token_bytes(32)).decode()
    server = keyturn(folder, "gathered", database=database.address, secrets=[shared], drain_seconds=0)
    tokens, _ = refresh_tokens(server, folder, 1, "offline_access bench.read")
    fresh = open(tokens).read().strip()
    text = database.statement(
        "WITH asked ", lambda: token(server.port, {"grant_type": "refresh_token", "refresh_token": fresh}))
    server.stop()
    return text


def prepare(database, callers):
    """Sets of as many grants as there are callers, all of them as if they were never refreshed."""
    count = STATEMENTS * SETS * callers
    database.sql(f"DELETE FROM grant_ WHERE id IN {COPIES}; DROP TABLE IF EXISTS bench_set")
    database.copy_grants("redeemed_at IS NOT NULL AND ended_at IS NULL", range(count))
    database.sql(f"UPDATE grant_ SET counter = 0 WHERE id IN {COPIES}")
    database.sql(
        f"CREATE TABLE bench_set AS SELECT number / {callers} AS n, array_agg({grant_id('number')}) AS ids "
        f"FROM generate_series(0::bigint, {count - 1}) AS number GROUP BY number / {callers}")
    database.sql("ALTER TABLE bench_set ADD PRIMARY KEY (n)")


def script(text, callers):
    """A grant's counter says how often its set had its turn."""
    values = {1: "extract(epoch FROM now())::bigint", 2: "2592000::bigint", 4: f"(:n)::bigint / {SETS}",
              5: "'bench'::text", 6: "NULL::text", 7: "1::bigint", 8: "'127.0.0.1'::text"}
    arrays = {number: f"array_fill({value}, ARRAY[{callers}])" for number, value in values.items()}
    arrays[3] = f"(SELECT ids FROM bench_set WHERE n = (:client_id)::bigint * {SETS} + (:n)::bigint % {SETS})"
    update = re.sub(r"\$(\d+)", lambda m: arrays[int(m[1])], text)
    return ("\\startpipeline\nSELECT set_config('synchronous_commit', 'local', true);\n"
            f"{update};\n\\endpipeline\n\\set n :n + 1\n")


def refresh(database, text, callers):
    """Refreshes a second, and the database's processor time for each in microseconds.

    What is counted are the grants' own counters: a statement that finds nothing to change counts for nothing.
    """
    prepare(database, callers)
    before = database.processor_seconds()
    database.rate(script(text, callers), connections=STATEMENTS)
    spent = database.processor_seconds() - before
    refreshes = int(database.sql(f"SELECT sum(counter) FROM grant_ WHERE id IN {COPIES}"))
    return refreshes / SECONDS, spent * 1e6 / refreshes


def gathered_rows(folder, wanted):
    if wanted and wanted not in CALLERS:
        return []
    database = PostgreSQL()
    text = statement(folder, database)
    rows = []
    for name, callers in CALLERS.items():
        if wanted in ("", name):
            rounds = [refresh(database, text, callers) for _ in range(ROUNDS)]
            rate, spent = (statistics.median(column) for column in zip(*rounds))
            rows.append(row(name, rate, "1/s", GOAL, "goal", rate / GOAL, 1.0 if callers == MANY else None,
                            f"pgbench, durable: {callers} refreshes a statement, {STATEMENTS} statements at a time; "
                            f"{spent:.0f} µs of the database's processor time each"))
    database.stop()
    return rows
