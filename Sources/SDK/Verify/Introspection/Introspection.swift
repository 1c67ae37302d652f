public import KeyturnBase
internal import KeyturnWire

/// Asks the authorization server about a token (RFC 7662): for tokens without a readable form, and where a revoked
/// token must be noticed at once.
public struct Introspection: Sendable {
    /// The introspection endpoint.
    public let endpoint: String
    /// How long an active answer may be used again, in seconds; 0: every call asks.
    public let cacheSeconds: Int64
    private let credentials: BasicCredentials
    private let audience: String?
    private let acceptsRestrictedTokens: Bool
    private let revocations: SessionRevocations?
    private let transport: any HTTPTransport
    private let memory: Memory

    /// - Parameters:
    ///   - endpoint: The introspection endpoint. Plain `http` only for loopback addresses.
    ///   - clientID: This service's own client at the server, which may ask.
    ///   - clientSecret: Its secret, sent by HTTP Basic.
    ///   - audience: For whom the token must have been issued (`aud`): this service. `nil` leaves that to the
    ///     server, which then must know which tokens this client may use.
    ///   - cacheSeconds: How long an active answer may be used again; a revoked token is noticed after that. 0…300.
    ///   - acceptsRestrictedTokens: Whether tokens that are good for single objects alone are active here. Say so only
    ///     where each request is checked with ``TokenAuthority/require(object:scope:)``.
    ///   - revocations: What the provider says of sessions that are over: with it a remembered answer ends at once;
    ///     `nil`: after `cacheSeconds`.
    ///   - transport: Carries the requests; `nil`: a ``URLSessionTransport``.
    public init(
        endpoint: String, clientID: String, clientSecret: Secret, audience: String?, cacheSeconds: Int64 = 0,
        acceptsRestrictedTokens: Bool = false, revocations: SessionRevocations? = nil,
        transport: (any HTTPTransport)? = nil
    ) {
        precondition((0...300).contains(cacheSeconds), "answers may be used again for 0...300 seconds")
        self.endpoint = endpoint
        self.cacheSeconds = cacheSeconds
        self.audience = audience
        self.acceptsRestrictedTokens = acceptsRestrictedTokens
        self.revocations = revocations
        self.transport = transport ?? URLSessionTransport()
        credentials = BasicCredentials(clientID: clientID, clientSecret: clientSecret)
        memory = Memory()
    }

    /// What the server says about `token`. A token that has expired by our own clock, is for another audience, is bound to a
    /// key without a proof of it, or is good for single objects where none is asked for, is inactive whatever it says.
    ///
    /// - Parameters:
    ///   - token: What was presented.
    ///   - proofKeyThumbprint: The thumbprint of the key whose possession the caller has checked (RFC 9449 §6.2).
    ///   - now: The moment to judge by; pass `ambient.now()`.
    /// - Throws: `transport.unavailable`; `server.refused` if the server does not accept our own credentials;
    ///   `protocol.violation` if its answer makes no sense.
    public func ask(
        _ token: UnverifiedToken, proofKeyThumbprint: String? = nil, at now: UnixTime
    ) async throws(AuthError) -> IntrospectionAnswer {
        guard token.compact.utf8.count <= VerifyLimits.tokenBytes else { return .inactive }
        let key = BoundedCache<ActiveToken>.key(token)
        if cacheSeconds > 0, let known = await memory.value(for: key, at: now) {
            return isProven(known, proofKeyThumbprint) && !isRevoked(known, at: now) ? .active(known) : .inactive
        }
        let answer = accept(try await fetch(token), at: now)
        guard case .active(let active) = answer else { return .inactive }
        if cacheSeconds > 0 {
            let until = min(now + cacheSeconds, active.expiresAt ?? now + cacheSeconds)
            await memory.insert(active, for: key, at: now, until: until)
        }
        return isProven(active, proofKeyThumbprint) ? answer : .inactive
    }

    /// The server itself is asked for a token that is not remembered: what it says is newer than any notice.
    private func isRevoked(_ token: ActiveToken, at now: UnixTime) -> Bool {
        guard let revocations else { return false }
        do throws(AuthError) {
            try revocations.check(
                subject: token.subject, sessionID: token.claims["sid"]?.stringValue, issuedAt: token.issuedAt, at: now)
            return false
        } catch {
            return true
        }
    }

    /// `cnf` (RFC 7662 §2.2 with RFC 9449 §6.2): every binding must be understood, and proven.
    private func isProven(_ token: ActiveToken, _ proofKeyThumbprint: String?) -> Bool {
        guard let binding = token.claims["cnf"] else { return proofKeyThumbprint == nil }
        guard let members = binding.objectValue, members.count == 1, let bound = members["jkt"]?.stringValue else {
            return false
        }
        return bound == proofKeyThumbprint
    }

    private func fetch(_ token: UnverifiedToken) async throws(AuthError) -> ActiveToken? {
        let form = FormParameters(["token": token.compact, "token_type_hint": "access_token"])
        let response = try await transport.send(
            HTTPRequest(
                method: "POST", url: endpoint,
                headers: [
                    ("Authorization", credentials.header), ("Accept", "application/json"),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ],
                body: Array(form.encoded.utf8)))
        try Self.checkStatus(response.status)
        guard let members = (try? JSONValue(parsing: response.body))?.objectValue,
            let isActive = members["active"]?.boolValue
        else { throw AuthError(.protocolViolation, "the introspection answer cannot be read") }
        guard isActive else { return nil }
        do throws(AuthError) {
            return try ActiveToken(ClaimReader(members))
        } catch {
            throw AuthError(
                .protocolViolation, "the introspection answer cannot be read: \(error.detail)", cause: error)
        }
    }

    private static func checkStatus(_ status: Int) throws(AuthError) {
        let server = AuthError.ServerAnswer(status: status)
        switch status {
        case 200: return
        case 400...403: throw AuthError(.refused, "the server does not let this client ask", server: server)
        default: throw AuthError(.unavailable, "the server did not answer the question", server: server)
        }
    }

    private func accept(_ token: ActiveToken?, at now: UnixTime) -> IntrospectionAnswer {
        guard let token else { return .inactive }
        if let expiresAt = token.expiresAt, now >= expiresAt { return .inactive }
        if let audience, !token.audience.contains(audience) { return .inactive }
        if token.restrictedTo != nil, !acceptsRestrictedTokens { return .inactive }
        return .active(token)
    }

    private actor Memory {
        private var cache = BoundedCache<ActiveToken>(entriesMax: VerifyLimits.rememberedTokens)

        func value(for key: BoundedCache<ActiveToken>.Key, at now: UnixTime) -> ActiveToken? {
            cache.value(for: key, at: now)
        }

        func insert(_ token: ActiveToken, for key: BoundedCache<ActiveToken>.Key, at now: UnixTime, until: UnixTime) {
            cache.insert(token, for: key, at: now, until: until)
        }
    }
}
