package import KeyturnBase
internal import KeyturnWire
package import Model

/// Rate limits for messages: messages cost money, and unwanted ones disturb their receivers.
package struct SendLimits: Sendable {
    let store: any RateLimitStore

    /// Charges the rate limits for one message.
    ///
    /// A network with an earlier sign-in to the account has a limit of its own: attackers can use up theirs, and the
    /// owner still gets codes. The network is charged first: what is refused to it costs the account nothing. If the client also names the address of the message, the limits of that address and of
    /// every network are charged as well.
    ///
    /// - Parameters:
    ///   - loginID: as entered, whether there is such an account or not.
    ///   - other: the address of the message, if it was entered as well.
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    package func pay(
        for loginID: Identifier, to other: Identifier? = nil, from address: NetworkAddress?, at now: UnixTime
    )
        async throws
    {
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        let other = other == loginID ? nil : other.map { GuessingRules.Keys(identifier: $0, address: address) }
        let window = Limits.sendWindowSeconds
        var charges = [
            RateLimitCharge(
                "send:\(keys.network)", max: Limits.sendsPerNetworkMax, windowSeconds: window,
                unlessKnown: other == nil ? keys.accountAndNetwork : nil),
            RateLimitCharge(
                "send:\(keys.accountAndNetwork)", max: Limits.sendsPerAccountAndNetworkMax, windowSeconds: window),
            RateLimitCharge(
                "send:\(keys.account)", max: Limits.sendsPerAccountMax, windowSeconds: window,
                unlessKnown: keys.accountAndNetwork),
        ]
        if let other {
            charges.append(
                RateLimitCharge(
                    "send:\(other.account)", max: Limits.sendsPerAccountMax, windowSeconds: window,
                    unlessKnown: other.accountAndNetwork))
        }
        try await pay(charges, at: now)
    }

    /// The result of an SMS charge.
    package enum SMSCharge: Hashable, Sendable {
        /// Refunded when the message is answered.
        case paid
        case free
        case refused(retryAfterSeconds: Int)
    }

    /// Charges for a text message or call. Each country has a limit of unanswered ones.
    ///
    /// - Parameters:
    ///   - phone: the number of the message; for a decoy, the entered one.
    ///   - isDecoy: nothing is sent, so nothing is charged; the limit is checked all the same.
    ///   - isOwn: the number is the account's own. A network with an earlier sign-in to it gets a message even if the
    ///     limit is used up.
    package func chargeSMS(
        to phone: Identifier, for loginID: Identifier, isDecoy: Bool, isOwn: Bool, from address: NetworkAddress?,
        at now: UnixTime
    ) async throws(StoreError) -> SMSCharge {
        let charge = RateLimitCharge(
            Self.country(phone), max: Limits.unansweredPerCountryMax, windowSeconds: Limits.sendWindowSeconds,
            cost: isDecoy ? 0 : 1)
        guard let refilledAt = try await store.spend([charge], at: now) else { return isDecoy ? .free : .paid }
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        // A limit of zero, which only known networks may exceed.
        let known = RateLimitCharge(
            "toll", max: 0, windowSeconds: Limits.sendWindowSeconds, unlessKnown: keys.accountAndNetwork, cost: 0)
        if try await store.spend([known], at: now) == nil, isOwn { return .free }
        return .refused(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
    }

    /// Charges for a sign-up that sends nothing, because it stores a row. A network that was told of too many names that
    /// they are taken signs none up for a while, free or not.
    func payForSignUp(from address: NetworkAddress?, at now: UnixTime) async throws {
        let charge = RateLimitCharge(
            Self.signUps(address), max: Limits.sendsPerNetworkMax, windowSeconds: Limits.sendWindowSeconds)
        try await pay([charge, Self.takenNames(address, cost: 0)], at: now)
    }

    /// The answer to a sign-up with a name that is taken, counted: it must give a session at once otherwise, and so it
    /// tells.
    func taken(from address: NetworkAddress?, at now: UnixTime) async throws(StoreError) -> MethodProblem {
        _ = try await store.spend([Self.takenNames(address, cost: 1)], at: now)
        return .userExists
    }

    private static func takenNames(_ address: NetworkAddress?, cost: Int64) -> RateLimitCharge {
        RateLimitCharge(
            "taken:\(address?.network ?? "unknown")", max: Limits.takenNamesToldMax,
            windowSeconds: Limits.sendWindowSeconds, cost: cost)
    }

    /// Refunds a sign-up: an existing user signed in.
    func giveBackSignUp(from address: NetworkAddress?, at now: UnixTime) async throws(StoreError) {
        try await store.refund([Self.signUps(address)], at: now)
    }

    private static func signUps(_ address: NetworkAddress?) -> String {
        "sign-up:\(address?.network ?? "unknown")"
    }

    /// Charges these rate limits.
    func pay(_ charges: [RateLimitCharge], at now: UnixTime) async throws {
        guard let refilledAt = try await store.spend(charges, at: now) else { return }
        throw MethodProblem.rateLimited(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
    }

    /// Refunds a message that was answered with the right code or link: it was no SMS fraud, and the user received it.
    ///
    /// - Parameter phone: the number whose country was charged.
    package func giveBack(_ loginID: Identifier, phone: Identifier?, from address: NetworkAddress?, at now: UnixTime)
        async throws(StoreError)
    {
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        try await store.refund(
            ["send:\(keys.accountAndNetwork)", "send:\(keys.account)", "send:\(keys.network)"]
                + (phone.map { [Self.country($0)] } ?? []), at: now)
    }

    private static func country(_ phone: Identifier) -> String {
        "calling-code:\(phone.kind == .phone ? Destination.callingCode(of: phone.value) : "none")"
    }
}
