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
        /// The journey of the transaction; `nil`: the built-in one.
        public let journey: JourneyDemand?

        public init(
            secondFactor: AuthenticationMethod?, needsSeveralFactors: Bool, hasPasskey: Bool = false,
            journey: JourneyDemand? = nil
        ) {
            self.secondFactor = secondFactor
            self.needsSeveralFactors = needsSeveralFactors
            self.hasPasskey = hasPasskey
            self.journey = journey
        }
    }
}

extension SignInProgress.Step {
    /// The second factor of this step; `nil`: it is another step.
    public var secondFactor: AuthenticationMethod? {
        if case .secondFactor(let method) = self { method } else { nil }
    }
}
