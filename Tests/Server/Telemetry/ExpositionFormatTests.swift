import Testing

@testable import Telemetry

@Suite("Which format a client gets")
struct ExpositionFormatTests {
    private static let prometheus3 =
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
        + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,"
        + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"

    @Test(
        arguments: [
            (nil, ExpositionFormat.prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=1.0.0", .openMetrics),
            ("application/openmetrics-text; version=0.0.1", .prometheus), (prometheus3, .openMetrics),
            ("application/openmetrics-text;version=1.0.0;q=0.1, text/plain", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus),
            ("text/plain;q=0.5, APPLICATION/OpenMetrics-Text ; Version=\"1.0.0\"", .openMetrics),
        ] as [(String?, ExpositionFormat)])
    func `the one that it prefers`(_ accept: String?, _ format: ExpositionFormat) {
        #expect(ExpositionFormat(accept: accept) == format)
    }
}
