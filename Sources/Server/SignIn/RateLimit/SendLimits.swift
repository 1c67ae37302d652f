package import KeyturnBase
internal import KeyturnWire
package import Model

/// How many messages may be asked for: messages cost money, and their readers patience.
package struct SendLimits: Sendable {
    let store: any RateLimitStore

    /// Pays for one message.
    ///
    /// A network that signed in to the account before pays from a purse of its own: strangers can empty theirs, and the
    /// owner still gets codes. Not so where whoever asks also says where the message goes: then its reader's purse pays as
    /// well, and every network.
    ///
    /// - Parameters:
    ///   - loginID: what was typed, whether there is such an account or not.
    ///   - other: where the message goes, if that was typed as well.
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
                "send:\(keys.accountAndNetwork)", max: Limits.sendsPerAccountAndNetworkMax, windowSeconds: window),
            RateLimitCharge(
                "send:\(keys.account)", max: Limits.sendsPerAccountMax, windowSeconds: window,
                unlessKnown: keys.accountAndNetwork),
            RateLimitCharge(
                "send:\(keys.network)", max: Limits.sendsPerNetworkMax, windowSeconds: window,
                unlessKnown: other == nil ? keys.accountAndNetwork : nil),
        ]
        if let other {
            charges.append(
                RateLimitCharge(
                    "send:\(other.account)", max: Limits.sendsPerAccountMax, windowSeconds: window,
                    unlessKnown: other.accountAndNetwork))
        }
        try await pay(charges, at: now)
    }

    /// What became of the wish for a text message or call.
    package enum SMSCharge: Hashable, Sendable {
        /// To be given back when it is answered.
        case paid
        case free
        case refused(retryAfterSeconds: Int)
    }

    /// Pays for a text message or call, of which each country has so many that nobody answered.
    ///
    /// - Parameters:
    ///   - phone: where it goes; what was typed, if it reaches nobody.
    ///   - isDecoy: nothing is sent, so nothing is paid; whether something is left is looked at all the same.
    ///   - isOwn: the number is the account's own. Whoever signed in to it before from the same network gets a message even
    ///     if strangers have emptied the purse.
    package func chargeSMS(
        to phone: Identifier, for loginID: Identifier, isDecoy: Bool, isOwn: Bool, from address: NetworkAddress?,
        at now: UnixTime
    ) async throws(StoreError) -> SMSCharge {
        let charge = RateLimitCharge(
            Self.country(phone), max: Limits.unansweredPerCountryMax, windowSeconds: Limits.sendWindowSeconds,
            cost: isDecoy ? 0 : 1)
        guard let refilledAt = try await store.spend([charge], at: now) else { return isDecoy ? .free : .paid }
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        // A purse with nothing in it, open to known networks alone.
        let known = RateLimitCharge(
            "toll", max: 0, windowSeconds: Limits.sendWindowSeconds, unlessKnown: keys.accountAndNetwork, cost: 0)
        if try await store.spend([known], at: now) == nil, isOwn { return .free }
        return .refused(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
    }

    /// Pays for a sign-up that sends nothing: it leaves a row.
    func payForSignUp(from address: NetworkAddress?, at now: UnixTime) async throws {
        let charge = RateLimitCharge(
            Self.signUps(address), max: Limits.sendsPerNetworkMax, windowSeconds: Limits.sendWindowSeconds)
        try await pay([charge], at: now)
    }

    /// It was no sign-up: somebody who is here already signed in.
    func giveBackSignUp(from address: NetworkAddress?, at now: UnixTime) async throws(StoreError) {
        try await store.refund([Self.signUps(address)], at: now)
    }

    private static func signUps(_ address: NetworkAddress?) -> String {
        "sign-up:\(address?.network ?? "unknown")"
    }

    /// Pays from purses of one's own.
    func pay(_ charges: [RateLimitCharge], at now: UnixTime) async throws {
        guard let refilledAt = try await store.spend(charges, at: now) else { return }
        throw MethodProblem.rateLimited(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
    }

    /// The message was answered with the right code or link: it was no toll fraud, and the person is there.
    ///
    /// - Parameter phone: the number whose country paid.
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
