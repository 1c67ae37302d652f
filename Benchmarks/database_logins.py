"""Sign-ins with a password on PostgreSQL: how many, and what each costs the database beside what it must cost."""

import base64
import json
import re
import secrets
import urllib.request

from costs import cost_rows, costed, names, trip_row
from driving import CONNECTIONS, PASSWORD, PROJECT, keyturn
from flights import Observed
from logins import NAMES, PEOPLE, sign_ins
from postgresql import PostgreSQL

OPERATION = "sign-in"
PERSON = NAMES[-1]


def sign_in(server):
    request = urllib.request.Request(
        f"{server.base}/v1/auth/password/signin", json.dumps({"loginId": PERSON, "password": PASSWORD}).encode(),
        {"Authorization": f"Bearer {PROJECT}", "Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).read()


def works(folder, database, shared):
    """What the server does in its database to sign somebody in."""
    observed = Observed(database)
    server = keyturn(folder, "login-observed", database=observed.address, secrets=[shared], drain_seconds=0,
                     users=PEOPLE)
    found = observed.works_of(lambda: sign_in(server))
    server.stop()
    observed.stop()
    return found


def fresh(value):
    """A random value in place of an identifier."""
    size = len(re.fullmatch(r"'\\x(\w*)'::bytea", value)[1]) // 2
    random = "uuid_send(gen_random_uuid())"
    return random if size == 16 else f"sha256({random})"


def least_script(database, done):
    """What no sign-in does without: one look at the person, and one flight with the transaction that adds the grant.

    Each connection signs in a person of its own.
    """
    user = database.sql(f"SELECT user_id FROM identifier WHERE value = '{PERSON}'")
    database.sql("CREATE TABLE bench_person AS SELECT (row_number() OVER () - 1)::int AS n, user_id, value "
                 f"FROM identifier WHERE value LIKE 'person-%' LIMIT {CONNECTIONS}")
    database.sql("ALTER TABLE bench_person ADD PRIMARY KEY (n)")
    own = {f"E'{user}'": "(SELECT user_id FROM bench_person WHERE n = :client_id)",
           f"E'{PERSON}'": "(SELECT value FROM bench_person WHERE n = :client_id)"}
    look = next(s for work in done for s in work.statements if "p.hash" in s.sql)
    adding = next(w for w in done if any("INSERT INTO grant_" in s.sql for s in w.statements)).statements
    own |= {value: fresh(value) for s in adding for value in s.values if value.endswith("'::bytea")}
    transaction = "".join(s.with_values(own) for s in adding)
    return f"{look.with_values(own)}\\startpipeline\n{transaction}\\endpipeline\n"


def database_login_rows(folder, wanted):
    if wanted and wanted not in names(OPERATION):
        return []
    database = PostgreSQL()
    shared = base64.b64encode(secrets.token_bytes(32)).decode()
    done = works(folder, database, shared)
    server = keyturn(folder, "database-logins", database=database.address, secrets=[shared], drain_seconds=0,
                     users=PEOPLE)
    script = least_script(database, done)
    rows = [trip_row(OPERATION, done, 6)]
    rows += cost_rows(OPERATION, lambda: costed(database, lambda: sign_ins(server).result()),
                      lambda: costed(database, lambda: database.rate(script)),
                      "pgbench, a look and the grant's transaction",
                      "durable; the password's hash takes nearly all of it")
    server.stop()
    database.stop()
    return [r for r in rows if not wanted or r["name"] == wanted]
