public import KeyturnBase
public import KeyturnWire
public import Model

/// Three links by mail or text message, of which one is right. The device that asked shows the number of the right one,
/// and gets the session when that link is opened, on whichever device.
///
/// Opening a wrong link cancels all three: the user who opens it did not see the number, so another person asked for
/// the links.
public struct EnchantedLinks: Sendable {
    let core: VerificationCore

    /// Sends three links; for an unknown user, does the same work without sending.
    ///
    /// - Throws: ``MethodProblem`` for faults of the request itself.
    public func send(_ ask: VerificationRequest) async throws -> EnchantedLinkAnswer {
        let target = try core.targets.target(ask.redirectURL)
        return try await send(core.planner.plan(ask), target: target)
    }

    /// Sends three links to another address of a signed-in user.
    public func send(_ update: AddressUpdate) async throws -> EnchantedLinkAnswer {
        let target = try core.targets.target(update.redirectURL)
        return try await send(core.planner.plan(update), target: target)
    }

    /// Redeems a link. The waiting client gets the session.
    ///
    /// - Returns: the digest of the reference of that client.
    /// - Throws: ``MethodProblem/linkExpired``; ``MethodProblem/linkUnknown``, also for the wrong link of three.
    @discardableResult
    public func verify(_ token: Secret, from address: NetworkAddress?) async throws -> SecretDigest {
        guard MagicLinks.isPlausible(token) else { throw MethodProblem.linkUnknown }
        let digest = SecretDigest(of: token)
        let now = core.ambient.now()
        let seen = try await core.stores.links.describe(digest, at: now)
        // A magic link signs in the browser that opens it, so it is not redeemed here, where it would open no session.
        guard seen?.isEnchanted != false else { throw MethodProblem.linkUnknown }
        switch try await core.stores.links.redeem(digest, at: now) {
        case .right(let facts, let reference?):
            guard
                let proof = try await core.completion.complete(
                    facts, .init(reference: reference, isByLink: true, address: address)),
                try await core.stores.links.approve(
                    reference, user: proof.identity.account.user.id, isFirst: proof.identity.isFirst, at: now)
            else { throw MethodProblem.linkUnknown }
            try await core.linkFollowed(facts, from: address)
            return reference
        case .expired:
            throw MethodProblem.linkExpired
        case .cancelled:
            core.audit.record(AuditEvent(.enchantedLinkCancelled, at: now, address: address?.text))
            throw MethodProblem.linkUnknown
        case .right, .unknown:
            throw MethodProblem.linkUnknown
        }
    }

    /// The verification for the waiting client, once.
    ///
    /// - Throws: ``MethodProblem/linkPending`` until the right link was followed; ``MethodProblem/linkExpired``;
    ///   ``MethodProblem/linkUnknown`` after a wrong link was followed, or the session was handed out.
    public func collect(_ reference: Secret) async throws -> CompletedVerification {
        guard MagicLinks.isPlausible(reference) else { throw MethodProblem.linkUnknown }
        let verdict = try await core.stores.links.collect(SecretDigest(of: reference), at: core.ambient.now())
        switch verdict {
        case .waiting: throw MethodProblem.linkPending
        case .expired: throw MethodProblem.linkExpired
        case .unknown: throw MethodProblem.linkUnknown
        case .approved(let facts, let id, let isFirst):
            guard let proof = try await core.completion.resume(facts, user: id, isFirst: isFirst) else {
                throw MethodProblem.linkUnknown
            }
            return proof
        }
    }

    private func send(_ plan: VerificationPlan, target: String) async throws -> EnchantedLinkAnswer {
        let links = try await make(plan, target: target)
        try await core.messages.send(links: links.all, plan)
        return EnchantedLinkAnswer(linkID: links.right, pendingRef: links.reference, masked: plan.masked)
    }

    /// Three links that were stored.
    struct Triple: Sendable {
        /// The number of the right link.
        let right: String
        let reference: Secret
        /// In the order in which they are shown.
        let all: [(number: String, link: String)]

        var rightLink: String { all.first { $0.number == right }?.link ?? "" }
    }

    func make(_ plan: VerificationPlan, target: String) async throws(StoreError) -> Triple {
        let numbers = makeNumbers()
        let tokens = numbers.map { _ in core.digests.makeToken() }
        let right = Int(core.ambient.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 3)
        let reference = core.digests.makeToken()
        let now = core.ambient.now()
        let pending = tokens.enumerated().map { index, token in
            PendingLink(
                digest: plan.isDecoy ? core.digests.decoy() : SecretDigest(of: token), facts: plan.facts,
                isRight: index == right)
        }
        try await core.stores.links.add(
            pending, reference: SecretDigest(of: reference), expiresAt: now + Limits.proofSeconds, at: now)
        return Triple(
            right: numbers[right], reference: reference,
            all: zip(numbers, tokens).map { ($0, LinkTargets.link(target, token: $1.exposed())) })
    }

    /// Three different numbers of two digits.
    private func makeNumbers() -> [String] {
        var numbers = Array(10...99)
        return (0..<3).map { _ in
            let random = core.ambient.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return String(numbers.remove(at: Int(random % UInt64(numbers.count))))
        }
    }
}

extension EnchantedLinks: SignInMethod {
    public static let name = "enchanted_link"
    public static let proves: Set<AuthenticationMethod> = [.email, .sms]
    public static let places: Set<SignInPlace> = [.first, .second]
}
