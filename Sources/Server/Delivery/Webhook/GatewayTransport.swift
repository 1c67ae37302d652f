internal import AsyncHTTPClient
internal import Foundation
public import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore
internal import NIOHTTP1

/// Posts text messages and calls to the operator's own gateway, and pushes to its push service, signed.
///
/// The address comes from the operator's configuration and may lie in a private network. Redirects are not followed.
public final class GatewayTransport: MessageTransport, Sendable {
    private let url: String
    private let secret: Secret?
    private let ambient: Ambient
    private let client: HTTPClient

    /// - Parameter secret: signs each request; without it the gateway cannot tell our requests from others.
    public init(url: String, secret: Secret?, ambient: Ambient) {
        self.url = url
        self.secret = secret
        self.ambient = ambient
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(
            connect: .seconds(DeliveryLimits.connectSeconds), read: .seconds(DeliveryLimits.commandSeconds))
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Lets go of connections. Nothing can be sent afterwards.
    public func shutdown() async {
        try? await client.shutdown()
    }

    public func send(_ message: RenderedMessage) async -> DeliveryOutcome {
        guard message.channel == .push || Self.isTelephoneNumber(message.to) else {
            return .permanent(reason: "not a telephone number")
        }
        let body = Self.body(message)
        let now = ambient.now()
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Idempotency-Key", value: message.id.text)
        request.headers.add(name: GatewaySignature.timestampHeader, value: "\(now.rawValue)")
        if let secret {
            request.headers.add(
                name: GatewaySignature.signatureHeader, value: GatewaySignature.value(body, at: now, secret: secret))
        }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await client.execute(request, timeout: .seconds(DeliveryLimits.commandSeconds))
            // Read, so that the connection can be used again; a long answer costs it that.
            _ = try? await response.body.collect(upTo: DeliveryLimits.gatewayAnswerBytesMax)
            return Self.outcome(Int(response.status.code))
        } catch {
            return .unreachable(reason: "gateway does not answer")
        }
    }

    /// 400, 410, 413 and 422 say something about this message. Everything else can be mended: a secret, an address, a
    /// server that is down.
    static func outcome(_ status: Int) -> DeliveryOutcome {
        switch status {
        case 200...299: .sent
        case 400, 410, 413, 422: .permanent(reason: "gateway \(status)")
        default: .temporary(reason: "gateway \(status)")
        }
    }

    static func body(_ message: RenderedMessage) -> [UInt8] {
        JSONWriter.object { json in
            json.member("id", message.id.text)
            json.member("kind", message.kind.rawValue)
            json.member("channel", message.channel.rawValue)
            json.member("to", message.to)
            json.member("language", message.language)
            json.member("text", message.text)
            json.member("code", message.code)
            json.member("links", message.links)
            json.member("client_name", message.details["client_name"])
            json.member("binding_message", message.details["binding_message"])
            json.member("request", message.details["request"])
            json.member("created_at", message.createdAt.rawValue)
        }
    }

    /// `+` and 5 to 15 digits (E.164).
    private static func isTelephoneNumber(_ text: String) -> Bool {
        text.hasPrefix("+") && (6...16).contains(text.utf8.count)
            && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
