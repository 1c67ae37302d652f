import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import StoreSQL
import Synchronization

@testable import Delivery

/// A queue on a database in memory, with a clock that the test holds.
struct Post {
    let clock = VirtualClock(UnixTime(rawValue: 1_800_000_000))
    let database: SQLiteDatabase
    let queue: MessageQueue
    let renderer: MessageRenderer

    init(path: String? = nil) throws {
        database = try SQLiteDatabase(path: path)
        guard let secrets = ServerSecrets([[UInt8](repeating: 7, count: 32)]) else {
            preconditionFailure("one secret is fine")
        }
        queue = MessageQueue(store: database.stores().messages, secrets: secrets, ambient: clock.ambient)
        renderer = try Self.builtIn.get()
    }

    /// Made once: it compiles the templates of every language.
    private static let builtIn = Result {
        try MessageRenderer(projectName: "Example", issuer: "https://id.example.com")
    }

    static func message(_ key: String = "one", isDecoy: Bool = false, expiresAt: UnixTime? = nil) -> OutgoingMessage {
        OutgoingMessage(
            kind: .code, channel: .email, to: "andy@example.com", values: [MessageValue.minutes: "10"], code: "482913",
            idempotencyKey: key, isDecoy: isDecoy, expiresAt: expiresAt)
    }

    static func rendered(_ message: OutgoingMessage = message()) throws -> RenderedMessage {
        try builtIn.get().render(
            message, id: MessageID(idempotencyKey: message.idempotencyKey), createdAt: UnixTime(rawValue: 1_800_000_000)
        )
    }

    func courier(_ transport: any MessageTransport, keepsContent: Bool = false) -> QueuedMessageSender {
        QueuedMessageSender(
            queue: queue, renderer: renderer, transports: [.email: transport], keepsContent: keepsContent,
            ambient: clock.ambient
        ) { _ in }
    }

    func enqueue(_ message: OutgoingMessage = message()) async throws {
        try await queue.enqueue(message, at: clock.now)
    }
}

/// A transport that says what a test wants, the last word again and again.
final class ScriptedTransport: MessageTransport {
    private let outcomes: Mutex<[DeliveryOutcome]>
    private let taken = Mutex<[RenderedMessage]>([])

    var messages: [RenderedMessage] { taken.withLock { $0 } }

    init(_ outcomes: [DeliveryOutcome] = [.sent]) {
        self.outcomes = Mutex(outcomes)
    }

    func send(_ message: RenderedMessage) async -> DeliveryOutcome {
        taken.withLock { $0.append(message) }
        return outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}
