internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// A request whose bearer names this project. The rest of the bearer is unverified: the checks below verify it.
struct ProjectBearerHolder: Sendable {
    private let bearer: ProjectBearer
    /// What a DPoP proof of an app's session must name.
    fileprivate let presentation: DPoPPresentation
    /// An access token in place of the bearer, where the row takes one.
    let accessToken: ShownAccessToken?

    fileprivate init(
        _ bearer: ProjectBearer, _ presentation: DPoPPresentation, accessToken: ShownAccessToken? = nil
    ) {
        self.bearer = bearer
        self.presentation = presentation
        self.accessToken = accessToken
    }

    fileprivate var refreshJWT: Secret? { bearer.refreshJWT }
    /// A refresh JWT, or an app's refresh token, which has the shape of a key.
    fileprivate var session: Secret? { bearer.refreshJWT ?? bearer.accessKey }
    fileprivate var accessKey: Secret? { bearer.accessKey }
    var managementKey: Secret? { bearer.managementKey }
}

/// A request with the refresh JWT of a live session.
struct LiveSession: Sendable {
    let presented: PresentedRefresh

    fileprivate init(_ presented: PresentedRefresh) {
        self.presented = presented
    }
}

/// A refresh JWT that the client wants renewed; the renewal verifies it.
struct ShownRefreshToken: Sendable {
    let token: Secret

    fileprivate init(_ token: Secret) {
        self.token = token
    }
}

/// An access key that the client wants exchanged; the exchange verifies it.
struct ShownAccessKey: Sendable {
    let key: Secret

    fileprivate init(_ key: Secret) {
        self.key = key
    }
}

extension Demand {
    static let project = Demand(.project, .error(401, MethodProblem.unknownProject.code.rawValue))
    static let refreshToken = Demand(.refreshToken, .error(401, MethodProblem.tokenRevoked.code.rawValue))
    static let accessKey = Demand(
        .accessKey, .error(401, MethodProblem.invalidAccessKey.code.rawValue),
        but: [.missing: .error(401, MethodProblem.missingAccessKey.code.rawValue)])
}

extension MethodProblem {
    /// The same answer for a malformed bearer and for another project's.
    fileprivate static let unknownProject = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "The Authorization header must be Bearer with the identifier of this project", status: 401)
    fileprivate static let noSession = MethodProblem.tokenRevoked.saying(
        "The bearer must hold the refresh token of a session")
}

extension Checks {
    func project(_ request: Request) throws(MethodProblem) -> ProjectBearerHolder {
        guard let header = request.headers[.authorization], let bearer = ProjectBearer(header: header),
            bearer.projectID == services.project.id
        else { throw .unknownProject }
        return ProjectBearerHolder(bearer, request.proofPresentation(services.project, request.target.path))
    }

    /// The same for the management interface, which takes an access token alone as well.
    func projectOrAccessToken(_ request: Request) throws(MethodProblem) -> ProjectBearerHolder {
        guard let shown = shownToken(request), ProjectBearer.looksLikeJWT(shown.token.exposed()) else {
            return try project(request)
        }
        return ProjectBearerHolder(
            ProjectBearer(projectID: services.project.id),
            request.proofPresentation(services.project, request.target.path), accessToken: shown)
    }

    /// The session that the request must present.
    ///
    /// - Throws: 401 if there is none, or it has ended; ``OAuthProblem`` for its proof; ``StoreError``.
    func session(_ bearer: ProjectBearerHolder) async throws -> LiveSession {
        guard let token = bearer.session else { throw MethodProblem.noSession }
        return LiveSession(try await services.sessions.presented(token, bearer.presentation))
    }

    /// The presented session, if the options ask for one. The rules decide whether it is required.
    func session(_ bearer: ProjectBearerHolder, for options: LoginOptions) async throws -> PresentedRefresh? {
        guard options.needsSession, let token = bearer.session else { return nil }
        return try await services.sessions.presented(token, bearer.presentation)
    }

    /// The session presented with a code or link, used only to tell whether the same client asked for it.
    func sessionIfGood(_ bearer: ProjectBearerHolder) async throws -> PresentedRefresh? {
        guard let token = bearer.session else { return nil }
        do {
            return try await services.sessions.presented(token, bearer.presentation)
        } catch is MethodProblem {
            return nil
        }
    }

    /// The sign-in that the bearer's second part continues, in place of a session; `nil`: it is none.
    ///
    /// - Throws: 401 if it is over.
    func pendingSignIn(_ bearer: ProjectBearerHolder) throws(MethodProblem) -> PendingSignIn? {
        guard let reference = bearer.accessKey else { return nil }
        return try services.sessions.pending(reference)
    }

    /// - Throws: 401 if there is none.
    func refreshToken(_ bearer: ProjectBearerHolder) throws(MethodProblem) -> ShownRefreshToken {
        guard let token = bearer.refreshJWT else { throw .noSession }
        return ShownRefreshToken(token)
    }

    func accessKey(_ bearer: ProjectBearerHolder) throws(MethodProblem) -> ShownAccessKey {
        guard let key = bearer.accessKey else { throw .missingAccessKey }
        return ShownAccessKey(key)
    }
}
