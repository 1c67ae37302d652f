public import Authority
package import KeyturnBase
internal import KeyturnWire
public import Model

/// The queue of messages, as an operator sees it: who gets a message and what it says is sealed, and stays so.
public struct ManagedMessages: Sendable {
    let queue: MessageQueue
    let rateLimits: any RateLimitStore
    let rulebook: Rulebook
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        queue: MessageQueue, rateLimits: any RateLimitStore, rulebook: Rulebook, audit: any AuditLog, ambient: Ambient
    ) {
        self.queue = queue
        self.rateLimits = rateLimits
        self.rulebook = rulebook
        self.audit = audit
        self.ambient = ambient
    }

    /// The newest messages that wait, the newest first.
    public func waiting(limit: Int = Limits.messagesOfPageMax) async throws(StoreError) -> [QueuedMessage] {
        try await queue.store.waiting(limit: limit)
    }

    /// The newest messages that were given up, the newest first. What they said is gone.
    public func deadLetters(limit: Int = Limits.messagesOfPageMax) async throws(StoreError) -> [DeadLetter] {
        try await queue.store.deadLetters(limit: limit)
    }

    /// Queues a message with an invented code, to see whether messages arrive.
    ///
    /// - Throws: the rulebook's `Denial`; ``MethodProblem`` for an address that the channel does not reach, and for more
    ///   than ``Limits/testMessagesMax`` of one operator within an hour;
    ///   ``StoreError``.
    public func sendTest(
        to address: String, by channel: String, in locale: String?, by actor: Actor
    ) async throws -> MessageID {
        try rulebook.require(.handleMessages, to: actor.caller, on: .project(tenant: nil))
        guard let channel = DeliveryMethod.allCases.first(where: { $0.rawValue == channel }) else {
            let names = DeliveryMethod.allCases.map(\.rawValue).joined(separator: ", ")
            throw MethodProblem.invalidArguments.saying("The channel is one of \(names)")
        }
        guard let target = Identifier(loginID: address), target.kind == (channel.isPhone ? .phone : .email) else {
            throw MethodProblem.invalidArguments.saying(
                channel.isPhone
                    ? "The address is a telephone number with + and country code" : "The address is an email address")
        }
        let now = ambient.now()
        let charge = RateLimitCharge(
            "message-test:\(actor.name)", max: Limits.testMessagesMax, windowSeconds: 3_600)
        if let until = try await rateLimits.spend([charge], at: now) {
            throw MethodProblem.rateLimited(retryAfterSeconds: Int(until.seconds(since: now)))
        }
        let message = OutgoingMessage.test(to: target.value, by: channel, in: locale, ambient: ambient)
        try await queue.enqueue(message, at: now)
        let id = MessageID(idempotencyKey: message.idempotencyKey)
        audit.record(
            AuditEvent(.messageTested, at: now, reason: channel.rawValue, actor: actor.name, target: id.text))
        return id
    }

    /// Tries a message again at once that failed and waits.
    ///
    /// - Returns: `false` if it was sent or given up meanwhile, or is being sent now.
    public func retry(_ id: String, by actor: Actor) async throws -> Bool {
        try rulebook.require(.handleMessages, to: actor.caller, on: .project(tenant: nil))
        let now = ambient.now()
        guard let bytes = Base16.decode(id), let message = MessageID(bytes: bytes),
            try await queue.store.retry(message, at: now)
        else { return false }
        queue.wake()
        audit.record(AuditEvent(.messageRetried, at: now, actor: actor.name, target: id))
        return true
    }
}
