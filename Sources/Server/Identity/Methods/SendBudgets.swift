internal import KeyturnBase
internal import KeyturnWire

/// How many messages may be asked for: messages cost money, and their readers patience.
struct SendBudgets: Sendable {
    let store: any BudgetStore

    /// Pays for one message.
    ///
    /// A network that signed in to the account before pays from a purse of its own: strangers can empty theirs, and the
    /// owner still gets codes.
    ///
    /// - Parameters:
    ///   - loginID: what was typed, whether there is such an account or not.
    ///   - phone: the number that a text message or call goes to; `nil` for mail.
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    func pay(for loginID: Identifier, phone: Identifier?, from address: NetworkAddress?, at now: UnixTime)
        async throws
    {
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        let window = Limits.sendWindowSeconds
        var charges = [
            BudgetCharge(
                "send:\(keys.accountAndNetwork)", max: Limits.sendsPerAccountAndNetworkMax, windowSeconds: window),
            BudgetCharge(
                "send:\(keys.account)", max: Limits.sendsPerAccountMax, windowSeconds: window,
                unlessKnown: keys.accountAndNetwork),
            BudgetCharge(
                "send:\(keys.network)", max: Limits.sendsPerNetworkMax, windowSeconds: window,
                unlessKnown: keys.accountAndNetwork),
        ]
        if let phone {
            charges.append(
                BudgetCharge(Self.country(phone), max: Limits.unansweredPerCountryMax, windowSeconds: window))
        }
        try await pay(charges, at: now)
    }

    /// Pays for a sign-up that sends nothing: it leaves a row.
    func payForSignUp(from address: NetworkAddress?, at now: UnixTime) async throws {
        let charge = BudgetCharge(
            "sign-up:\(address?.network ?? "unknown")", max: Limits.sendsPerNetworkMax,
            windowSeconds: Limits.sendWindowSeconds)
        try await pay([charge], at: now)
    }

    /// Pays from purses of one's own.
    func pay(_ charges: [BudgetCharge], at now: UnixTime) async throws {
        guard let refilledAt = try await store.spend(charges, at: now) else { return }
        throw MethodProblem.rateLimited(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
    }

    /// The message was answered with the right code or link: it was no toll fraud, and the person is there.
    func giveBack(_ loginID: Identifier, phone: Identifier?, from address: NetworkAddress?, at now: UnixTime)
        async throws(StoreError)
    {
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        try await store.refund(
            ["send:\(keys.accountAndNetwork)", "send:\(keys.account)", "send:\(keys.network)"]
                + (phone.map { [Self.country($0)] } ?? []), at: now)
    }

    private static func country(_ phone: Identifier) -> String {
        "calling-code:\(Destination.callingCode(of: phone.value))"
    }
}
