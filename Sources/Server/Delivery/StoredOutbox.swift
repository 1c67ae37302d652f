internal import KeyturnBase
public import Model

/// The outbox of a server under development: every message of the queue, in words, whether it was sent or not.
public struct StoredOutbox: Outbox {
    private let queue: MessageQueue
    private let renderer: MessageRenderer

    /// Reads `queue`, whose courier must keep what it sends.
    public init(queue: MessageQueue, renderer: MessageRenderer) {
        self.queue = queue
        self.renderer = renderer
    }

    public func messages() async throws(StoreError) -> [OutboxMessage] {
        try await queue.newest(limit: Limits.outboxMessagesMax).map { row, message in
            let words = renderer.render(message, id: row.id, createdAt: row.createdAt)
            return OutboxMessage(
                id: row.id, kind: row.kind, channel: row.channel, to: words.to, subject: words.subject,
                body: words.text,
                code: words.code, links: words.links, createdAt: row.createdAt)
        }
    }
}
