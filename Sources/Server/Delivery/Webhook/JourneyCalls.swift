internal import AsyncHTTPClient
internal import Foundation
public import KeyturnBase
public import Model
internal import NIOCore
internal import NIOHTTP1
internal import Telemetry

/// Asks services of the operator during a sign-in: posts JSON, signed as for the gateway of text messages.
///
/// The answer is `{"outcome": "…"}` with status 200. The address comes from the operator's configuration and may lie in
/// a private network; redirects are not followed.
public final class JourneyCalls: JourneyCaller, Sendable {
    private let ambient: Ambient
    private let client: HTTPClient

    public init(ambient: Ambient) {
        self.ambient = ambient
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(
            connect: .seconds(DeliveryLimits.connectSeconds), read: .seconds(DeliveryLimits.commandSeconds))
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Lets go of connections. Nothing can be asked afterwards.
    public func shutdown() async {
        try? await client.shutdown()
    }

    public func outcome(of call: JourneyCall, body: JSONValue, key: String) async -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = (try? encoder.encode(body)).map({ Array($0) }) else { return nil }
        let now = ambient.now()
        var request = HTTPClientRequest(url: call.uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Idempotency-Key", value: key)
        request.headers.add(name: GatewaySignature.timestampHeader, value: "\(now.rawValue)")
        request.headers.add(
            name: GatewaySignature.signatureHeader,
            value: GatewaySignature.value(body, at: now, secret: call.secret))
        request.body = .bytes(ByteBuffer(bytes: body))
        let span = ChildSpan.begin("POST", isRemote: true)
        // An operator's own service: it can go on with the trace.
        if let header = ChildSpan.traceParent { request.headers.add(name: header.name, value: header.value) }
        do {
            let response = try await client.execute(request, timeout: .seconds(call.timeoutSeconds))
            let answer = try await response.body.collect(upTo: DeliveryLimits.gatewayAnswerBytesMax)
            span.set("http.response.status_code", Int(response.status.code))
            span.end(failure: response.status == .ok ? nil : String(response.status.code))
            guard response.status == .ok else { return nil }
            let json = try? JSONValue(parsing: Array(answer.readableBytesView))
            return json?["outcome"]?.stringValue
        } catch {
            span.end(failure: "unreachable")
            return nil
        }
    }
}
