import KeyturnBase
import Testing

@testable import keyturn

@Suite("Configuration: traces")
struct TracingConfigurationTests {
    @Test func `nothing is traced unless the operator says where to`() throws {
        #expect(try Sample.accepted("").tracing == nil)
        #expect(try Sample.accepted("tracing: { sample_ratio: 1 }").tracing == nil)
        #expect(Sample.warnings("tracing: { sample_ratio: 1 }") == ["1 tracing.sample_ratio"])
    }

    @Test(arguments: [
        ("https://collector.example.com:4318", "https://collector.example.com:4318/v1/traces"),
        ("https://collector.example.com/", "https://collector.example.com/v1/traces"),
        ("http://127.0.0.1:4318/v1/traces", "http://127.0.0.1:4318/v1/traces"),
    ])
    func `the path of the protocol is added once`(_ written: String, _ whole: String) throws {
        let tracing = try #require(try Sample.accepted("tracing: { endpoint: \"\(written)\" }").tracing)
        #expect(tracing.endpoint == whole)
        #expect(tracing.sampleRatio == TracingConfiguration.sampleRatioUnlessGiven)
        #expect(tracing.serviceName == "keyturn" && tracing.headers.isEmpty)
    }

    @Test(arguments: [("0", 0), ("1", 1), ("0.25", 0.25)] as [(String, Double)])
    func `a share is a number from 0 to 1`(_ text: String, _ ratio: Double) throws {
        let file = "tracing: { endpoint: \"https://c.example\", sample_ratio: \(text) }"
        #expect(try Sample.accepted(file).tracing?.sampleRatio == ratio)
    }

    @Test(arguments: [
        ("endpoint: collector", "1 tracing.endpoint"), ("endpoint: \"ftp://c.example\"", "1 tracing.endpoint"),
        ("endpoint: \"https://a:b@c.example\"", "1 tracing.endpoint"),
        ("endpoint: \"https://c.example\", sample_ratio: 1.1", "1 tracing.sample_ratio"),
        ("endpoint: \"https://c.example\", sample_ratio: often", "1 tracing.sample_ratio"),
        ("endpoint: \"https://c.example\", headers: { \"a b\": x }", "1 tracing.headers.a b"),
        ("endpoint: \"https://c.example\", headers: { a: \"x\\ny\" }", "1 tracing.headers.a"),
        ("endpoint: \"http://c.example\", headers: { a: x }", "1 tracing.endpoint"),
        ("end_point: x", "1 tracing.end_point"),
    ])
    func `a mistake is found`(_ text: String, _ place: String) {
        #expect(Sample.mistakes("tracing: { \(text) }", environment: [:]) == [place])
    }

    @Test func `OpenTelemetry's own variables stand in for absent keys`() throws {
        let environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://from.environment", "OTEL_SERVICE_NAME": "sign-in",
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b,x=1",
        ]
        let tracing = try #require(try Sample.accepted("", environment: environment).tracing)
        #expect(tracing.endpoint == "https://from.environment/v1/traces")
        #expect(tracing.serviceName == "sign-in")
        #expect(tracing.headers.map { "\($0.name): \($0.value.exposed())" } == ["api-key: a b", "x: 1"])
        let file = "tracing: { endpoint: \"https://from.file\", headers: { only: this } }"
        let own = try #require(try Sample.accepted(file, environment: environment).tracing)
        #expect(own.endpoint == "https://from.file/v1/traces" && own.headers.map(\.name) == ["only"])
        #expect(
            Sample.mistakes("", environment: ["OTEL_EXPORTER_OTLP_ENDPOINT": "nonsense"])
                == ["OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_ENDPOINT"])
    }
}
