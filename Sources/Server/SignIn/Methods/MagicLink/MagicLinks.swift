public import KeyturnBase
public import KeyturnWire
public import Model

/// Links by mail or text message that sign in the user who opens and confirms them.
///
/// A link holds 256 random bits, is good once and for ten minutes. Opening it does not redeem it, so that a mail
/// scanner cannot use it up; call ``verify(_:in:from:)`` when the user confirms.
public struct MagicLinks: Sendable {
    let core: VerificationCore

    /// Sends a link; for an unknown user, does the same work without sending.
    ///
    /// - Throws: ``MethodProblem`` for faults of the request itself.
    public func send(_ ask: VerificationRequest) async throws -> MaskedAnswer {
        let target = try core.targets.target(ask.redirectURL)
        let plan = try await core.planner.plan(ask)
        try await core.messages.send(link: make(plan, target: target), plan)
        return plan.masked
    }

    /// Sends a link to another address of a signed-in user.
    public func send(_ update: AddressUpdate) async throws -> MaskedAnswer {
        let target = try core.targets.target(update.redirectURL)
        let plan = try await core.planner.plan(update)
        try await core.messages.send(link: make(plan, target: target), plan)
        return plan.masked
    }

    /// What a link of any kind is for, without redeeming it: the page shows it before the user confirms.
    ///
    /// - Returns: `nil` for a link that is unknown, used or expired.
    public func describe(_ token: Secret) async throws(StoreError) -> LinkDescription? {
        guard Self.isPlausible(token) else { return nil }
        return try await core.stores.links.describe(SecretDigest(of: token), at: core.ambient.now())
    }

    /// Why a link that was good is not any more. Does not redeem it.
    ///
    /// - Returns: `nil` for one that is good, was never made, or was forgotten.
    public func end(of token: Secret) async throws(StoreError) -> LinkEnd? {
        guard Self.isPlausible(token) else { return nil }
        return try await core.stores.links.end(of: SecretDigest(of: token), at: core.ambient.now())
    }

    /// Redeems a link.
    ///
    /// - Parameter session: the session that was presented with it, if any.
    /// - Throws: ``MethodProblem/linkExpired``, ``MethodProblem/linkUnknown``.
    public func verify(_ token: Secret, in session: PresentedRefresh? = nil, from address: NetworkAddress?) async throws
        -> CompletedVerification
    {
        guard Self.isPlausible(token) else { throw MethodProblem.linkUnknown }
        let digest = SecretDigest(of: token)
        let seen = try await core.stores.links.describe(digest, at: core.ambient.now())
        // An enchanted link signs in the waiting client, never the browser that opens it.
        guard seen?.isEnchanted != true else { throw MethodProblem.linkUnknown }
        switch try await core.stores.links.redeem(digest, at: core.ambient.now()) {
        case .right(let facts, reference: nil):
            guard
                let proof = try await core.completion.complete(
                    facts, .init(isByLink: true, session: session?.grant.id, address: address))
            else {
                throw MethodProblem.linkUnknown
            }
            try await core.linkFollowed(facts, from: address)
            return proof
        case .expired:
            throw MethodProblem.linkExpired
        case .right, .cancelled, .unknown:
            throw MethodProblem.linkUnknown
        }
    }

    /// Stores a link and returns it.
    func make(_ plan: VerificationPlan, target: String) async throws(StoreError) -> String {
        let token = core.digests.makeToken()
        let now = core.ambient.now()
        try await core.stores.links.add(
            [
                PendingLink(
                    digest: plan.isDecoy ? core.digests.decoy() : SecretDigest(of: token), facts: plan.facts)
            ], reference: nil, expiresAt: now + Limits.proofSeconds, at: now)
        return LinkTargets.link(target, token: token.exposed())
    }

    /// Whether the length is right: a token of any other length needs no query.
    static func isPlausible(_ token: Secret) -> Bool {
        token.exposed().utf8.count == 43
    }
}

extension VerificationCore {
    /// Records that a link was opened from this network.
    func linkFollowed(_ facts: VerificationFacts, from address: NetworkAddress?) async throws(StoreError) {
        let keys = GuessingRules.Keys(identifier: facts.loginID, address: address)
        try await guessing.succeeded(VerificationAttempts.Attempt(keys: keys, isKnown: true, failures: 0))
        if facts.purpose != .embedded { try await answered(facts, from: address) }
    }
}

extension MagicLinks: SignInMethod {
    public static let name = "magic_link"
    public static let proves: Set<AuthenticationMethod> = [.email, .sms, .whatsapp, .voice]
    public static let places: Set<SignInPlace> = [.first, .second]
}
