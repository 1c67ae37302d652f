internal import KeyturnBase
internal import KeyturnWire
public import Model
internal import OAuth

/// The operator's settings for codes, links and passwords.
public struct MethodSettings: Hashable, Sendable {
    /// Where links may lead, beside pages of the operator's clients and this server: host names (a leading dot admits
    /// every host below), and schemes of apps with a trailing colon (`app:`). Pages of a host are opened by https.
    ///
    /// A link signs a user in, and any client may request one: it must not lead to a foreign site.
    public var approvedDomains: Set<String>
    /// The default target of links; `nil`: a page of this server.
    public var defaultRedirect: String?
    public var passwords: PasswordSettings
    /// How users remove a second factor that they lost; `nil`: they ask the operator.
    public var recovery: RecoverySettings?
    /// Whether users may choose user names to sign in with. Each try tells them whether a name is taken.
    public var offersUsernames: Bool
    /// Sign-ins that users approve on another device; `nil`: not offered.
    public var approval: ApprovalSettings?

    public init(
        approvedDomains: Set<String> = [], defaultRedirect: String? = nil,
        passwords: PasswordSettings = PasswordSettings(), recovery: RecoverySettings? = RecoverySettings(),
        offersUsernames: Bool = false, approval: ApprovalSettings? = nil
    ) {
        self.approvedDomains = approvedDomains
        self.defaultRedirect = defaultRedirect
        self.passwords = passwords
        self.recovery = recovery
        self.offersUsernames = offersUsernames
        self.approval = approval
    }
}

/// The operator's settings for passwords, beside the rules for a new one.
public struct PasswordSettings: Hashable, Sendable {
    /// A password must be replaced after this number of weeks; `nil`: never. Forced changes make passwords weaker
    /// (NIST SP 800-63B), so this is for operators who are obliged to.
    public var expirationWeeks: Int64?
    /// Earlier passwords that may not be chosen again; at most ``Limits/passwordHistoryMax``.
    public var reuseMax: Int
    /// The number of wrong passwords from one network after which it waits for ``lockSeconds``; `nil`: only delays. A
    /// network with an earlier sign-in is counted separately, so that strangers cannot lock the user out.
    public var lockAttempts: Int64?
    /// The length of the lock, in seconds.
    public var lockSeconds: Int64

    public init(
        expirationWeeks: Int64? = nil, reuseMax: Int = 0, lockAttempts: Int64? = nil, lockSeconds: Int64 = 900
    ) {
        precondition((0...Limits.passwordHistoryMax).contains(reuseMax), "a few earlier passwords")
        self.expirationWeeks = expirationWeeks
        self.reuseMax = reuseMax
        self.lockAttempts = lockAttempts
        self.lockSeconds = lockSeconds
    }
}

extension PasswordSettings {
    /// The rate limits for wrong passwords if the operator wants locks: unknown networks share one, each network with
    /// an earlier sign-in has its own.
    func locks(_ keys: GuessingRules.Keys) -> [RateLimitCharge] {
        guard let max = lockAttempts else { return [] }
        return [
            RateLimitCharge("lock:\(keys.accountAndNetwork)", max: max, windowSeconds: lockSeconds),
            RateLimitCharge(
                "lock:\(keys.account)", max: max, windowSeconds: lockSeconds, unlessKnown: keys.accountAndNetwork),
        ]
    }

    /// The same for all login IDs of an account together.
    func locks(_ keys: GuessingRules.OwnerKeys) -> [RateLimitCharge] {
        guard let max = lockAttempts else { return [] }
        return [
            RateLimitCharge("lock:\(keys.accountAndNetwork)", max: max, windowSeconds: lockSeconds),
            RateLimitCharge(
                "lock:\(keys.account)", max: max, windowSeconds: lockSeconds, unlessKnown: keys.accountAndNetwork),
        ]
    }

    /// Whether the right password permits only its own replacement.
    func isOver(_ state: PasswordState, of user: User, at now: UnixTime) -> Bool {
        if state.mustReplace { return true }
        guard let weeks = expirationWeeks else { return false }
        return now >= (state.setAt ?? user.createdAt) + weeks * 7 * 86_400
    }
}

/// Decides which addresses a link may lead to.
struct LinkTargets: Sendable {
    let issuer: String
    let settings: MethodSettings
    let clients: ClientDirectory

    /// The target address of a link.
    ///
    /// - Parameter isTrusted: a management key asked. It may name any page.
    /// - Throws: ``MethodProblem/invalidArguments`` for an address that is not approved.
    func target(_ asked: String?, isTrusted: Bool = false) throws(MethodProblem) -> String {
        guard let asked = asked ?? settings.defaultRedirect else { return issuer + "/link" }
        guard asked.utf8.count <= Limits.redirectBytesMax, RedirectURI.flaw(in: asked) == nil else {
            throw .invalidArguments.saying("The redirect address is not a well-formed absolute URI")
        }
        guard isTrusted || isApproved(asked) else {
            throw .invalidArguments.saying("The redirect address is not on an approved domain")
        }
        return asked
    }

    /// `address` with the token in its query.
    static func link(_ address: String, token: String) -> String {
        let separator = address.contains("?") ? (address.hasSuffix("?") || address.hasSuffix("&") ? "" : "&") : "?"
        return "\(address)\(separator)t=\(token)"
    }

    private func isApproved(_ address: String) -> Bool {
        if address == settings.defaultRedirect { return true }
        guard let parts = URIParts(address) else { return false }
        guard parts.isWeb else { return settings.approvedDomains.contains(parts.scheme + ":") }
        guard let origin = parts.origin, let host = parts.host else { return false }
        if origin == URIParts.origin(of: issuer) || clients.isOwnOrigin(origin) { return true }
        if host.isLoopback { return URIParts(issuer)?.isLoopback ?? false }
        guard parts.scheme == "https" else { return false }
        return settings.approvedDomains.contains { domain in
            domain.hasPrefix(".") ? host.text.hasSuffix(domain) : host.text == domain
        }
    }
}
