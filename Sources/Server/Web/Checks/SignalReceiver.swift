internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// A client with its own access token for streams of security events.
struct SignalReceiver: Sendable {
    let client: Client

    fileprivate init(_ client: Client) {
        self.client = client
    }
}

extension Demand {
    static let signalReceiver = Demand(
        .signalReceiver, .error(401, OAuthProblem.Code.invalidToken.rawValue),
        but: [.missing: .error(401, nil), .foreign: .error(403, OAuthProblem.Code.insufficientScope.rawValue)])
}

extension Checks {
    /// Only a client that the operator registered for the scope, with a token of its own: streams tell of every user.
    ///
    /// - Parameter reads: whether the scope to read suffices.
    func signalReceiver(_ request: Request, reads: Bool) async throws -> SignalReceiver {
        let holder = try await holder(request)
        let scopes = reads ? [Scope.signalsManage, Scope.signalsRead] : [Scope.signalsManage]
        let token = holder.token
        guard token.isClientsOwn, scopes.contains(where: token.scope.contains),
            let client = services.clients.client(token.clientID),
            client.mayHaveSignalStreams, scopes.contains(where: { client.scope?.contains($0) == true })
        else {
            throw refusal(.insufficientScope, "a client's own token with the scope \(scopes[0]) opens this", holder)
        }
        return SignalReceiver(client)
    }
}
