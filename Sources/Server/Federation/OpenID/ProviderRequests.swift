internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Requests to one provider.
struct ProviderRequests: Sendable {
    let http: any OutgoingHTTP
    let connection: Connection

    /// A JSON document. Providers send errors with status 200 too, so a member `error` counts whatever the status is.
    ///
    /// - Throws: ``ConnectionFault``.
    func json(_ request: OutgoingRequest) async throws(ConnectionFault) -> JSONValue {
        let answer = try await send(request)
        let limits = JSONValue.Limits(bytesMax: 1_048_576, depthMax: 32, membersMax: 4_096)
        var value = try? JSONValue(parsing: answer.body, limits: limits)
        if value == nil, answer.contentType == "application/x-www-form-urlencoded",
            let form = try? FormParameters(parsing: String(decoding: answer.body, as: UTF8.self))
        {
            value = .object(Dictionary(form.all.map { ($0.name, .string($0.value)) }) { first, _ in first })
        }
        if let error = value?["error"]?.stringValue { throw Self.fault(error) }
        if value?["error"]?.objectValue != nil, answer.status < 500 { throw ConnectionFault(.refused, "error") }
        guard (200...299).contains(answer.status) else {
            throw ConnectionFault(answer.status >= 500 ? .unavailable : .misconfigured, "status_\(answer.status)")
        }
        guard let value else { throw ConnectionFault(.unavailable, "no_json") }
        return value
    }

    /// Posts a form.
    func post(_ uri: String, _ form: FormParameters, headers: [String: String] = [:]) async throws(ConnectionFault)
        -> JSONValue
    {
        var all = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"]
        all.merge(headers) { _, own in own }
        return try await json(
            OutgoingRequest(
                .post, uri, headers: all, body: Array(form.encoded.utf8),
                allowsPrivateAddress: connection.allowsPrivateAddresses))
    }

    func get(_ uri: String) async throws(ConnectionFault) -> JSONValue {
        try await json(
            OutgoingRequest(
                .get, uri, headers: ["Accept": "application/json"],
                allowsPrivateAddress: connection.allowsPrivateAddresses))
    }

    func send(_ request: OutgoingRequest) async throws(ConnectionFault) -> OutgoingAnswer {
        do throws(OutgoingProblem) {
            return try await http.send(request)
        } catch {
            throw ConnectionFault(error)
        }
    }

    /// The error codes of OAuth that say something about the configuration; others are a refusal of this answer.
    private static func fault(_ error: String) -> ConnectionFault {
        switch error {
        case "invalid_client", "unauthorized_client", "incorrect_client_credentials", "redirect_uri_mismatch":
            ConnectionFault(.misconfigured, error)
        case "temporarily_unavailable", "server_error", "slow_down": ConnectionFault(.unavailable, error)
        default:
            ConnectionFault(
                .refused, error.allSatisfy { $0.isLetter || $0 == "_" } ? String(error.prefix(64)) : "error")
        }
    }
}
