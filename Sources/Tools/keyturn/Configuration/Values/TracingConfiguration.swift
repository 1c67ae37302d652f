internal import KeyturnBase

/// Where traces go.
struct TracingConfiguration: Sendable {
    /// Takes OTLP/HTTP: the whole address, with `/v1/traces`.
    let endpoint: String
    /// The share of the traces that begin here which is kept, from 0 to 1.
    var sampleRatio = Self.sampleRatioUnlessGiven
    /// Sent with each request, such as a key of the collector's.
    var headers: [(name: String, value: Secret)] = []
    /// `service.name` of the spans.
    var serviceName = "keyturn"

    static let sampleRatioUnlessGiven = 0.1
    /// The path of OTLP/HTTP below the address of a collector.
    static let path = "/v1/traces"
}
