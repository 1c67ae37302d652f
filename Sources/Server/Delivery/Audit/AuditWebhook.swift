public import KeyturnBase
internal import Model

/// Posts events to a program of the operator's, as JSON, signed as Standard Webhooks 1.0 says.
public struct AuditWebhook: AuditTransport {
    private let post: OperatorPost
    private let key: WebhookKey?
    private let issuer: String
    private let ambient: Ambient

    /// - Parameters:
    ///   - key: signs each request; without it the program cannot tell our requests from others.
    ///   - issuer: goes along, for programs that get the logs of several servers.
    public init(url: String, key: WebhookKey?, issuer: String, ambient: Ambient) {
        post = OperatorPost(url: url, contentType: "application/json")
        self.key = key
        self.issuer = issuer
        self.ambient = ambient
    }

    public func send(_ batch: AuditBatch) async -> DeliveryOutcome {
        let body = body(batch)
        let now = ambient.now()
        // Of the last event's digest: numbers come again in a database that was restored.
        let digest = batch.records.last?.digest ?? []
        let id = "\(batch.stream)-\(Base16.encode(digest.prefix(12)))"
        var headers = [(name: "webhook-id", value: id), (name: "webhook-timestamp", value: "\(now.rawValue)")]
        if let key { headers.append((name: "webhook-signature", value: key.signature(id: id, at: now, body))) }
        guard let status = await post.send(body, headers: headers) else { return .unreachable(reason: "no answer") }
        return (200...299).contains(status) ? .sent : .temporary(reason: "answered \(status)")
    }

    public func close() async {
        await post.shutdown()
    }

    private func body(_ batch: AuditBatch) -> [UInt8] {
        JSONValue.object([
            "type": "audit.events", "issuer": .string(issuer), "stream": .string(batch.stream),
            "events": .array(batch.records.map(\.json)),
        ]).serialized
    }
}
