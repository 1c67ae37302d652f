import KeyturnWire
import ServerTesting
import Testing

@testable import Telemetry
@testable import Web

@Suite("What /metrics says")
struct RequestMetricsTests {
    @Test func `measurements of one name are described once, and told apart by their label`() async throws {
        let server = try await TestServer.start()
        defer { Task { await server.stop() } }
        let exposed = ExposedMetrics(
            registry: ServerMetrics.makeRegistry(),
            measurements: {
                [
                    WebServer.Measurement(name: "keyturn_x", help: "X.", value: 1, label: ("connection", "a")),
                    WebServer.Measurement(name: "keyturn_y_total", help: "Y.", value: 3),
                    WebServer.Measurement(name: "keyturn_x", help: "X.", value: 2, label: ("connection", "b")),
                ]
            }, families: { [] }, connections: OpenConnections(bounds: ConnectionBounds(all: 16)))
        let text = ExpositionWriter.text(await exposed.families(server.services), .prometheus)
        let expected = """
            # HELP keyturn_x X.
            # TYPE keyturn_x gauge
            keyturn_x{connection="a"} 1
            keyturn_x{connection="b"} 2
            # HELP keyturn_y_total Y.
            # TYPE keyturn_y_total counter
            keyturn_y_total 3

            """
        #expect(text.hasSuffix(expected))
    }

    @Test func `a request is counted by its route, under the older name and under OpenTelemetry's`() async throws {
        let server = try await TestServer.start()
        _ = try await server.get("/healthz")
        _ = try await server.get("/no/such/address")
        let lines = try await server.get("/metrics").body.split(separator: "\n")
        #expect(
            lines.contains(
                "keyturn_http_request_duration_seconds_count{route=\"/healthz\",method=\"GET\",status=\"200\"} 1"))
        #expect(
            lines.contains(
                "keyturn_http_request_duration_seconds_count{route=\"none\",method=\"GET\",status=\"404\"} 1"))
        let labels =
            "url_scheme=\"http\",http_route=\"/healthz\",http_request_method=\"GET\",http_response_status_code=\"200\""
        #expect(lines.contains("http_server_request_duration_seconds_count{\(labels)} 1"))
        #expect(lines.contains("keyturn_requests_in_flight 1"), "the reading itself")
        #expect(lines.contains { $0.hasPrefix("keyturn_open_connections ") && $0 != "keyturn_open_connections 0" })
        await server.stop()
    }

    @Test func `addresses that clients make up create no series`() async throws {
        let server = try await TestServer.start()
        for number in 0..<5 { _ = try await server.get("/made/up/\(number)") }
        let text = try await server.get("/metrics").body
        #expect(!text.contains("made"))
        #expect(text.contains("http_response_status_code=\"404\"} 5\n"))
        await server.stop()
    }

    @Test func `sign-ins, refreshes and tokens are counted by their outcome`() async throws {
        let server = try await TestServer.start()
        _ = try await server.tokens(TestClients.web)
        for type in ["client_credentials", "made_up"] {
            _ = try await server.post("/oauth2/token", FormParameters(["grant_type": type]), as: TestClients.web)
        }
        let lines = try await server.get("/metrics").body.split(separator: "\n")
        #expect(lines.contains("keyturn_sign_ins_total{method=\"pwd\",outcome=\"succeeded\"} 1"))
        #expect(
            lines.contains(
                "keyturn_token_requests_total{grant_type=\"authorization_code\",outcome=\"issued\"} 1"))
        #expect(
            lines.contains(
                "keyturn_token_requests_total{grant_type=\"client_credentials\",outcome=\"issued\"} 1"))
        #expect(
            lines.contains("keyturn_token_requests_total{grant_type=\"none\",outcome=\"unsupported_grant_type\"} 1"))
        await server.stop()
    }

    @Test func `a client that wants OpenMetrics gets it`() async throws {
        let server = try await TestServer.start()
        let answer = try await server.send(
            "GET", "/metrics", headers: [("Accept", "application/openmetrics-text")], body: nil)
        #expect(
            answer.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(answer.body.hasSuffix("\n# EOF\n"))
        #expect(answer.body.contains("# TYPE keyturn_refresh_replayed counter\nkeyturn_refresh_replayed_total 0\n"))
        await server.stop()
    }
}
