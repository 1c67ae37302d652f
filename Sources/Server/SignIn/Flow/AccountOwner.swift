package import Authority
public import KeyturnBase
public import Model

/// A signed-in user who manages their own account.
public struct AccountOwner: Sendable {
    /// The account at the time of the request.
    public let account: Account
    /// The session of this browser.
    public let session: BrowserSession
    public let address: NetworkAddress?

    fileprivate init(account: Account, session: BrowserSession, address: NetworkAddress?) {
        self.account = account
        self.session = session
        self.address = address
    }

    public var userID: UserID { account.user.id }

    /// The owner's network address and device, for the text of notices.
    package var origin: SessionOrigin {
        SessionOrigin(address: address?.text ?? session.origin.address, device: session.origin.device)
    }

    /// Whether the session used the owner's authenticator, if there is one. `false`: the session is older than it.
    public var holdsEveryFactor: Bool {
        !account.hasAuthenticator || session.authentication.methods.contains(AuthenticationMethod.severalFactors)
    }

    /// Whether the owner may add and remove factors. If the account has a factor that is independent of password and
    /// mailbox, the session must have used it: otherwise an attacker with the password could add or replace factors.
    public var mayChangeFactors: Bool { !account.hasStrongFactor || holdsStrongFactor }

    /// Whether the session used a factor that is independent of password and mailbox.
    package var holdsStrongFactor: Bool { session.authentication.holdsStrongFactor }

    /// What authorizes a new password. The old password, if there is one, must be entered.
    package var passwordOrigin: PasswordChange.Origin {
        holdsStrongFactor ? .strong : account.passwordHash == nil ? .address : .formerPassword
    }

    /// What the session is worth to the rulebook.
    package func standing(at now: UnixTime) -> SessionStanding {
        session.authentication.standing(
            session.openedBy == nil ? .page : .app, at: now)
    }

    /// Whether the sign-in is recent enough to change sign-in methods: ``AuthenticationFacts/mayChangeSignIn(at:)``.
    public func isRecent(at now: UnixTime) -> Bool {
        session.authentication.mayChangeSignIn(at: now)
    }
}

extension AccountOwner {
    /// The owner whose browser sent this cookie; `nil`: the cookie belongs to no live session.
    ///
    /// - Parameter address: the client's, of a request that changes something.
    static func find(
        cookie: Secret?, from address: NetworkAddress?, in stores: Stores, at now: UnixTime
    ) async throws(StoreError) -> AccountOwner? {
        guard let (session, user) = try await stores.sessions.session(ofCookie: cookie, at: now),
            let account = try await stores.users.account(user.id)
        else { return nil }
        return AccountOwner(account: account, session: session, address: address)
    }
}

extension SessionStore {
    /// The live session of a cookie, and its user.
    func session(ofCookie cookie: Secret?, at now: UnixTime) async throws(StoreError) -> (BrowserSession, User)? {
        guard let cookie, (1...256).contains(cookie.exposed().utf8.count) else { return nil }
        return try await session(SecretDigest(of: cookie), at: now)
    }
}
