import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingMessageStore: MessageStore {
    var base: any MessageStore { get }
}

extension ForwardingMessageStore {
    func enqueue(_ messages: [WaitingMessage]) async throws(StoreError) {
        try await base.enqueue(messages)
    }

    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.hasDue(at: now)
    }

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [MessageClaim] {
        try await base.claim(limit: limit, leaseSeconds: leaseSeconds, at: now)
    }

    func finish(_ claim: MessageClaim, _ end: MessageEnd, keepsContent: Bool, at now: UnixTime) async throws(StoreError)
        -> Bool
    {
        try await base.finish(claim, end, keepsContent: keepsContent, at: now)
    }

    func postpone(_ claim: MessageClaim, until due: UnixTime, reason: String) async throws(StoreError) -> Bool {
        try await base.postpone(claim, until: due, reason: reason)
    }

    func newest(limit: Int) async throws(StoreError) -> [WaitingMessage] {
        try await base.newest(limit: limit)
    }

    func waiting(limit: Int) async throws(StoreError) -> [QueuedMessage] {
        try await base.waiting(limit: limit)
    }

    func retry(_ id: MessageID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.retry(id, at: now)
    }

    func deadLetters(limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await base.deadLetters(limit: limit)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingLinkStore: LinkStore {
    var base: any LinkStore { get }
}

extension ForwardingLinkStore {
    func add(_ links: [PendingLink], reference: SecretDigest?, expiresAt: UnixTime, at now: UnixTime)
        async throws(StoreError)
    {
        try await base.add(links, reference: reference, expiresAt: expiresAt, at: now)
    }

    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkDescription? {
        try await base.describe(digest, at: now)
    }

    func end(of digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkEnd? {
        try await base.end(of: digest, at: now)
    }

    func redeem(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkVerdict {
        try await base.redeem(digest, at: now)
    }

    func approve(_ reference: SecretDigest, user: UserID, isFirst: Bool, at now: UnixTime) async throws(StoreError)
        -> Bool
    {
        try await base.approve(reference, user: user, isFirst: isFirst, at: now)
    }

    func collect(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> PendingVerdict {
        try await base.collect(reference, at: now)
    }

    func isWaiting(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.isWaiting(reference, at: now)
    }

    func removeAll(of user: UserID) async throws(StoreError) {
        try await base.removeAll(of: user)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingOneTimeCodeStore: OneTimeCodeStore {
    var base: any OneTimeCodeStore { get }
}

extension ForwardingOneTimeCodeStore {
    func add(_ code: PendingCode, liveMax: Int, at now: UnixTime) async throws(StoreError) {
        try await base.add(code, liveMax: liveMax, at: now)
    }

    func redeem(_ attempt: CodeTry, windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> CodeVerdict {
        try await base.redeem(attempt, windowSeconds: windowSeconds, at: now)
    }

    func exhausted(_ counts: [TryCount], at now: UnixTime) async throws(StoreError) -> UnixTime? {
        try await base.exhausted(counts, at: now)
    }

    func removeAll(of user: UserID) async throws(StoreError) {
        try await base.removeAll(of: user)
    }
}
