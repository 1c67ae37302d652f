"""`/metrics`, read by Prometheus' own parsers and tools."""

from __future__ import annotations

import subprocess

import pytest
import requests
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"
# What Prometheus 2.42 sends.
ACCEPT = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75," \
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
# Outside programs read these.
OLDER = {
    "keyturn_http_request_duration_seconds", "keyturn_clients", "keyturn_signing_keys", "keyturn_refresh_repeated",
    "keyturn_refresh_late", "keyturn_refresh_late_elsewhere", "keyturn_refresh_replayed", "keyturn_refresh_wrong_key",
    "keyturn_refresh_ahead", "keyturn_messages_sent", "keyturn_messages_postponed", "keyturn_messages_dead",
    "keyturn_logout_notices_sent", "keyturn_ping_notices_sent",
}


@pytest.fixture(scope="module")
def used(provider, app, server):
    """A server where a user signed in, an app refreshed, and a token request was refused."""
    party = app("first-app")
    party.accepted(party.refresh(party.sign_in(scope="openid offline_access").refresh_token))
    requests.post(f"{server.base}/oauth2/token", data={"grant_type": "made_up"}, timeout=10)
    return server


def read(server, accept: str | None = None) -> requests.Response:
    answer = requests.get(f"{server.base}/metrics", headers={"Accept": accept} if accept else {}, timeout=10)
    assert answer.status_code == 200
    return answer


def sample(families, name: str, **labels) -> float:
    """The sum of the samples that have these labels."""
    found = [
        each.value for family in families for each in family.samples
        if each.name == name and labels.items() <= each.labels.items()
    ]
    assert found, f"there is no {name} {labels}"
    return sum(found)


def test_both_formats_say_the_same(used):
    old = read(used)
    new = read(used, ACCEPT)
    assert old.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert new.headers["Content-Type"].startswith(OPEN_METRICS)
    # The parser of OpenMetrics is strict: order, suffixes, units, creation times, the end.
    strict = list(open_metrics(new.text))
    loose = list(prometheus(old.text))
    assert {family.name for family in strict} == {family.name for family in loose}
    assert {family.name for family in strict} >= OLDER
    units = {family.name: family.unit for family in strict}
    assert units["http_server_request_duration_seconds"] == "seconds"
    assert units["process_resident_memory_bytes"] == "bytes"
    assert all(family.documentation for family in strict)


def test_promtool_finds_no_fault(used):
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=read(used).text, capture_output=True, text=True, timeout=30, check=False
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_what_was_done_is_counted(used):
    families = list(open_metrics(read(used, OPEN_METRICS).text))
    assert sample(families, "keyturn_sign_ins_total", method="pwd", outcome="succeeded") >= 1
    assert sample(families, "keyturn_refreshes_total", outcome="renewed") >= 1
    assert sample(families, "keyturn_token_requests_total", grant_type="refresh_token", outcome="issued") >= 1
    assert sample(families, "keyturn_audit_events_total", event="sign_in.succeeded") >= 1
    assert sample(families, "keyturn_hashing_duration_seconds_count", pool="passwords") >= 1
    assert sample(families, "keyturn_store_operation_duration_seconds_count", operation="read") >= 1
    assert sample(families, "keyturn_store_commits_total") >= 1
    assert sample(families, "process_cpu_seconds_total") > 0
    assert sample(families, "process_resident_memory_bytes") > 1e6
    assert sample(families, "keyturn_database_up") == 1
    assert sample(families, "keyturn_signing_key_age_seconds", algorithm="ES256") >= 0
    route = sample(families, "http_server_request_duration_seconds_count", http_route="/oauth2/token",
                   http_request_method="POST", http_response_status_code="200", url_scheme="http")
    older = sample(families, "keyturn_http_request_duration_seconds_count", route="/oauth2/token", method="POST",
                   status="200")
    assert route == older >= 2


def test_addresses_and_names_of_clients_make_no_series(used):
    before = read(used).text.count("\n")
    for number in range(50):
        requests.get(f"{used.base}/made-up/{number}", timeout=10)
        requests.request("PROPFIND", f"{used.base}/healthz", timeout=10)
        requests.post(f"{used.base}/oauth2/token", data={"grant_type": f"made-up-{number}"}, timeout=10)
        requests.post(f"{used.base}/oauth2/token", data={"client_id": f"made-up-{number}"}, timeout=10)
    text = read(used).text
    assert "made-up" not in text
    # A few series for addresses without a route, and for refusals; each with its buckets.
    assert text.count("\n") < before + 150
