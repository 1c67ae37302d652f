public import Model

extension SignInProgress {
    /// What this user must still do in this transaction.
    public struct Demands: Hashable, Sendable {
        /// The second factor that the user has set up: none can be skipped. `nil`: there is none.
        public let secondFactor: AuthenticationMethod?
        /// The app wants two factors.
        public let needsSeveralFactors: Bool
        /// The user has a passkey, which is accepted as a second factor.
        public let hasPasskey: Bool
        /// A page of this server wants the account's strongest factor: a provider's word for two factors is not enough.
        public let needsOwnFactor: Bool
        /// An identity at a provider waits to be linked: as in the settings, by the account's strongest factor alone.
        public let linksIdentity: Bool
        /// The user has a role in the console.
        public let isOperator: Bool
        /// The journey of the transaction; `nil`: the built-in one.
        public let journey: JourneyDemand?

        public init(
            secondFactor: AuthenticationMethod?, needsSeveralFactors: Bool, hasPasskey: Bool = false,
            needsOwnFactor: Bool = false, linksIdentity: Bool = false, isOperator: Bool = false,
            journey: JourneyDemand? = nil
        ) {
            self.needsOwnFactor = needsOwnFactor
            self.linksIdentity = linksIdentity
            self.isOperator = isOperator
            self.secondFactor = secondFactor
            self.needsSeveralFactors = needsSeveralFactors
            self.hasPasskey = hasPasskey
            self.journey = journey
        }

        /// Whether two factors were used; for a page of this server, not by a provider's word.
        func areMet(by proven: SignInProgress.Proven) -> Bool {
            proven.hasSeveralFactors && !(needsOwnFactor && proven.facts.isOfProvider)
        }

        /// Whether the factor was used that is independent of password and mailbox, if the account has one.
        func isStrongEnough(_ proven: SignInProgress.Proven) -> Bool {
            let hasStrongFactor = hasPasskey || secondFactor?.factor.isStrong ?? false
            return !hasStrongFactor || proven.facts.holdsStrongFactor
        }
    }

    /// To the page of that factor.
    mutating func askForStrongFactor(_ demands: Demands) {
        step = demands.secondFactor.map(Step.secondFactor) ?? .ways
        needsPasskey = demands.secondFactor == nil ? true : nil
    }
}

extension SignInProgress.Step {
    /// The second factor of this step; `nil`: it is another step.
    public var secondFactor: AuthenticationMethod? {
        if case .secondFactor(let method) = self { method } else { nil }
    }
}
