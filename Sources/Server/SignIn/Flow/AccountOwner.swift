public import KeyturnBase
public import Model

/// Somebody who is signed in here and looks at their own account.
public struct AccountOwner: Sendable {
    /// As it was when the request came.
    public let account: Account
    /// In this browser.
    public let session: BrowserSession
    public let address: NetworkAddress?

    public init(account: Account, session: BrowserSession, address: NetworkAddress?) {
        self.account = account
        self.session = session
        self.address = address
    }

    public var userID: UserID { account.user.id }

    /// Where the owner is, for those who read notices.
    package var origin: SessionOrigin {
        SessionOrigin(address: address?.text ?? session.origin.address, device: session.origin.device)
    }

    /// Whether nobody signed in around the owner's authenticator: a session that is older than it did.
    public var holdsEveryFactor: Bool {
        !account.hasAuthenticator || session.authentication.methods.contains(AuthenticationMethod.severalFactors)
    }

    /// Whether the owner may add and remove factors: if there is one that neither a password nor a mailbox stands for, it
    /// must have been shown, or whoever has the password could put one of their own beside it or in its place.
    public var mayChangeFactors: Bool { !account.hasStrongFactor || holdsStrongFactor }

    /// Whether the session has shown such a factor.
    package var holdsStrongFactor: Bool {
        session.authentication.methods.contains(AuthenticationMethod.passkey.reference)
            || account.hasAuthenticator && holdsEveryFactor
    }

    /// What stands for a new password. The one before, if there is one, must be shown.
    package var passwordOrigin: PasswordChange.Origin {
        holdsStrongFactor ? .strong : account.passwordHash == nil ? .address : .formerPassword
    }

    /// Whether the sign-in is recent enough to change how one signs in: ``Limits/sensitiveSeconds``.
    public func isRecent(at now: UnixTime) -> Bool {
        now < session.authentication.time + Limits.sensitiveSeconds
    }
}
