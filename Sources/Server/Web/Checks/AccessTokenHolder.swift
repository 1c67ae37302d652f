internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// What a request shows as its access token, not checked yet.
struct ShownAccessToken: Sendable {
    let token: Secret
    /// Whether it came under the scheme `DPoP`, which bound tokens need (RFC 9449 §7.1).
    let isProven: Bool

    fileprivate init(_ token: Secret, isProven: Bool) {
        self.token = token
        self.isProven = isProven
    }
}

/// A request with an access token that is valid here: bound to no key, or to one that the request proves.
struct AccessTokenHolder: Sendable {
    let token: PresentedAccessToken
    let shown: ShownAccessToken

    fileprivate init(_ token: PresentedAccessToken, _ shown: ShownAccessToken) {
        self.token = token
        self.shown = shown
    }
}

/// A request with an access token of a person whose sign-in has not ended.
struct PersonalTokenHolder: Sendable {
    let token: PresentedAccessToken
    let live: LiveGrant
    let shown: ShownAccessToken

    fileprivate init(_ token: PresentedAccessToken, _ live: LiveGrant, _ shown: ShownAccessToken) {
        self.token = token
        self.live = live
        self.shown = shown
    }
}

/// Why an access token is refused, with the challenge. The route answers with it if the row has no form of its own.
struct TokenRefusal: Error {
    /// `nil`: none was shown, and the answer says only how to show one (RFC 6750 §3.1).
    let problem: OAuthProblem?
    let headers: HTTPFields

    fileprivate init(_ problem: OAuthProblem?, _ headers: HTTPFields) {
        self.problem = problem
        self.headers = headers
    }

    var response: Response {
        problem.map { .problem($0, headers: headers) } ?? Response(status: .unauthorized, headers: headers)
    }
}

extension Demand {
    /// An access token, refused as RFC 6750 §3.1 says.
    static let accessToken = Demand(
        .accessToken, .error(401, OAuthProblem.Code.invalidToken.rawValue), but: [.missing: .error(401, nil)])
}

extension Checks {
    var gate: AccessTokenGate { AccessTokenGate(services: services) }

    /// The token of the header; `nil` if there is none. Tokens in the address are ignored (RFC 9700 §4.3.2).
    func shownToken(_ request: Request) -> ShownAccessToken? {
        guard let (scheme, token) = Self.credentials(request) else { return nil }
        guard [TokenType.bearer, TokenType.dpop].contains(where: { $0.lowercased() == scheme }) else { return nil }
        return ShownAccessToken(token, isProven: scheme == TokenType.dpop.lowercased())
    }

    /// The token from the header or from a posted form, but not from both (RFC 6750 §2).
    func shownTokenOrForm(_ request: Request) async throws -> ShownAccessToken? {
        let found = shownToken(request)
        guard request.method == .post, request.headers[.contentType] != nil else { return found }
        guard let posted = try await request.formParameters().one("access_token") else { return found }
        guard found == nil else { throw OAuthProblem(.invalidRequest, "the token was sent in two places") }
        return ShownAccessToken(Secret(posted), isProven: false)
    }

    /// An access token that is valid at this server and not restricted to objects.
    func holder(_ request: Request) async throws -> AccessTokenHolder {
        guard let shown = shownToken(request) else { throw noToken }
        guard let token = try await services.inspector.accepted(shown.token) else {
            throw TokenRefusal(Self.notGood, gate.challenge(Self.notGood, shown))
        }
        do throws(OAuthProblem) {
            try await gate.prove(request, at: request.target.path, shown, token)
            try gate.requireUnrestricted(token)
        } catch {
            throw TokenRefusal(error, gate.challenge(error, shown))
        }
        return AccessTokenHolder(token, shown)
    }

    /// A person's access token that is valid at this server; `nil` for an invalid one.
    ///
    /// - Parameter path: the address that the DPoP proof must name.
    /// - Throws: ``OAuthProblem`` for a token whose key the request does not prove; ``StoreError``.
    func personalHolder(_ shown: ShownAccessToken, _ request: Request, at path: String) async throws
        -> PersonalTokenHolder?
    {
        guard let (token, live) = try await services.inspector.personal(shown.token) else { return nil }
        try await gate.prove(request, at: path, shown, token)
        return PersonalTokenHolder(token, live, shown)
    }

    /// The refusal of a request whose token is good, and does not open this.
    func refusal(_ code: OAuthProblem.Code, _ text: String, _ holder: AccessTokenHolder) -> TokenRefusal {
        let problem = OAuthProblem(code, text)
        return TokenRefusal(problem, gate.challenge(problem, holder.shown))
    }

    /// The refusal of a request that shows no token.
    var noToken: TokenRefusal { TokenRefusal(nil, gate.invitation) }

    private static let notGood = OAuthProblem(.invalidToken, "the access token is not good, or no longer")

    /// The scheme of the header, in small letters, and what comes after it.
    static func credentials(_ request: Request) -> (scheme: String, credentials: Secret)? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return (parts[0].lowercased(), Secret(String(parts[1].drop { $0 == " " })))
    }
}
