"""A collector of traces: takes OTLP over HTTP in JSON, and reads it with OpenTelemetry's own messages."""

from __future__ import annotations

import base64
import json
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from support.receivers import Receiver

# OTLP writes these as hexadecimal digits, where protobuf's JSON has base64.
IDENTIFIERS = {"traceId", "spanId", "parentSpanId"}


def as_protobuf_json(value):
    """OTLP's JSON with the identifiers as protobuf's JSON has them."""
    if isinstance(value, list):
        return [as_protobuf_json(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(inner)).decode() if key in IDENTIFIERS else as_protobuf_json(inner)
        for key, inner in value.items()
    }


class TraceCollector:
    """Receives spans on loopback.

    - `answers`: statuses for the next requests; when it is empty, 200.
    - `refused`: how many requests got another status than 200.
    """

    def __init__(self):
        self.answers: list[int] = []
        self.refused = 0
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[dict] = []
        self._receiver = Receiver(self._note)

    @property
    def base(self) -> str:
        return self._receiver.base

    def close(self) -> None:
        self._receiver.close()

    def _note(self, request) -> int:
        assert request.path == "/v1/traces", request.path
        if self.answers and (status := self.answers.pop(0)) != 200:
            self.refused += 1
            return status
        # Unknown names and wrong types are errors.
        self.requests.append(
            json_format.ParseDict(as_protobuf_json(json.loads(request.body)), ExportTraceServiceRequest())
        )
        self.headers.append(dict(request.headers))
        return 200

    def spans(self) -> list:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def wait_for(self, wanted, seconds: float = 20) -> list:
        """The spans of the first trace that has one that is wanted, when that has come."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for span in self.spans():
                if wanted(span):
                    return [other for other in self.spans() if other.trace_id == span.trace_id]
            time.sleep(0.1)
        raise AssertionError(f"there is no such span among {[span.name for span in self.spans()]}")


def attributes(span) -> dict:
    """The attributes of a span, or of a resource."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}
