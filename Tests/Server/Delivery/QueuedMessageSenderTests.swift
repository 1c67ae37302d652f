import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Delivery

@Suite("The courier")
struct QueuedMessageSenderTests {
    @Test func `a message is tried again when its time has come, and then sent once`() async throws {
        let post = try Post()
        let transport = ScriptedTransport([.temporary(reason: "later"), .unreachable(reason: "away"), .sent])
        let courier = post.courier(transport)
        try await post.enqueue()
        #expect(await courier.deliverDue() == 1)
        post.clock.advance(14)
        #expect(await courier.deliverDue() == 0)
        post.clock.advance(16)
        #expect(await courier.deliverDue() == 1)
        post.clock.advance(10)
        #expect(await courier.deliverDue() == 1)
        post.clock.advance(86_400)
        #expect(await courier.deliverDue() == 0)
        #expect(transport.messages.count == 3)
        #expect(
            courier.counters.values
                == {
                    var values = DeliveryCounters.Values(); values.sent = 1; values.postponed = 2; return values
                }())
    }

    @Test func `what is refused for good is a dead letter with its reason and without its contents`() async throws {
        let post = try Post()
        try await post.enqueue()
        await post.courier(ScriptedTransport([.permanent(reason: "smtp 550 after RCPT TO")])).deliverDue()
        let letter = try #require(try await post.queue.store.deadLetters(limit: 9).first)
        #expect(letter.reason == "smtp 550 after RCPT TO")
        #expect(letter.attempts == 1)
        #expect(try await post.queue.newest(limit: 9).isEmpty)
    }

    @Test func `an expired message is not sent, at its second`() async throws {
        let post = try Post()
        let transport = ScriptedTransport()
        try await post.enqueue(Post.message("late", expiresAt: post.clock.now + 600))
        try await post.enqueue(Post.message("later", expiresAt: post.clock.now + 601))
        post.clock.advance(600)
        await post.courier(transport).deliverDue()
        #expect(transport.messages.map(\.id) == [MessageID(idempotencyKey: "later")])
        #expect(try await post.queue.store.deadLetters(limit: 9).map(\.reason) == ["expired"])
    }

    @Test func `a message that ends every process that sends it is given up`() async throws {
        let post = try Post()
        try await post.enqueue(Post.message(expiresAt: post.clock.now + 1_000_000))
        for _ in 0..<Limits.messageAttemptsMax {
            #expect(try await post.queue.store.claim(limit: 1, leaseSeconds: 60, at: post.clock.now).count == 1)
            post.clock.advance(60)
        }
        let transport = ScriptedTransport()
        await post.courier(transport).deliverDue()
        #expect(transport.messages.isEmpty)
        #expect(try await post.queue.store.deadLetters(limit: 9).map(\.reason) == ["interrupted too often"])
    }

    @Test func `without a transport the outbox counts as delivery; without an outbox the message is given up`()
        async throws
    {
        for keeps in [true, false] {
            let post = try Post()
            var message = Post.message()
            message.channel = .sms
            try await post.enqueue(message)
            let courier = post.courier(ScriptedTransport(), keepsContent: keeps)
            await courier.deliverDue()
            #expect(courier.counters.values.sent == (keeps ? 1 : 0))
            #expect(courier.counters.values.dead == (keeps ? 0 : 1))
            let outbox = try await StoredOutbox(queue: post.queue, renderer: post.renderer).messages()
            #expect(outbox.map(\.code) == (keeps ? ["482913"] : []))
        }
    }

    @Test func `many couriers send each of many messages once`() async throws {
        let post = try Post()
        let transport = ScriptedTransport()
        for number in 0..<60 { try await post.enqueue(Post.message("\(number)")) }
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 { group.addTask { await post.courier(transport).deliverDue() } }
        }
        #expect(transport.messages.count == 60)
        #expect(Set(transport.messages.map(\.id)).count == 60)
    }

    @Test(.timeLimit(.minutes(5)))
    func `it is woken by what arrives, and stopping finishes what is on its way`() async throws {
        let post = try Post()
        let transport = SlowTransport()
        let courier = post.courier(transport)
        let running = Task { await courier.run() }
        try await post.enqueue()
        for await _ in transport.begun { break }
        courier.stop()
        try await post.enqueue(Post.message("two"))
        transport.release()
        await running.value
        #expect(courier.counters.values.sent == 1)
        #expect(try await post.queue.newest(limit: 9).map(\.message.idempotencyKey) == ["two"])
    }
}

/// Takes as long as the test wants.
private final class SlowTransport: MessageTransport {
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private let gate: AsyncStream<Void>
    private let open: AsyncStream<Void>.Continuation

    init() {
        (begun, begin) = AsyncStream.makeStream()
        (gate, open) = AsyncStream.makeStream()
    }

    func release() { open.finish() }

    func send(_ message: RenderedMessage) async -> DeliveryOutcome {
        begin.yield()
        for await _ in gate {}
        return .sent
    }
}
