public import KeyturnBase
internal import KeyturnWire

/// A session as a value: the tokens that some sign-in produced, whose they are, and how long they last.
///
/// A copy of what was at hand at one moment. ``SessionManager`` hands these out and takes them up; renewing one
/// changes the manager's, never this.
public struct ManagedSession: Hashable, Sendable {
    /// What backends take.
    public let accessToken: String
    /// What renews the access token; `nil`: nothing does.
    public let refreshToken: String?
    /// When the access token runs out, by this machine's clock; `nil`: unknown, then it is used until a server
    /// refuses it.
    public let expiresAt: UnixTime?
    /// When the access token was issued; `nil`: unknown.
    public let issuedAt: UnixTime?
    /// What the service told about the person, such as `sub`, `name` and `email`.
    public var userClaims: [String: JSONValue]
    /// Who signed in, verified; `nil` if the sign-in brought no ID token.
    public let idToken: IDToken?

    var scope = Scope.none
    var isSenderConstrained = false
    var keyThumbprint: String?
    var projectID: String?
    /// The sign-in it was read from.
    var signIn: String?

    /// A session of tokens that a service issued to this container's client.
    ///
    /// - Parameters:
    ///   - accessToken: Visible ASCII, at most 64 KiB.
    ///   - refreshToken: The same; `nil` if there is none.
    ///   - expiresAt: When the access token runs out; `nil`: what it says itself if it is a JWT (`exp`), unverified.
    ///   - userClaims: What is known about the person; shown by ``userClaims`` and kept with the session.
    ///   - idToken: The sign-in's ID token, if there was one.
    public init(
        accessToken: String, refreshToken: String? = nil, expiresAt: UnixTime? = nil,
        userClaims: [String: JSONValue] = [:], idToken: IDToken? = nil
    ) {
        let times = UnverifiedTimes(ofJWT: accessToken)
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt ?? times?.expiresAt
        issuedAt = times?.issuedAt
        self.userClaims = userClaims.isEmpty ? idToken?.claims ?? [:] : userClaims
        self.idToken = idToken
    }

    /// The person (`sub`), if ``userClaims`` name one.
    public var subject: String? { userClaims["sub"]?.stringValue }
}

extension ManagedSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person and nothing of the tokens.
    public var description: String { "ManagedSession" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ManagedSession {
    /// What a stored record says.
    init(_ record: SessionRecord) {
        accessToken = record.accessToken
        refreshToken = record.refreshToken
        expiresAt = record.expiresAt
        issuedAt = record.obtainedAt
        userClaims = record.userClaims ?? record.idToken?.claims ?? [:]
        idToken = record.idToken
        scope = record.scope
        isSenderConstrained = record.isSenderConstrained
        keyThumbprint = record.keyThumbprint
        projectID = record.projectID
        signIn = record.generation.signIn
    }

    /// The first record of a sign-in of its own.
    func record(signIn: String, client: SessionRecord.Client, at now: UnixTime) -> SessionRecord {
        let end = expiresAt.map { min($0, now + Limits.tokenLifetimeMaxSeconds) }
        // How much of the lifetime has gone by is not known: enough that the last minute counts as the last.
        let beginning = issuedAt ?? end.map { min(now, $0 - 2 * Limits.renewAheadSeconds) } ?? now
        return SessionRecord(
            generation: Generation(signIn: signIn, number: 1), client: client, accessToken: accessToken,
            obtainedAt: beginning, expiresAt: end, refreshToken: refreshToken, idToken: idToken, scope: scope,
            isSenderConstrained: isSenderConstrained, keyThumbprint: keyThumbprint,
            userClaims: storedClaims, projectID: projectID ?? client.projectID)
    }

    /// What is stored about the person beside the ID token; `nil`: nothing that is not in there.
    var storedClaims: [String: JSONValue]? {
        userClaims.isEmpty || userClaims == idToken?.claims ? nil : userClaims
    }

    /// Whether both tokens are the record's.
    func hasTokens(of record: SessionRecord) -> Bool {
        accessToken == record.accessToken && refreshToken == record.refreshToken
    }

    /// Whether it is an earlier or later state of the same session.
    func isSameSession(as record: SessionRecord) -> Bool {
        signIn == record.generation.signIn || accessToken == record.accessToken
            || refreshToken != nil && refreshToken == record.refreshToken
    }

    /// Whether a renewal could bring anything: there is a refresh token, and it outlives the access token.
    ///
    /// - Parameter now: By the service's clock. Only a refresh token that is a JWT says when it runs out.
    func isRenewable(at now: UnixTime) -> Bool {
        guard let refreshToken else { return false }
        guard let end = UnverifiedTimes(ofJWT: refreshToken)?.expiresAt else { return true }
        guard let sessionEnd = UnverifiedTimes(ofJWT: accessToken)?.expiresAt else { return end > now }
        return end > now && end > sessionEnd
    }

    static let unpresentable = AuthError(
        .tokenMalformed, "a token must be visible ASCII and not longer than \(Limits.tokenMaxBytes) bytes")

    /// Whether the tokens can go into a header, and back to their service.
    var isPresentable: Bool {
        [accessToken, refreshToken].compactMap(\.self).allSatisfy { token in
            !token.isEmpty && token.utf8.count <= Limits.tokenMaxBytes
                && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }
}

/// What a JWT says about its own time, which is not verified: good for deciding when to renew, and for nothing else.
struct UnverifiedTimes: Hashable, Sendable {
    let issuedAt: UnixTime?
    let expiresAt: UnixTime?

    /// `nil` if it is not a JWT.
    init?(ofJWT compact: String) {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, compact.utf8.count <= Limits.tokenMaxBytes, let payload = Base64URL.decode(parts[1]),
            let claims = (try? JSONValue(parsing: payload))?.objectValue
        else { return nil }
        issuedAt = claims["iat"]?.integerValue.map { UnixTime(rawValue: $0) }
        expiresAt = claims["exp"]?.integerValue.map { UnixTime(rawValue: $0) }
    }
}
