public import KeyturnBase
public import Model
public import OAuth

/// Sends security event tokens to a receiver of shared signals, one `POST` each (RFC 8935).
public struct SharedSignalsReceiver: AuditTransport {
    private let post: OperatorPost
    private let audience: String
    private let authorization: Secret?
    private let tokens: SecurityEventTokens
    private let ambient: Ambient

    /// - Parameters:
    ///   - audience: The receiver's identifier, `aud` of each token.
    ///   - authorization: What the receiver gave for the header `Authorization`.
    public init(
        url: String, audience: String, authorization: Secret?, tokens: SecurityEventTokens, ambient: Ambient
    ) {
        post = OperatorPost(url: url, contentType: "application/secevent+jwt")
        self.audience = audience
        self.authorization = authorization
        self.tokens = tokens
        self.ambient = ambient
    }

    /// Each event is a request of its own.
    public var eventsMax: Int { 1 }

    public func takes(_ event: AuditEvent) -> Bool { ContinuousAccessEvent.statement(event) != nil }

    public func send(_ batch: AuditBatch) async -> DeliveryOutcome {
        for record in batch.records {
            guard let statement = ContinuousAccessEvent.statement(record.event) else { continue }
            let outcome = await send(statement, of: record)
            guard outcome == .sent else { return outcome }
        }
        return .sent
    }

    public func close() async {
        await post.shutdown()
    }

    private func send(_ statement: SecurityEventTokens.Statement, of record: AuditRecord) async -> DeliveryOutcome {
        let token: String
        do {
            token = try tokens.token(statement, id: record.signalID, audience: audience, at: ambient.now())
        } catch {
            return .temporary(reason: "there is no signing key yet")
        }
        var headers = [(name: "Accept", value: "application/json")]
        if let authorization { headers.append((name: "Authorization", value: authorization.exposed())) }
        guard let status = await post.send(Array(token.utf8), headers: headers) else {
            return .unreachable(reason: "no answer")
        }
        return (200...299).contains(status) ? .sent : .temporary(reason: "answered \(status)")
    }
}
