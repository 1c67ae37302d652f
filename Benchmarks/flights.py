"""What a server sends to its database, seen from between the two: one flight of statements is one round trip."""

import re
import shutil
import socket
import struct
import tempfile
import threading
import time
from pathlib import Path

# What stands around a transaction says nothing about whose it is.
FRAME = ("BEGIN", "COMMIT", "ROLLBACK", "INSERT INTO commit_mark", "SELECT set_config")
RUNS = 5


class Statement:
    """A statement, and its parameters as SQL writes them."""

    def __init__(self, sql, values):
        self.sql, self.values = " ".join(sql.split()), values

    @property
    def is_frame(self):
        return self.sql.startswith(FRAME)

    def with_values(self, changed):
        """The statement with its parameters in it; `changed` names some by their numbers, or by their values."""
        def value(match):
            number = int(match[1])
            literal = self.values[number - 1]
            return changed.get(number) or changed.get(literal) or literal

        return re.sub(r"\$(\d+)", value, self.sql) + ";\n"


class Work:
    """A transaction, or a statement outside of one."""

    def __init__(self):
        self.flights = []

    @property
    def statements(self):
        return [statement for flight in self.flights for statement in flight]


class Observed:
    """A socket that hands everything on to the database, and notes what a server does."""

    def __init__(self, database):
        self.works = []
        self.target = str(database.folder / ".s.PGSQL.5432")
        self.folder = Path(tempfile.mkdtemp(prefix="keyturn-bench-"))
        self.address = f"postgres://postgres@/keyturn?host={self.folder}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def works_of(self, action):
        """What an action has the server do when it is not the first of its kind.

        What is written now and then about many actions belongs to none of them, so it is the median run that counts.
        """
        self._noted(action)
        self.works = []
        time.sleep(2.5)
        at_rest = {statement.sql for work in self.works for statement in work.statements}
        runs = [[work for work in self._noted(action) if any(
            not statement.is_frame and statement.sql not in at_rest for statement in work.statements)]
            for _ in range(RUNS)]
        return sorted(runs, key=round_trips)[RUNS // 2]

    def _noted(self, action):
        self.works = []
        action()
        # A server may answer before it has written everything.
        time.sleep(0.1)
        return list(self.works)

    def stop(self):
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _accept(self):
        while True:
            try:
                server, _ = self.listener.accept()
            except OSError:
                return
            database = socket.socket(socket.AF_UNIX)
            database.connect(self.target)
            reader = Reader(lambda work: self.works.append(work))
            threading.Thread(target=hand_on, args=(server, database, reader.read), daemon=True).start()
            threading.Thread(target=hand_on, args=(database, server, lambda _: None), daemon=True).start()


def round_trips(works):
    return sum(len(work.flights) for work in works)


def hand_on(source, target, note):
    try:
        while data := source.recv(1 << 16):
            note(data)
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Reader:
    """Reads what a client of PostgreSQL sends: statements that are prepared, bound, and end with a Sync."""

    def __init__(self, add):
        self.add, self.rest, self.is_open = add, b"", False
        self.prepared, self.flight, self.work = {}, [], Work()

    def read(self, data):
        self.rest += data
        while True:
            # The first message has no letter.
            start = 1 if self.is_open else 0
            if len(self.rest) < start + 4:
                return
            end = start + struct.unpack_from("!I", self.rest, start)[0]
            if len(self.rest) < end:
                return
            self._take(self.rest[:start], self.rest[start + 4:end])
            self.rest, self.is_open = self.rest[end:], True

    def _take(self, letter, body):
        match letter:
            case b"P":
                name, sql, rest = body.split(b"\0", 2)
                count, = struct.unpack_from("!H", rest)
                self.prepared[name] = sql.decode(), struct.unpack_from(f"!{count}I", rest, 2)
            case b"B":
                self.flight.append(self._bound(body))
            case b"S" if self.flight:
                self._end_flight()

    def _end_flight(self):
        self.work.flights.append(self.flight)
        if self.work.statements[0].sql.startswith("BEGIN") and self.flight[-1].sql not in ("COMMIT", "ROLLBACK"):
            self.flight = []
            return
        self.add(self.work)
        self.work, self.flight = Work(), []

    def _bound(self, body):
        _, name, rest = body.split(b"\0", 2)
        sql, types = self.prepared[name]
        formats, = struct.unpack_from("!H", rest)
        at = 2 + 2 * formats + 2
        values = []
        for kind in types:
            length, = struct.unpack_from("!i", rest, at)
            at += 4
            values.append(literal(kind, rest[at:at + length] if length >= 0 else None))
            at += max(length, 0)
        return Statement(sql, values)


def literal(kind, data):
    """A parameter in PostgreSQL's binary format, by the number of its type. pgbench takes a colon for a variable."""
    name = {17: "bytea", 20: "bigint", 701: "float8"}.get(kind, "text")
    if data is None:
        return f"NULL::{name}"
    match name:
        case "bytea":
            return f"'\\x{data.hex()}'::bytea"
        case "bigint":
            return f"{struct.unpack('!q', data)[0]}::bigint"
        case "float8":
            return f"{struct.unpack('!d', data)[0]}::float8"
        case _:
            text = data.decode(errors="replace").replace("\\", "\\\\").replace("'", "''").replace(":", "\\x3a")
            return f"E'{text}'"
