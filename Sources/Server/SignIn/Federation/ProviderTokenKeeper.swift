internal import Foundation
package import KeyturnBase
public import Model

/// Keeps the tokens of providers, sealed, for connections that say so; refreshes them on demand, and revokes them when the
/// identity is gone. Tokens are sealed for the provider and the registration that they came from: a connection that is
/// turned to another provider sends it none of them.
public struct ProviderTokenKeeper: Sendable {
    private let stores: Stores
    private let seal: Seal
    private let audit: any AuditLog
    private let ambient: Ambient
    private let turns = PerKeyLock()
    /// Within this time before its end a token is refreshed, in seconds.
    private static let marginSeconds: Int64 = 60
    private static let batch = 20
    private static let leaseSeconds: Int64 = 900

    package init(stores: Stores, secrets: ServerSecrets, audit: any AuditLog, ambient: Ambient) {
        self.stores = stores
        seal = Seal(secrets, purpose: .providerToken, ambient: ambient)
        self.audit = audit
        self.ambient = ambient
    }

    /// Keeps what came with a sign-in. A provider that gives a refresh token only once is not asked again: the one that is
    /// there stays.
    public func keep(_ profile: FederatedProfile, at connection: Connection) async throws(StoreError) {
        guard connection.keepsTokens, var tokens = profile.tokens else { return }
        let key = profile.key(at: connection.id)
        if tokens.refreshToken == nil, let present = try await stores.providerTokens.tokens(of: key) {
            tokens.refreshToken = open(present, at: connection)?.refreshToken
        }
        _ = try await stores.providerTokens.keep(close(tokens, key, at: connection))
    }

    /// The tokens of an identity; refreshed if they end within a minute, or if that is demanded.
    ///
    /// - Parameters:
    ///   - key: of the identity.
    ///   - connection: of the identity.
    ///   - protocols: speak to its provider.
    ///   - isForced: whether they are refreshed in any case.
    /// - Returns: `nil` if there are none, or the provider has withdrawn them; then they are removed, and the sessions end
    ///   that began with the identity.
    /// - Throws: ``StoreError``; ``ConnectionProblem`` if the provider does not answer.
    public func current(
        of key: FederatedIdentity.Key, at connection: Connection, _ protocols: ConnectionProtocols, isForced: Bool
    ) async throws -> ProviderTokens? {
        guard let tokens = try await kept(key, at: connection)?.tokens else { return nil }
        guard isForced || isDue(tokens), tokens.refreshToken != nil, let speaker = protocols.of(connection) else {
            return tokens
        }
        // Some providers take a refresh token once, and withdraw all tokens if it comes twice.
        let line = String(decoding: Self.name(of: key).serialized, as: UTF8.self)
        let fresh: ProviderTokens?? = try await turns.inTurn(line) {
            guard let now = try await kept(key, at: connection) else { return nil }
            if now.tokens != tokens, !isDue(now.tokens) { return now.tokens }
            return try await refresh(now, speaker, at: connection)
        }
        guard let fresh else { throw ConnectionProblem(.unavailable, code: "too_many_refreshes") }
        return fresh
    }

    private func isDue(_ tokens: ProviderTokens) -> Bool {
        tokens.expiresAt.map { $0 <= ambient.now() + Self.marginSeconds } ?? false
    }

    private typealias Kept = (stored: StoredProviderTokens, tokens: ProviderTokens)

    private func kept(_ key: FederatedIdentity.Key, at connection: Connection) async throws(StoreError) -> Kept? {
        guard connection.keepsTokens, let stored = try await stores.providerTokens.tokens(of: key),
            let tokens = open(stored, at: connection)
        else { return nil }
        return (stored, tokens)
    }

    private func refresh(
        _ old: Kept, _ speaker: any ConnectionProtocol, at connection: Connection
    ) async throws -> ProviderTokens? {
        let key = old.stored.key
        let fresh: ProviderTokens
        do throws(ConnectionProblem) {
            fresh = try await speaker.refresh(old.tokens, at: connection)
        } catch {
            guard error.code == "invalid_grant" else { throw error }
            // Another server may have used the refresh token.
            if let newer = try await kept(key, at: connection), newer.stored != old.stored { return newer.tokens }
            try await stores.providerTokens.remove(old.stored)
            try await FederatedSessions(stores: stores, audit: audit, ambient: ambient)
                .end(
                    try await stores.identities.sessions(of: key, providerSession: nil, at: ambient.now()),
                    at: connection)
            return nil
        }
        guard try await stores.providerTokens.replace(old.stored, by: close(fresh, key, at: connection).sealed) else {
            return try await kept(key, at: connection)?.tokens ?? fresh
        }
        return fresh
    }

    /// Revokes tokens whose identity is gone, and removes them. A provider that does not answer is asked again for a while.
    ///
    /// - Returns: how many were removed.
    @discardableResult
    public func revokeEnded(_ connections: ConnectionDirectory, _ protocols: ConnectionProtocols)
        async throws(StoreError) -> Int
    {
        var removed = 0
        let ended = try await stores.providerTokens.ended(
            limit: Self.batch, leaseSeconds: Self.leaseSeconds, at: ambient.now())
        for entry in ended {
            var isDone = true
            var reason = "no_connection"
            if let connection = connections.connection(entry.tokens.key.connectionID),
                let tokens = open(entry.tokens, at: connection), let speaker = protocols.of(connection)
            {
                do throws(ConnectionProblem) {
                    try await speaker.revoke(tokens, at: connection)
                    reason = "revoked"
                } catch {
                    reason = error.code
                    isDone = error.kind != .unavailable || entry.attempts >= Limits.revocationAttemptsMax
                }
            }
            guard isDone else { continue }
            try await stores.providerTokens.remove(entry.tokens)
            removed += 1
            audit.record(
                AuditEvent(
                    .providerTokensRemoved, at: ambient.now(), reason: reason, target: entry.tokens.key.connectionID))
        }
        return removed
    }

    private func close(
        _ tokens: ProviderTokens, _ key: FederatedIdentity.Key, at connection: Connection
    ) -> StoredProviderTokens {
        guard let text = try? JSONEncoder().encode(tokens) else { preconditionFailure("tokens are plain values") }
        return StoredProviderTokens(key: key, sealed: seal.seal(Array(text), context: Self.context(key, connection)))
    }

    private func open(_ stored: StoredProviderTokens, at connection: Connection) -> ProviderTokens? {
        seal.open(stored.sealed, context: Self.context(stored.key, connection)).flatMap {
            try? JSONDecoder().decode(ProviderTokens.self, from: Data($0))
        }
    }

    private static func name(of key: FederatedIdentity.Key) -> JSONValue {
        [.string(key.connectionID), .string(key.issuer), .string(key.subject)]
    }

    private static func context(_ key: FederatedIdentity.Key, _ connection: Connection) -> [UInt8] {
        guard case .openID(let settings) = connection.settings else { return name(of: key).serialized }
        return JSONValue.array([name(of: key), settings.registration]).serialized
    }
}

extension Connection {
    /// Whether the provider's tokens are kept.
    var keepsTokens: Bool {
        guard case .openID(let settings) = settings else { return false }
        return settings.keepsTokens
    }
}
