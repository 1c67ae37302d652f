internal import AsyncHTTPClient
internal import KeyturnBase
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import ServiceLifecycle
internal import Telemetry

/// Sends the spans of traced requests to the operator's collector, beside the requests (OTLP/HTTP, in JSON).
struct TraceService: Service, CustomStringConvertible {
    let tracer: SpanTracer
    private let exporter: SpanExporter

    init(_ tracing: TracingConfiguration, logger: Logger) {
        exporter = SpanExporter(
            resource: [
                "service.name": tracing.serviceName, "service.version": ProgramVersion.text,
                "service.instance.id": Base64URL.encode(Ambient.live.randomBytes(12)),
            ],
            transport: CollectorTransport(tracing)
        ) { refusal in
            logger.warning("spans were not sent, and are lost", metadata: ["reason": "\(refusal)"])
        }
        tracer = SpanTracer(exporter, sampleRatio: tracing.sampleRatio, ambient: .live)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await exporter.run() }
        await exporter.flush()
    }

    var description: String { "TraceService" }
}

/// Posts spans to a collector.
private struct CollectorTransport: SpanTransport {
    private let tracing: TracingConfiguration
    private static let timeoutSeconds: Int64 = 10
    private static let answerBytesMax = 65_536

    init(_ tracing: TracingConfiguration) {
        self.tracing = tracing
    }

    /// One for the life of the program. The exporter itself tries again.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    func send(_ body: [UInt8]) async -> SpanDelivery {
        var request = HTTPClientRequest(url: tracing.endpoint)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        for (name, value) in tracing.headers { request.headers.add(name: name, value: value.exposed()) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await Self.client.execute(request, timeout: .seconds(Self.timeoutSeconds))
            _ = try? await response.body.collect(upTo: Self.answerBytesMax)
            switch response.status.code {
            case 200..<300: return .accepted
            case 429, 502, 503, 504:
                let seconds = response.headers.first(name: "Retry-After").flatMap { Int($0) }
                return .later(seconds: seconds.map { max(0, $0) })
            default: return .refused(status: Int(response.status.code))
            }
        } catch {
            return .later(seconds: nil)
        }
    }
}
