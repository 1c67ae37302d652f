import ArgumentParser
import KeyturnBase
import Testing

@testable import keyturn

@Suite("keyturn top")
struct TopTests {
    private static let before = """
        # HELP http_server_request_duration_seconds How long.
        # TYPE http_server_request_duration_seconds histogram
        http_server_request_duration_seconds_bucket{http_route="/oauth2/token",http_response_status_code="200",le="0.01"} 10
        http_server_request_duration_seconds_bucket{http_route="/oauth2/token",http_response_status_code="200",le="0.1"} 10
        http_server_request_duration_seconds_bucket{http_route="/oauth2/token",http_response_status_code="200",le="+Inf"} 10
        http_server_request_duration_seconds_count{http_route="/oauth2/token",http_response_status_code="200"} 10
        keyturn_sign_ins_total{method="password",outcome="succeeded"} 4
        keyturn_refreshes_total{outcome="renewed"} 100
        keyturn_refresh_replayed_total 1
        keyturn_token_requests_total{grant_type="refresh_token",outcome="issued"} 100
        keyturn_database_up 1
        keyturn_build_info{version="0.1.0"} 1
        process_start_time_seconds 1000
        """
    private static let after = """
        http_server_request_duration_seconds_bucket{http_route="/oauth2/token",http_response_status_code="200",le="0.01"} 20
        http_server_request_duration_seconds_bucket{http_route="/oauth2/token",http_response_status_code="200",le="0.1"} 30
        http_server_request_duration_seconds_bucket{http_route="/oauth2/token",http_response_status_code="200",le="+Inf"} 30
        http_server_request_duration_seconds_count{http_route="/oauth2/token",http_response_status_code="200"} 30
        http_server_request_duration_seconds_bucket{http_response_status_code="503",le="0.01"} 4
        http_server_request_duration_seconds_bucket{http_response_status_code="503",le="0.1"} 4
        http_server_request_duration_seconds_bucket{http_response_status_code="503",le="+Inf"} 4
        http_server_request_duration_seconds_count{http_response_status_code="503"} 4
        keyturn_sign_ins_total{method="password",outcome="succeeded"} 6
        keyturn_sign_ins_total{method="password",outcome="failed"} 4
        keyturn_refreshes_total{outcome="renewed"} 150
        keyturn_refresh_replayed_total 2
        keyturn_token_requests_total{grant_type="refresh_token",outcome="issued"} 150
        keyturn_messages_waiting 3
        keyturn_database_up 0
        keyturn_signing_key_rotation_timestamp_seconds{algorithm="ES256"} 90000
        keyturn_build_info{version="0.1.0"} 1
        process_start_time_seconds 1000
        """

    private func activity(_ before: String? = Self.before, _ after: String = Self.after) throws -> ServerActivity {
        ServerActivity(
            try #require(MetricReading(after)), since: before.flatMap { MetricReading($0) }, seconds: 2)
    }

    @Test func `numbers per second are of the time between two readings`() throws {
        let activity = try activity()
        #expect(activity.all.perSecond == 12)
        #expect(activity.all.errorsPerSecond == 2)
        #expect(activity.routes.map(\.route) == ["/oauth2/token", "none"])
        #expect(activity.routes[0].perSecond == 10)
        #expect(activity.signIns == ["succeeded": 1, "failed": 2])
        #expect(activity.refreshes == ["renewed": 25])
        #expect(activity.tokensPerSecond == 25 && activity.replays == 2)
    }

    @Test func `quantiles are those of the time between two readings, linear inside a bucket`() throws {
        let token = try activity().routes[0]
        #expect(token.p50 == 0.01)
        #expect(abs((token.p99 ?? 0) - 0.0982) < 1e-9)
        #expect(ServerActivity.quantile(0.5, []) == nil)
        #expect(ServerActivity.quantile(0.99, [(0.1, 1), (.infinity, 10)]) == 0.1, "above every bound")
    }

    @Test func `a server that was restarted counts from nought`() throws {
        let restarted = Self.after.replacing("process_start_time_seconds 1000", with: "process_start_time_seconds 2000")
        #expect(try activity(Self.before, restarted).tokensPerSecond == 75)
    }

    @Test(arguments: [40, 60, 80, 200])
    func `no line is wider than the terminal`(_ width: Int) throws {
        let screen = TopScreen(url: "http://127.0.0.1:8080", width: width, height: 24, isStyled: false)
        let lines = screen.lines(try activity(), at: UnixTime(rawValue: 4_600))
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(lines.count <= 24)
        #expect(lines.contains { $0.hasPrefix("database") })
    }

    @Test func `the picture says what matters`() throws {
        let screen = TopScreen(url: "http://127.0.0.1:8080", width: 100, height: 24, isStyled: false)
        let lines = screen.lines(try activity(), at: UnixTime(rawValue: 4_600))
        #expect(lines[0] == "keyturn 0.1.0  http://127.0.0.1:8080, up 60 min")
        #expect(lines[2] == "requests   12.0/s  p50 8.6 ms  p99 97.8 ms  errors 2.00/s")
        #expect(lines[3] == "sign-ins   1.00/s  failed or throttled 2.00/s")
        #expect(lines[4] == "refreshes  25.0/s  refused or late 0.00/s  replays 2")
        #expect(lines[6] == "queues     messages 3  logout notices –  hashes 0  given up –")
        #expect(lines[7] == "keys       –  ES256 for 23 h")
    }

    @Test func `routes that do not fit are counted`() throws {
        let many = (0..<30).map { number in
            "http_server_request_duration_seconds_count{http_route=\"/r\(number)\"} 9"
        }.joined(separator: "\n")
        let screen = TopScreen(url: "u", width: 80, height: 20, isStyled: false)
        let lines = screen.lines(try activity(nil, many), at: UnixTime(rawValue: 0))
        #expect(lines.count == 20 - 1)
        #expect(lines.last?.hasPrefix("… and ") == true)
    }

    @Test func `values in quotation marks are read, and a page is not taken for metrics`() throws {
        let reading = try #require(MetricReading("a{x=\"1\\\"2\\\\3\\n\",y=\"}\"} 5 123\nb 1e-3"))
        #expect(reading.samples("a").first?.labels == ["x": "1\"2\\3\n", "y": "}"])
        #expect(reading.sum("b") == 0.001 && reading.sum("c") == nil)
        #expect(MetricReading("<!doctype html>\n<title>Nothing</title>") == nil)
        #expect(MetricReading("") == nil)
    }

    @Test(arguments: ["http://id.example.com", "ftp://127.0.0.1", "nonsense"])
    func `numbers and keys travel protected`(_ url: String) {
        #expect(throws: (any Error).self) {
            let command = try TopCommand.parse(["--url", url])
            _ = try MetricSource(url: command.url, key: nil)
        }
    }
}
