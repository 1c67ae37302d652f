internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
public import Model
internal import OAuth

/// What an operator decides about codes, links and passwords.
public struct MethodSettings: Hashable, Sendable {
    /// Where links may lead, beside pages of the operator's own clients and of this server: host names, with a leading dot
    /// for every host below, and schemes of apps with a trailing colon (`app:`). Pages of a host are opened by https.
    ///
    /// A link holds what signs a person in, and anybody may ask for one to be sent: it must not lead to a stranger.
    public var approvedDomains: Set<String>
    /// Where links lead if nobody says; `nil`: a page of this server.
    public var defaultRedirect: String?
    public var passwords: PasswordSettings
    /// How people remove a second factor that they lost; `nil`: they ask the operator.
    public var recovery: RecoverySettings?

    public init(
        approvedDomains: Set<String> = [], defaultRedirect: String? = nil,
        passwords: PasswordSettings = PasswordSettings(), recovery: RecoverySettings? = RecoverySettings()
    ) {
        self.approvedDomains = approvedDomains
        self.defaultRedirect = defaultRedirect
        self.passwords = passwords
        self.recovery = recovery
    }
}

/// What an operator decides about passwords, beside what a new one must be made of.
public struct PasswordSettings: Hashable, Sendable {
    /// After so many weeks a password must be replaced; `nil`: never. Changing them for no reason makes them worse
    /// (NIST SP 800-63B), so this is for those who must.
    public var expirationWeeks: Int64?
    /// Earlier passwords that may not be chosen again; at most ``Limits/passwordHistoryMax``.
    public var reuseMax: Int
    /// Wrong passwords from one network after which it must wait for ``lockSeconds``; `nil`: answers only get slower. A
    /// network that signed in before is counted alone, so that strangers cannot lock anybody out.
    public var lockAttempts: Int64?
    /// How long such a network waits, in seconds.
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
    /// What a wrong password costs where the operator wants them to lock: strangers share a purse, a network that signed
    /// in before has its own.
    func locks(_ keys: GuessingRules.Keys) -> [RateLimitCharge] {
        guard let max = lockAttempts else { return [] }
        return [
            RateLimitCharge("lock:\(keys.accountAndNetwork)", max: max, windowSeconds: lockSeconds),
            RateLimitCharge(
                "lock:\(keys.account)", max: max, windowSeconds: lockSeconds, unlessKnown: keys.accountAndNetwork),
        ]
    }

    /// Whether a right password opens nothing but its own replacement.
    func isOver(_ state: PasswordState, of user: User, at now: UnixTime) -> Bool {
        if state.mustReplace { return true }
        guard let weeks = expirationWeeks else { return false }
        return now >= (state.setAt ?? user.createdAt) + weeks * 7 * 86_400
    }
}

/// Decides where a link may lead.
struct LinkTargets: Sendable {
    let issuer: String
    let settings: MethodSettings
    let clients: ClientDirectory

    /// The address that a link is made from.
    ///
    /// - Parameter isTrusted: a management key asked, which may name any page.
    /// - Throws: ``MethodProblem/invalidArguments`` for one where this project's links do not lead.
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
        guard let scheme = address.split(separator: ":", maxSplits: 1).first?.lowercased() else { return false }
        guard scheme == "https" || scheme == "http" else { return settings.approvedDomains.contains(scheme + ":") }
        guard let origin = RedirectURI.webOrigin(address), let host = Self.host(origin) else { return false }
        if origin == RedirectURI.webOrigin(issuer) || clients.isOwnOrigin(origin) { return true }
        if Self.loopback.contains(host), let own = RedirectURI.webOrigin(issuer).flatMap(Self.host) {
            return Self.loopback.contains(own)
        }
        guard scheme == "https" else { return false }
        return settings.approvedDomains.contains { domain in
            domain.hasPrefix(".") ? host.hasSuffix(domain) : host == domain
        }
    }

    private static let loopback: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    private static func host(_ origin: String) -> String? {
        guard let start = origin.range(of: "://") else { return nil }
        let authority = origin[start.upperBound...]
        guard authority.hasPrefix("[") else { return authority.split(separator: ":").first.map(String.init) }
        return authority.firstIndex(of: "]").map { String(authority[...$0]) }
    }
}
