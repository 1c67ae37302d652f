internal import KeyturnBase
internal import KeyturnVerify

/// The tokens of a client that signed in as itself under a name.
struct ClientSession: Sendable {
    let name: String
    let tokens: ClientTokens
    var store = StoredClients()

    /// The stored token if it is good for `minimumSeconds`, or else a new one, which is stored.
    ///
    /// - Throws: `session.signed_out` if there is no such client; as ``ClientTokens/renewed(_:)``.
    func token(minimumSeconds: Int64) async throws(AuthError) -> StoredClient.Token {
        guard let found = try await store.find(name) else {
            throw AuthError(.signedOut, "no client is signed in under this name")
        }
        if let token = found.client.token, let left = token.secondsLeft(at: tokens.ambient.now()),
            left >= minimumSeconds
        {
            return token
        }
        let client = try await tokens.renewed(found.client)
        await store.renew(found, with: client, as: name)
        guard let token = client.token else { throw AuthError(.protocolViolation, "the server gave no token") }
        return token
    }

    /// Forgets the client, after its token was ended at the server: also one that another process gets meanwhile. A
    /// client that another process signs in meanwhile stays.
    ///
    /// - Parameter force: Forgets it also if the server cannot be reached or what is stored cannot be read.
    /// - Returns: Whether there was one.
    /// - Throws: unless forced, as ``ClientTokens/revoke(_:)``, and then the client stays; `store.unavailable`.
    func end(force: Bool) async throws(AuthError) -> Bool {
        do throws(AuthError) {
            guard let first = try await store.find(name) else { return false }
            var found = first
            for _ in 0..<Self.roundsMax {
                try await tokens.revoke(found.client)
                if try await store.remove(found, as: name) { return true }
                guard let next = try await store.find(name), next.isSameSignIn(as: first) else { return true }
                found = next
            }
            throw AuthError(.storeUnavailable, "other processes get tokens all the time: stop them, and try again")
        } catch {
            guard force else { throw error }
        }
        try await store.remove(name)
        return true
    }

    /// How often a token is ended that another process got meanwhile.
    private static let roundsMax = 8
}

extension ContainerOptions {
    /// The client that signed in as itself under this name.
    var clientSession: ClientSession { ClientSession(name: name, tokens: ClientTokens(transport: transport)) }
}
