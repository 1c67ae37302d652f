public import KeyturnBase
internal import KeyturnWire
internal import Model
internal import Synchronization

/// Every message of a ``TestServer`` to its users: mails and text messages, as they would have been read.
///
/// ``code(to:within:)`` and ``link(to:within:)`` take each message once, so that a test never gets yesterday's code.
public final class Mailbox: Sendable {
    /// A message, as its recipient sees it.
    public struct Message: Hashable, Sendable {
        /// The email address or phone number.
        public let to: String
        /// `email`, `sms`, `whatsapp` or `voice`.
        public let channel: String
        /// Empty for a text message.
        public let subject: String
        /// The text, without markup.
        public let body: String
        /// The one-time code in it; `nil`: there is none.
        public let code: String?
        /// The addresses to follow, in order.
        public let links: [String]
        /// When it was written, by the server's clock.
        public let createdAt: UnixTime
        let id: MessageID
    }

    private let outbox: any Outbox
    private let taken = Mutex<Set<MessageID>>([])
    private static let pauseMilliseconds: Int64 = 20

    init(outbox: any Outbox) {
        self.outbox = outbox
    }

    /// The messages to an address that can still be read, the newest last, taken or not.
    ///
    /// - Throws: An error of the server's store.
    public func messages(to address: String) async throws -> [Message] {
        try await all().filter { $0.to == address }
    }

    /// Waits for a message with a code, and takes the newest: neither this message nor an older one is given again.
    ///
    /// - Parameters:
    ///   - address: the email address or phone number.
    ///   - deadline: how long to wait, in the machine's time.
    /// - Throws: ``TestProblem`` after the deadline, with what there was instead.
    public func code(to address: String, within deadline: Duration = .seconds(5)) async throws -> String {
        try await take("code", to: address, within: deadline, \.code)
    }

    /// Waits for a message with a link, and takes the newest, as ``code(to:within:)`` does.
    ///
    /// - Parameters:
    ///   - address: the email address or phone number.
    ///   - deadline: how long to wait, in the machine's time.
    /// - Returns: The first address in it.
    /// - Throws: ``TestProblem`` after the deadline, with what there was instead.
    public func link(to address: String, within deadline: Duration = .seconds(5)) async throws -> String {
        try await take("link", to: address, within: deadline, \.links.first)
    }

    private func take(
        _ part: String, to address: String, within deadline: Duration, _ read: (Message) -> String?
    ) async throws -> String {
        let end = ContinuousClock.now + deadline
        while true {
            let messages = try await all()
            let own = messages.filter { $0.to == address }
            let found = taken.withLock { taken -> String? in
                guard let last = own.last(where: { !taken.contains($0.id) && read($0) != nil }) else { return nil }
                for message in own {
                    taken.insert(message.id)
                    if message.id == last.id { break }
                }
                return read(last)
            }
            if let found { return found }
            guard ContinuousClock.now < end else { throw missing(part, address, deadline, messages) }
            try await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
    }

    private func missing(
        _ part: String, _ address: String, _ deadline: Duration, _ messages: [Message]
    ) -> TestProblem {
        let known = taken.withLock { $0 }
        let list = messages.map { message in
            let holds = [message.code.map { _ in "a code" }, message.links.first.map { _ in "a link" }]
                .compactMap(\.self).joined(separator: " and ")
            let subject = message.subject.isEmpty ? message.channel : "\"\(message.subject)\""
            return "\(subject) to \(message.to), with \(holds.isEmpty ? "neither code nor link" : holds)"
                + (known.contains(message.id) ? ", taken before" : "")
        }
        let there = list.isEmpty ? "there are no messages at all" : "there are: " + list.joined(separator: "; ")
        return TestProblem("no new message with a \(part) came to \(address) within \(deadline); \(there)")
    }

    private func all() async throws -> [Message] {
        try await outbox.messages().map {
            Message(
                to: $0.to, channel: $0.channel.rawValue, subject: $0.subject, body: $0.body, code: $0.code,
                links: $0.links, createdAt: $0.createdAt, id: $0.id)
        }
    }
}
