"""Traces: a collector takes them, and reads them with OpenTelemetry's own messages."""

from __future__ import annotations

import time

import pytest
import requests
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from support.configuration import PEOPLE, make_clients, make_configuration
from support.relying_party import Provider, RelyingParty
from support.server import Server
from support.trace_collector import TraceCollector, attributes

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
INTERNAL, SERVER, CLIENT = 1, 2, 3


@pytest.fixture
def collector():
    collector = TraceCollector()
    yield collector
    collector.close()


@pytest.fixture
def start(tmp_path, collector, callback_receiver, backchannel_receiver, apache_ports):
    """Starts a server that sends its traces to the collector; stops it."""
    servers = []

    def make(sample_ratio: float, **tracing) -> Server:
        first, second = (f"http://127.0.0.1:{port}" for port in apache_ports)
        clients = make_clients(callback_receiver.base, backchannel_receiver.base, (first, second))
        configuration = make_configuration(clients)
        configuration["tracing"] = {"endpoint": collector.base, "sample_ratio": str(sample_ratio), **tracing}
        server = Server(tmp_path, configuration)
        server.clients = clients
        servers.append(server)
        return server

    yield make
    for server in servers:
        assert not server.is_running() or server.stop() == 0, server.log_tail()


def metric(server, name: str, **labels) -> float:
    answer = requests.get(f"{server.base}/metrics", headers={"Accept": "application/openmetrics-text"}, timeout=10)
    return sum(
        sample.value for family in text_string_to_metric_families(answer.text) for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def test_a_sign_in_has_its_spans(start, collector):
    server = start(1, headers={"api-key": "collectors-own-key"})
    RelyingParty(Provider(server.base), server.clients["first-app"]).sign_in(person=PEOPLE[0])
    trace = collector.wait_for(lambda span: span.name == "hash")
    request = next(span for span in trace if span.kind == SERVER)
    assert request.name == "POST /login"
    assert attributes(request)["http.route"] == "/login"
    assert attributes(request)["http.request.method"] == "POST"
    assert 300 <= attributes(request)["http.response.status_code"] < 400
    inner = [span for span in trace if span.kind != SERVER]
    assert {span.name for span in inner} >= {"hash", "store read", "store transaction"}
    assert all(span.parent_span_id == request.span_id for span in inner)
    assert all(
        request.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
        <= request.end_time_unix_nano for span in inner
    )
    token = collector.wait_for(lambda span: span.name == "POST /oauth2/token")
    assert {span.name for span in token if span.kind == CLIENT} >= {"store transaction"}
    resource = attributes(collector.requests[0].resource_spans[0].resource)
    assert resource["service.name"] == "keyturn" and resource["service.version"]
    assert collector.headers[0]["api-key"] == "collectors-own-key"
    sent = "".join(str(request) for request in collector.requests)
    for secret in (PEOPLE[0].password, PEOPLE[0].login, server.clients["first-app"].secret, "127.0.0.1"):
        assert secret not in sent


def test_a_callers_trace_goes_on_and_its_flag_decides(start, collector):
    server = start(0)
    for flags in ("00", "01"):
        answer = requests.get(
            f"{server.base}/readyz", headers={"traceparent": f"00-{TRACE}-{PARENT}-{flags}"}, timeout=10
        )
        assert answer.status_code == 200
    requests.get(f"{server.base}/readyz", timeout=10)
    requests.get(f"{server.base}/readyz", headers={"traceparent": "00-nonsense-01"}, timeout=10)
    trace = collector.wait_for(lambda span: span.name == "GET /readyz")
    time.sleep(3)
    requests_seen = [span for span in collector.spans() if span.kind == SERVER]
    assert len(requests_seen) == 1, "one of the four was sampled"
    assert requests_seen[0].trace_id.hex() == TRACE
    assert requests_seen[0].parent_span_id.hex() == PARENT
    assert all(span.trace_id.hex() == TRACE for span in trace)


def test_log_lines_and_exemplars_name_the_trace(start, collector):
    server = start(1)
    requests.get(f"{server.base}/readyz", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"}, timeout=10)
    answer = requests.get(f"{server.base}/metrics", headers={"Accept": "application/openmetrics-text"}, timeout=10)
    exemplars = [
        sample.exemplar for family in text_string_to_metric_families(answer.text) for sample in family.samples
        if sample.name == "http_server_request_duration_seconds_bucket" and sample.exemplar
        and sample.labels.get("http_route") == "/readyz"
    ]
    assert [exemplar.labels["trace_id"] for exemplar in exemplars] == [TRACE]
    assert 0 < exemplars[0].value < 10 and abs(float(exemplars[0].timestamp) - time.time()) < 60


def test_a_collector_that_is_busy_is_asked_again(start, collector):
    server = start(1)
    collector.answers = [503, 429]
    requests.get(f"{server.base}/readyz", timeout=10)
    collector.wait_for(lambda span: span.name == "GET /readyz")
    assert collector.refused == 2
    assert metric(server, "keyturn_trace_spans_exported_total") >= 1
    assert metric(server, "keyturn_trace_spans_dropped_total") == 0


def test_a_collector_that_refuses_costs_spans_and_nothing_else(start, collector):
    server = start(1)
    collector.answers = [400] * 100
    for _ in range(20):
        began = time.monotonic()
        assert requests.get(f"{server.base}/readyz", timeout=10).status_code == 200
        assert time.monotonic() - began < 2
    deadline = time.monotonic() + 20
    while metric(server, "keyturn_trace_spans_dropped_total", reason="not_sent") < 20:
        assert time.monotonic() < deadline, "the drops are counted"
        time.sleep(0.2)
    assert "spans were not sent" in server.log.read_text()


def test_what_is_left_is_sent_when_the_server_stops(start, collector):
    server = start(1)
    requests.get(f"{server.base}/readyz", timeout=10)
    assert server.stop() == 0, server.log_tail()
    assert "GET /readyz" in {span.name for span in collector.spans()}


def test_nothing_is_traced_unless_it_is_configured(server, collector):
    requests.get(f"{server.base}/readyz", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"}, timeout=10)
    text = requests.get(f"{server.base}/metrics", headers={"Accept": "application/openmetrics-text"}, timeout=10).text
    assert "trace_id" not in text and "keyturn_trace" not in text
    assert collector.requests == []
