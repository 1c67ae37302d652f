internal import Hummingbird
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

    /// The signed-in user; `nil`: none. One statement if there is a cookie.
    func person(_ request: Request) async throws(StoreError) -> SignedInPerson? {
        try await services.signIn.session(of: cookies.session(request)).map { SignedInPerson($0.0, $0.1) }
    }

    /// The signed-in user with the account.
    ///
    /// - Parameter context: of a request that changes something, for the client's address; `nil`: without an address.
    func owner(_ request: Request, _ context: WebContext?) async throws(StoreError) -> SignedInOwner? {
        try await services.signIn.owner(
            of: cookies.session(request), from: context.flatMap { addresses.address(of: request, $0) }
        ).map { SignedInOwner($0) }
    }

    /// `nil`: the sign-in was too long ago.
    func recent(_ owner: SignedInOwner) -> RecentlySignedInOwner? {
        owner.owner.isRecent(at: services.ambient.now()) ? RecentlySignedInOwner(owner.owner) : nil
    }

    /// Opens a session that replaces the browser's current one.
    ///
    /// - Returns: the session and the new cookie's value; `nil` if the user was signed out everywhere since.
    func openSession(
        for user: User, _ facts: AuthenticationFacts, endsAt: UnixTime? = nil, _ request: Request, _ context: WebContext
    )
        async throws(StoreError) -> (BrowserSession, cookie: Secret)?
    {
        try await services.signIn.openSession(
            for: user, facts, replacing: cookies.session(request),
            from: SessionOrigin(request, addresses.address(of: request, context)), endsAt: endsAt)
    }
}
