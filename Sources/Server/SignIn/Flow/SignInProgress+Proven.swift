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
        /// The reference of the request that another device approved: the sign-in lasts as long as the session there.
        /// `nil`: none did, or an earlier release did not keep it.
        package private(set) var approval: String?

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
            (addresses, approval) = (earlier?.addresses, earlier?.approval)
            if let address { note(address) }
        }

        /// The facts that ``SecondFactor`` combines.
        public var facts: AuthenticationFacts {
            AuthenticationFacts(time: at, methods: methods, contextClass: contextClass, tenantID: tenantID)
        }

        public var hasSeveralFactors: Bool { methods.contains(AuthenticationMethod.severalFactors) }

        /// The method of the last verification; `nil`: it is not known.
        var newest: AuthenticationMethod? {
            methods.last { $0 != AuthenticationMethod.severalFactors }.flatMap(AuthenticationMethod.init(word:))
        }

        /// Whether an account with an authenticator is content: a password and a mailbox do not stand for it.
        var standsForAuthenticator: Bool { hasSeveralFactors && (facts.holdsStrongFactor || facts.isOfProvider) }

        /// An address that a code or a link has proved.
        mutating func note(_ address: String) {
            guard addresses?.contains(address) != true else { return }
            addresses = (addresses ?? []) + [address]
        }

        /// The request that another device approved.
        mutating func note(approval reference: String?) { approval = reference }
    }

    /// Whether the sign-in waits for the first factor in a message: a link that is opened beside a later step is no
    /// factor of it.
    public var awaitsMessage: Bool { proven == nil && (step == .code || step == .link) }

    /// Notes that the link was opened in the browser that waits for it: its reader is who asked.
    ///
    /// - Parameter reference: the one of the link; of another sign-in's nothing is noted.
    package mutating func noteOpenedHere(_ reference: SecretDigest) {
        guard let own = sent?.reference, SecretDigest(of: Secret(own)) == reference else { return }
        sent?.isOpenedHere = true
    }

    /// Whether a further factor is of the same user, and one that the page of the step checks. Nothing else counts
    /// there, such as a link that was opened beside it.
    func takes(_ new: Proven) -> Bool {
        guard let proven, new.userID == proven.userID, let method = new.newest else { return false }
        // A passkey needs no page of its own.
        return switch step {
        case .secondFactor(let factor): method == factor || method == .passkey
        case .ways: method == .passkey
        case .enrolment: method == .totp
        case .lostRemoval: method.word == lossProof
        default: false
        }
    }
}
