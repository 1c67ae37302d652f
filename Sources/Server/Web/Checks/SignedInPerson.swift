internal import Identity
internal import KeyturnBase
internal import Model
internal import SignIn

/// A user with a session in the browser that sent the request.
struct SignedInPerson: Sendable {
    let session: BrowserSession
    let user: User

    fileprivate init(_ session: BrowserSession, _ user: User) {
        self.session = session
        self.user = user
    }

    /// The pair that the authorization's rules take.
    var asPair: (BrowserSession, User) { (session, user) }
}

/// A signed-in user with everything about the account.
struct SignedInOwner: Sendable {
    let owner: AccountOwner

    fileprivate init(_ owner: AccountOwner) {
        self.owner = owner
    }
}

/// A user who signed in within ``Limits/sensitiveSeconds``.
struct RecentlySignedInOwner: Sendable {
    let owner: AccountOwner

    fileprivate init(_ owner: AccountOwner) {
        self.owner = owner
    }
}

extension Demand {
    /// Redirects to the sign-in, and back.
    static let session = Demand(.session, .redirect("\(Routes.login)?transaction="))
    static let recentSignIn = Demand(.recentSignIn, .redirect("\(Routes.login)?transaction="))
}

extension Checks {
    /// Whether the browser sent a session cookie, valid or not.
    func hasSessionCookie(_ request: Request) -> Bool { cookies.session(request) != nil }

    /// The cookie of the session that counts. On pages of the settings it is the one that an app opened, until its user
    /// signs in in this browser, later or with more factors.
    private func sessionCookie(_ request: Request) async throws(StoreError) -> Secret? {
        let own = cookies.session(request)
        guard Routes.isOfSettings(request.target.path), let opened = cookies.appSession(request),
            let (app, _) = try await services.signIn.session(of: opened)
        else { return own }
        guard let (browser, _) = try await services.signIn.session(of: own), browser.userID == app.userID,
            browser.authentication.time > app.authentication.time
                || Self.hasSeveralFactors(browser) && !Self.hasSeveralFactors(app)
        else { return opened }
        return own
    }

    private static func hasSeveralFactors(_ session: BrowserSession) -> Bool {
        session.authentication.methods.contains(AuthenticationMethod.severalFactors)
    }

    /// The signed-in user; `nil`: none. One statement if there is a cookie, three with an app's.
    func person(_ request: Request) async throws(StoreError) -> SignedInPerson? {
        try await services.signIn.session(of: try await sessionCookie(request)).map { SignedInPerson($0.0, $0.1) }
    }

    /// The signed-in user with the account.
    ///
    /// - Parameter context: of a request that changes something, for the client's address; `nil`: without an address.
    func owner(_ request: Request, _ context: WebContext?) async throws(StoreError) -> SignedInOwner? {
        try await services.signIn.owner(
            of: try await sessionCookie(request), from: context.flatMap { addresses.address(of: request, $0) }
        ).map { SignedInOwner($0) }
    }

    /// `nil`: the sign-in was too long ago, or the session did not use the second factor that there is. A session of the
    /// password alone is older than the factor, or of an app.
    func recent(_ owner: SignedInOwner) -> RecentlySignedInOwner? {
        owner.owner.isRecent(at: services.ambient.now()) && owner.owner.holdsEveryFactor
            ? RecentlySignedInOwner(owner.owner) : nil
    }

    /// Opens an app's session for pages of the settings, in exchange for its token.
    ///
    /// - Returns: the session and the cookie's field; `nil` if the token does not count.
    func openAppSession(_ token: Secret, from client: Client, _ request: Request, _ context: WebContext)
        async throws(StoreError) -> (SignedInPerson, cookie: String)?
    {
        let origin = SessionOrigin(request, addresses.address(of: request, context))
        guard let (session, user, cookie) = try await services.appSessionTokens.redeem(token, from: client, origin)
        else { return nil }
        return (SignedInPerson(session, user), cookies.setSession(cookie, of: session))
    }

    /// Tells the browser's session from those that later sign-ins of the same user make of it, whose identifier is the same:
    /// each has a cookie of its own.
    func sessionMark(_ request: Request) -> String? {
        cookies.session(request).map { Base64URL.encode(SecretDigest(of: $0).bytes) }
    }

    /// Opens a session that replaces the browser's current one.
    ///
    /// - Parameter origin: of the request.
    /// - Returns: the session and the new cookie's value; `nil` if the user was signed out everywhere since.
    func openSession(
        for user: User, _ facts: AuthenticationFacts, from origin: SessionOrigin, endsAt: UnixTime? = nil,
        _ request: Request
    )
        async throws(StoreError) -> (BrowserSession, cookie: Secret)?
    {
        try await services.signIn.openSession(
            for: user, facts, replacing: cookies.session(request), from: origin, endsAt: endsAt)
    }
}
