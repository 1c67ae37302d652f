public import KeyturnBase
public import Model

extension SignInProgress {
    /// The verified user.
    public struct Proven: Codable, Hashable, Sendable {
        public let userID: String
        /// The time of the last verification.
        public let at: UnixTime
        /// Words of ``AuthenticationMethod``, with ``AuthenticationMethod/severalFactors`` if that is so.
        public let methods: [String]
        public let contextClass: String
        /// The user's ``User/epoch`` at that time. If it has changed since, the verification is void.
        public var epoch: Int64
        /// The tenant whose connection vouched for the user.
        public let tenantID: String?
        /// The addresses that codes and links have proved in this sign-in, which lasts as long as the account has them;
        /// `nil`: none, or an earlier release did not keep them.
        package private(set) var addresses: [String]?

        public init(_ user: User, _ facts: AuthenticationFacts) {
            userID = user.id.rawValue
            epoch = user.epoch
            at = facts.time
            methods = facts.methods
            contextClass = facts.contextClass
            tenantID = facts.tenantID
        }

        /// One more factor of the same sign-in.
        ///
        /// - Parameters:
        ///   - earlier: the factors before it; `nil`: none.
        ///   - address: that it proved, and the account has; `nil`: none.
        package init(_ user: User, _ facts: AuthenticationFacts, after earlier: Proven?, proving address: String?) {
            self.init(user, facts)
            addresses = earlier?.addresses
            if let address { note(address) }
        }

        /// The facts that ``SecondFactor`` combines.
        public var facts: AuthenticationFacts {
            AuthenticationFacts(time: at, methods: methods, contextClass: contextClass, tenantID: tenantID)
        }

        public var hasSeveralFactors: Bool { methods.contains(AuthenticationMethod.severalFactors) }

        /// Whether an account with an authenticator is content: a password and a mailbox do not stand for it.
        var standsForAuthenticator: Bool { hasSeveralFactors && (facts.holdsStrongFactor || facts.isOfProvider) }

        /// An address that a code or a link has proved.
        mutating func note(_ address: String) {
            guard addresses?.contains(address) != true else { return }
            addresses = (addresses ?? []) + [address]
        }
    }
}
