import Testing

@testable import Web

@Suite("The text that Prometheus reads")
struct RequestMetricsTests {
    @Test func `series of one name are described once, and told apart by their label`() {
        let text = RequestMetrics().exposition(extra: [
            WebServer.Measurement(name: "keyturn_x", help: "X.", value: 1, label: ("connection", "a")),
            WebServer.Measurement(name: "keyturn_x", help: "X.", value: 2, label: ("connection", "b")),
            WebServer.Measurement(name: "keyturn_y_total", help: "Y.", value: 3),
        ])
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
}
