"""What an operation costs a database: round trips, and processor time beside what it must cost."""

import statistics

from driving import ROUNDS, SECONDS, row
from flights import round_trips


def names(operation):
    return [f"{operation}-trips", f"{operation}-postgresql", f"{operation}-database-us"]


def trip_row(operation, works, goal):
    trips = round_trips(works)
    return row(f"{operation}-trips", trips, "", goal, "goal", trips / goal, 1.0, "round trips to PostgreSQL")


def costed(database, load, count=None):
    """Operations a second, and the database's processor time for each in microseconds."""
    before = database.processor_seconds()
    rate, _ = load()
    return rate, (database.processor_seconds() - before) * 1e6 / (count or rate * SECONDS)


def cost_rows(operation, ours, limit, limit_name, note):
    """Both `ours` and `limit` say what ``costed`` says; they run in turn."""
    rounds = [(*ours(), *limit()) for _ in range(ROUNDS)]
    rate, spent, limit_rate, least = (statistics.median(column) for column in zip(*rounds))
    _, speed, cost = names(operation)
    return [
        row(speed, rate, "1/s", limit_rate, limit_name, statistics.median(r[0] / r[2] for r in rounds), None, note),
        row(cost, spent, "µs", least, limit_name, statistics.median(r[1] / r[3] for r in rounds), None,
            "the database's processor time for each"),
    ]
