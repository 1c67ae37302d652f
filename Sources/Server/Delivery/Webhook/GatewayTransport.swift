public import KeyturnBase
internal import KeyturnWire
internal import Model

/// Posts text messages and calls to the operator's own gateway, and pushes to its push service, signed.
///
/// The address comes from the operator's configuration and may lie in a private network. Redirects are not followed.
public final class GatewayTransport: MessageTransport, Sendable {
    private let post: OperatorPost
    private let secret: Secret?
    private let ambient: Ambient

    /// - Parameter secret: signs each request; without it the gateway cannot tell our requests from others.
    public init(url: String, secret: Secret?, ambient: Ambient) {
        post = OperatorPost(url: url, contentType: "application/json")
        self.secret = secret
        self.ambient = ambient
    }

    /// Lets go of connections. Nothing can be sent afterwards.
    public func shutdown() async {
        await post.shutdown()
    }

    public func send(_ message: RenderedMessage) async -> DeliveryOutcome {
        guard message.channel == .push || Self.isTelephoneNumber(message.to) else {
            return .permanent(reason: "not a telephone number")
        }
        let body = Self.body(message)
        let now = ambient.now()
        var headers = [("Idempotency-Key", message.id.text), (GatewaySignature.timestampHeader, "\(now.rawValue)")]
        if let secret {
            headers.append((GatewaySignature.signatureHeader, GatewaySignature.value(body, at: now, secret: secret)))
        }
        guard let status = await post.send(body, headers: headers.map { (name: $0.0, value: $0.1) }) else {
            return .unreachable(reason: "gateway does not answer")
        }
        return Self.outcome(status)
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
