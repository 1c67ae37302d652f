public import KeyturnBase
internal import KeyturnWire
public import Model
public import OAuth

/// Sessions that an authorization gave an app, where the methods need a session: the app presents its refresh token.
///
/// The token must be bound to a key, and is not spent: the request brings a proof of that key (RFC 9449 §4.3). Only the
/// operator's own apps may do this: what the methods change, no scope grants.
public struct AppSessions: Sendable {
    private let issuer: TokenIssuer
    private let clients: ClientDirectory
    private let grants: any GrantStore
    private let proofs: DPoPChecker
    private let ambient: Ambient

    public init(
        issuer: TokenIssuer, clients: ClientDirectory, grants: any GrantStore, proofs: DPoPChecker, ambient: Ambient
    ) {
        self.issuer = issuer
        self.clients = clients
        self.grants = grants
        self.proofs = proofs
        self.ambient = ambient
    }

    /// The session of a refresh token in which an app acts for its whole account, as pages of the settings do. A token that
    /// is bound to no key counts as well: only the app and this server ever had it.
    ///
    /// - Throws: as ``presented(_:_:mayBeUnbound:)``; ``MethodProblem/tokenRevoked`` also for a token that was replaced;
    ///   ``MethodProblem`` if another user acts in the session; `insufficient_scope` without `openid`, and as
    ///   ``requireFullAccess(_:)``.
    public func ofWholeAccount(_ text: Secret, _ presentation: DPoPPresentation) async throws -> Grant {
        let session = try await presented(text, presentation, mayBeUnbound: true)
        try session.requireOwner()
        try requireFullAccess(session.grant)
        guard allows(Scope.openID, session.grant) else {
            throw OAuthProblem(.insufficientScope, "the session needs the scope \(Scope.openID)")
        }
        return session.grant
    }

    /// - Throws: `insufficient_scope` for a client of Authgear's profile without full access.
    func requireFullAccess(_ grant: Grant) throws(OAuthProblem) {
        let isAuthgears = clients.client(grant.clientID)?.profile == .authgear
        guard !isAuthgears || allows(AuthgearNames.fullAccess, grant) else {
            throw OAuthProblem(.insufficientScope, "the session needs the scope \(AuthgearNames.fullAccess)")
        }
    }

    /// Whether a scope was granted, and the client may have it now.
    private func allows(_ scope: String, _ grant: Grant) -> Bool {
        grant.scope.contains(scope) && clients.client(grant.clientID)?.permittedScope.contains(scope) == true
    }

    /// The session of a refresh token. One statement.
    ///
    /// - Parameters:
    ///   - presentation: the request's DPoP proof, and what it must name.
    ///   - mayBeUnbound: whether a token that is bound to no key counts as well.
    /// - Throws: ``MethodProblem/tokenRevoked`` if the token is foreign, or not as its client gets it, or the session is
    ///   over; another ``MethodProblem`` with status 401 if the client may not do this; ``OAuthProblem`` for the proof;
    ///   ``StoreError``.
    func presented(_ text: Secret, _ presentation: DPoPPresentation, mayBeUnbound: Bool = false) async throws
        -> PresentedRefresh
    {
        let now = ambient.now()
        guard let shown = issuer.refreshToken(presented: text, at: now),
            let found = try await grants.presented(shown.grantID, at: now),
            let client = clients.client(found.grant.clientID), let token = shown.token(of: client)
        else { throw MethodProblem.tokenRevoked }
        guard client.isFirstParty, client.isPublic else { throw MethodProblem.notAnOwnApp }
        guard let thumbprint = found.grant.keyThumbprint else {
            guard mayBeUnbound else { throw MethodProblem.notBound }
            return try PresentedRefresh(found, counter: token.counter, at: now)
        }
        let proof = try proofs.proof(presentation, from: client)
        guard proof?.keyThumbprint == thumbprint else {
            throw OAuthProblem(.invalidDPoPProof, "the session is bound to a key that this request did not prove")
        }
        let session = try PresentedRefresh(found, counter: token.counter, at: now)
        try await proofs.admit(proof)
        return session
    }
}

extension PresentedRefresh {
    /// - Parameter counter: of the token that was presented.
    /// - Throws: ``MethodProblem/tokenRevoked`` if it was used, and is not the current one's predecessor.
    init(_ found: PresentedGrant, counter: Int64, at now: UnixTime) throws(MethodProblem) {
        var isLate = false
        if counter != found.grant.counter {
            switch RefreshRules.judge(presented: counter, row: found.row, at: now) {
            case .repeatSuccessor, .ahead: break
            case .forgiveLate: isLate = true
            case .replay: throw MethodProblem.tokenRevoked
            }
        }
        self.init(account: found.account, grant: found.grant, isLate: isLate)
    }
}

extension MethodProblem {
    fileprivate static let notBound = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "An app's session counts here only if its refresh token is bound to a key (DPoP)", status: 401)
    /// A session of an app that is not the operator's own, or that could authenticate and did not.
    fileprivate static let notAnOwnApp = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "Only a public client with first_party may present its session here", status: 401)
}
