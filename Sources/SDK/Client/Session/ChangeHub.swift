/// Hands every change to every reader, in order, without a lock.
///
/// Subscriptions and changes travel through one queue, so a reader gets exactly what was published after it
/// subscribed, although subscribing does not wait.
final class ChangeHub: Sendable {
    private enum Message: Sendable {
        case subscribe(AsyncStream<SessionChange>.Continuation)
        case publish(SessionChange)
    }

    private let inbox: AsyncStream<Message>.Continuation
    private let logger: KeyturnLogger?

    init(_ logger: KeyturnLogger? = nil) {
        self.logger = logger
        let (messages, inbox) = AsyncStream.makeStream(of: Message.self)
        self.inbox = inbox
        // Unstructured on purpose: it lives as long as the hub, knows only the queue, and ends when that is closed.
        Task {
            var readers: [AsyncStream<SessionChange>.Continuation] = []
            for await message in messages {
                switch message {
                case .subscribe(let reader):
                    readers.append(reader)
                case .publish(let change):
                    readers.removeAll { reader in
                        if case .terminated = reader.yield(change) { true } else { false }
                    }
                }
            }
            for reader in readers { reader.finish() }
        }
    }

    deinit {
        inbox.finish()
    }

    func publish(_ change: SessionChange) {
        logger?.log(change)
        inbox.yield(.publish(change))
    }

    /// Tells the app's log what no change says.
    func note(_ level: KeyturnLogger.Level, _ text: String, _ error: AuthError) {
        logger?.log(level, "session: " + text + KeyturnLogger.text(error))
    }

    func subscribe() -> AsyncStream<SessionChange> {
        let (changes, reader) = AsyncStream.makeStream(
            of: SessionChange.self, bufferingPolicy: .bufferingNewest(Limits.changesBuffered))
        inbox.yield(.subscribe(reader))
        return changes
    }
}

extension KeyturnLogger {
    /// Tells a step of the session.
    fileprivate func log(_ change: SessionChange) {
        let failures: Set<SessionChange.Reason> = [
            .ended, .storeUnavailable, .refreshFailed, .interactionRequired, .notImported,
        ]
        log(
            failures.contains(change.reason) ? .error : .info,
            "session: " + change.reason.rawValue + Self.text(change.error))
    }
}
