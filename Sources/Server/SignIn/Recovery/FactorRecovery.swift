public import KeyturnBase
internal import KeyturnWire
public import Model

/// Removes the second factors of a user who lost them, without an operator.
///
/// The user uses two other factors of different kinds, waits for the operator's delay, and uses both again. Every
/// verified address gets a message, with a link that cancels the recovery. The only state is the row of
/// ``RecoveryStore``.
public struct FactorRecovery: Sendable {
    let core: VerificationCore
    let settings: RecoverySettings?
    let messages: MessageQueue

    package init(
        core: VerificationCore, settings: RecoverySettings?, messages: MessageQueue
    ) {
        self.core = core
        self.settings = settings
        self.messages = messages
    }

    /// Whether users may remove a lost second factor by themselves.
    public var isOffered: Bool { settings != nil }

    /// The delay of a recovery from its beginning, in seconds.
    public var delaySeconds: Int64 { settings?.delaySeconds ?? 0 }

    /// The factor that is required beside the first one.
    public enum Way: Hashable, Sendable {
        /// A code that is sent to one of these, the best first; never empty.
        case code([Identifier])
        case password
    }

    /// The result of checking a code.
    public enum CodeOutcome: Hashable, Sendable {
        case right(AuthenticationMethod)
        case wrong, expired
        case exhausted(retryAfterSeconds: Int)
    }

    /// The factor that a user needs beside the first one; `nil`: there is none of another kind that is accepted.
    ///
    /// After a password it is a code to an address; after a code or link it is the password. An address that was added
    /// a short while ago is not accepted, nor is a password that was reset by a message alone: a thief with one of the
    /// two could have made the other.
    ///
    /// - Parameter canReach: whether messages can be sent there.
    public func way(
        for account: Account, after proven: SignInProgress.Proven, canReach: (Identifier) -> Bool
    ) async throws(StoreError) -> Way? {
        guard isOffered, account.hasStrongFactor, account.passwordHash != nil, !account.provedAddresses.isEmpty else {
            return nil
        }
        let oldEnough = core.ambient.now() - Limits.recoveryProofAgeSeconds
        let password = try await core.stores.passwords.state(of: account.user.id)
        guard !password.mustReplace, password.resetAt.map({ $0 <= oldEnough }) ?? true else { return nil }
        let new = try await core.stores.recoveries.addresses(of: account.user.id, provedAfter: oldEnough)
            .intersection(account.provedAddresses)
        var factors = Set(proven.methods.compactMap { AuthenticationMethod(word: $0)?.factor })
        // A link that was opened on another device shows no mailbox of this one.
        if proven.methods.contains(AuthenticationMethod.approval.word) { factors.subtract([.mailbox, .telephone]) }
        if factors.contains(.knowledge) {
            let known = account.provedAddresses.subtracting(new).filter(canReach)
            let sorted = known.sorted { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) }
            return sorted.isEmpty ? nil : .code(Array(sorted.prefix(Limits.recoveryAddressesMax)))
        }
        // The session does not always know which address the first code or link was sent to.
        guard !factors.isDisjoint(with: [.mailbox, .telephone]), new.isEmpty else { return nil }
        return .password
    }

    /// The masked address.
    public static func masked(_ address: Identifier) -> String { Destination.mask(address.value) }

    /// Sends a code to an address of ``Way/code(_:)``.
    ///
    /// - Parameter locale: BCP 47.
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    public func sendCode(
        to address: Identifier, of account: Account, locale: String?, from network: NetworkAddress?
    ) async throws {
        let now = core.ambient.now()
        let isPhone = address.kind == .phone
        let isTest = account.user.isTest
        let name = account.countedName
        var facts = VerificationFacts(
            .recovery, userID: account.user.id, loginID: name, address: address, method: Self.method(of: address),
            epoch: account.user.epoch)
        if !isTest {
            try await core.sendLimits.pay(for: name, from: network, at: now)
            if isPhone {
                let smsCharge = try await core.sendLimits.chargeSMS(
                    to: address, for: name, isDecoy: false, isOwn: true, from: network, at: now)
                if case .refused(let seconds) = smsCharge {
                    throw MethodProblem.rateLimited(retryAfterSeconds: seconds)
                }
                facts.isSMSCharged = smsCharge == .paid
            }
        }
        let plan = VerificationPlan(
            facts: facts, method: isPhone ? .sms : .email, to: address.value, isDecoy: false, isSilent: isTest,
            isRegistered: false, options: LoginOptions(locale: locale),
            masked: MaskedAnswer(Self.masked(address), via: isPhone ? .sms : .email))
        let code = core.digests.makeCode()
        let slot = Self.slot(address, of: account)
        try await core.stores.codes.add(
            PendingCode(
                slot: slot, digest: core.digests.digest(of: code, slot: slot), facts: facts,
                expiresAt: now + Limits.proofSeconds),
            liveMax: Limits.codesLiveMax, at: now)
        try await core.messages.send(code, plan)
    }

    /// Checks a code that was sent to an address. A right code is used up.
    public func check(_ code: Secret, sentTo address: Identifier, of account: Account, from network: NetworkAddress?)
        async throws(StoreError) -> CodeOutcome
    {
        let now = core.ambient.now()
        let slot = Self.slot(address, of: account)
        let verdict = try await core.stores.codes.redeem(
            CodeTry(
                slot: slot, digests: core.digests.candidates(code, slot: slot),
                // The first factor was verified before, so all networks share the tries.
                counts: [TryCount(slot: slot, party: "recovery", max: Limits.codeTriesMax)]),
            windowSeconds: Limits.proofSeconds, at: now)
        switch verdict {
        case .right(let facts)
        where facts.userID == account.user.id && facts.address == address && facts.epoch == account.user.epoch:
            try await core.answered(facts, from: network)
            return .right(facts.method)
        case .expired: return .expired
        case .exhausted(let retryAt): return .exhausted(retryAfterSeconds: Int(retryAt.seconds(since: now)))
        case .wrong, .right:
            core.failed(account, Self.method(of: address), from: network)
            return .wrong
        }
    }

    private static func method(of address: Identifier) -> AuthenticationMethod {
        address.kind == .phone ? .sms : .email
    }

    /// Codes of recoveries have separate slots: they are accepted only here, and no other code is accepted here.
    private static func slot(_ address: Identifier, of account: Account) -> String {
        "recovery:\(account.user.id.rawValue)/\(address.kind.rawValue):\(address.value)"
    }
}
