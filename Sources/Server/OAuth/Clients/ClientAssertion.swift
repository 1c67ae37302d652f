internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model

/// A client's signed statement about itself or about a token's subject (RFC 7523 §3), parsed and not verified.
struct UnverifiedClientAssertion: Sendable {
    let jws: UnverifiedJWS
    /// Its subject: chooses the client whose keys must have signed it, and nothing else.
    let subject: String

    /// - Throws: `invalid_client` if it is no signed token with a subject.
    init(_ compact: String) throws(OAuthProblem) {
        guard compact.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(compact) else {
            throw OAuthProblem(.invalidClient, "client_assertion is not a signed token")
        }
        let claims = try? JSONValue(parsing: jws.unverifiedPayload)
        guard let subject = claims?["sub"]?.stringValue, !subject.isEmpty else {
            throw OAuthProblem(.invalidClient, "sub of the client assertion is missing")
        }
        self.jws = jws
        self.subject = subject
    }
}

/// Judges assertions by which clients authenticate (OpenID Connect Core §9, RFC 7523 §3, FAPI 2.0 §5.3.2.1).
struct AssertionJudge: Sendable {
    private let project: Project
    private let signatures: ClientSignatures
    private let spent: any ReplayStore
    private let audit: any AuditLog
    private let ambient: Ambient

    init(
        project: Project, clients: ClientDirectory, spent: any ReplayStore, audit: any AuditLog, ambient: Ambient
    ) {
        self.audit = audit
        self.project = project
        signatures = ClientSignatures(clients: clients)
        self.spent = spent
        self.ambient = ambient
    }

    private static let kinds: Set<String?> = [nil, "JWT", TokenKind.clientAuthentication]

    /// Accepts an assertion, once.
    ///
    /// - Throws: `invalid_client`; `temporarily_unavailable` if the client's keys are not available; ``StoreError``.
    func accept(_ assertion: UnverifiedClientAssertion, from client: Client) async throws {
        let jws = assertion.jws
        guard Self.kinds.contains(jws.header.type) else {
            throw OAuthProblem(.invalidClient, "the client assertion is of another kind of token")
        }
        let now = ambient.now()
        let registered = client.metadata.tokenEndpointAuthSigningAlg
        guard let claims = try await signatures.claims(of: jws, by: client, algorithm: registered, at: now) else {
            throw OAuthProblem(
                .invalidClient, "the client assertion is not signed with a key and an algorithm of the client")
        }
        let window: AssertionWindow
        do throws(AssertionFlaw) {
            window = try AssertionWindow(claims, lifetimeMax: Limits.clientAssertionSeconds, at: now)
        } catch {
            throw OAuthProblem(.invalidClient, "the client assertion is not good: \(error.detail)")
        }
        guard claims["iss"]?.stringValue == client.id, claims["sub"]?.stringValue == client.id else {
            throw OAuthProblem(.invalidClient, "iss and sub of the client assertion must both be the client")
        }
        try checkAudience(claims["aud"], of: client)
        guard try await spent.spend(ReplayMark(window, of: client)) else {
            audit.recordOnce(AuditEvent(.assertionReplayed, at: now, clientID: client.id))
            throw OAuthProblem(.invalidClient, "the client assertion was used before: jti must be new each time")
        }
    }

    /// `aud` names this server and nothing else: an assertion for another server is refused here.
    ///
    /// The strict rule is that of FAPI 2.0 §5.3.2.1 and of draft-ietf-oauth-rfc7523bis: the issuer, as one string. A
    /// client that trusts the metadata of a hostile server could otherwise be made to sign the name of our token
    /// endpoint for that server. OpenID Connect Core §9 and RFC 7523 §3 ask for the token endpoint and allow an array,
    /// and libraries send that, so it is accepted unless the strict rule holds. An array with a foreign value is always
    /// refused: each server that it names could use the assertion at the others.
    private func checkAudience(_ audience: JSONValue?, of client: Client) throws(OAuthProblem) {
        if let name = audience?.stringValue, project.isIssuer(name) { return }
        guard !client.requiresStrictAssertions else {
            throw OAuthProblem(.invalidClient, "aud of the client assertion must be the issuer, as one string")
        }
        let names = audience?.stringArrayValue ?? audience?.stringValue.map { [$0] } ?? []
        guard !names.isEmpty, names.allSatisfy({ project.isIssuer($0) || project.isTokenEndpoint($0) }) else {
            throw OAuthProblem(
                .invalidClient, "aud of the client assertion must be the issuer or the token endpoint, and nothing else"
            )
        }
    }
}

/// Verifies clients' signatures with the keys that they registered.
struct ClientSignatures: Sendable {
    let clients: ClientDirectory

    /// Signature algorithms that FAPI 2.0 allows (§5.4).
    static let strict: Set<SignatureAlgorithm> = [.es256, .ps256, .edDSA]

    /// The claims, if one of the client's keys signed them.
    ///
    /// - Parameter algorithm: the one that the client registered for this; `nil`: any that its key and profile allow.
    /// - Throws: `temporarily_unavailable` if the client's keys are not available now.
    func claims(
        of jws: UnverifiedJWS, by client: Client, algorithm: String?, at now: UnixTime
    ) async throws(OAuthProblem) -> JSONValue? {
        guard algorithm == nil || jws.header.algorithm.rawValue == algorithm,
            client.profile != .fapi2 || Self.strict.contains(jws.header.algorithm),
            let keys = clients.keys(of: client.id)
        else { return nil }
        let candidates: [VerificationKey]
        do {
            candidates = try await keys.candidates(for: jws.header, at: now)
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the client's keys cannot be fetched: try again")
        }
        for key in candidates.prefix(Limits.foreignKeysTriedMax) {
            if let claims = try? jws.verify(with: key).claims() { return claims }
        }
        return nil
    }
}

/// A flaw in the times or the `jti` of a signed statement.
struct AssertionFlaw: Error {
    /// Names the claim, and no value that was sent.
    let detail: String
}

/// The lifetime of a signed statement, and its `jti` (RFC 7523 §3).
struct AssertionWindow: Sendable {
    /// `jti`.
    let tokenID: String
    /// It has expired from then on: until then its `jti` is remembered.
    let acceptableUntil: UnixTime

    /// - Parameter lifetimeMax: how far ahead `exp` may be, in seconds.
    init(_ claims: JSONValue, lifetimeMax: Int64, at now: UnixTime) throws(AssertionFlaw) {
        let skew = Limits.assertionSkewSeconds
        guard let expiry = try Self.time("exp", claims) else { throw AssertionFlaw(detail: "exp is missing") }
        guard now < expiry + skew else { throw AssertionFlaw(detail: "exp has passed: is the clock right?") }
        guard expiry <= now + lifetimeMax + skew else {
            throw AssertionFlaw(
                detail: "exp is more than \(lifetimeMax) seconds ahead of the Date of this answer: is the clock right?")
        }
        for name in ["nbf", "iat"] {
            if let time = try Self.time(name, claims), time > now + skew {
                throw AssertionFlaw(detail: "\(name) is in the future: is the clock right?")
            }
        }
        guard let tokenID = claims["jti"]?.stringValue, !tokenID.isEmpty else {
            throw AssertionFlaw(detail: "jti is missing")
        }
        guard tokenID.utf8.count <= Limits.assertionNameBytesMax else { throw AssertionFlaw(detail: "jti is too long") }
        self.tokenID = tokenID
        acceptableUntil = expiry + skew
    }

    private static func time(_ name: String, _ claims: JSONValue) throws(AssertionFlaw) -> UnixTime? {
        guard let value = claims[name] else { return nil }
        let seconds: Int64? =
            switch value {
            case .integer(let whole): whole
            case .number(let number): Int64(exactly: number.rounded(.down))
            default: nil
            }
        let bound: Int64 = 1 << 53
        guard let seconds, (-bound...bound).contains(seconds) else {
            throw AssertionFlaw(detail: "\(name) is not a time")
        }
        return UnixTime(rawValue: seconds)
    }
}

extension ReplayMark {
    /// A client's statement for any use: one that was used for one purpose is refused for another.
    init(_ window: AssertionWindow, of client: Client) {
        self.init(
            jti: window.tokenID, of: client.id, kind: "assertion",
            expiresAt: window.acceptableUntil + Limits.spentMarginSeconds)
    }
}
