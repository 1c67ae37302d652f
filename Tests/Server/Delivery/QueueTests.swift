import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import StoreSQL
import Testing

@testable import Delivery

@Suite("The queue of messages")
struct QueueTests {
    @Test func `of a hundred claims one gets the message, in one process and in two`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(Ambient.live.randomToken()).db")
            .path
        let first = try Post(path: path)
        let second = try Post(path: path)
        try await first.enqueue()
        let claims = try await withThrowingTaskGroup(of: [MessageClaim].self) { group in
            for number in 0..<100 {
                let store = number % 2 == 0 ? first.queue.store : second.queue.store
                group.addTask { try await store.claim(limit: 4, leaseSeconds: 60, at: first.clock.now) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claims.count == 1)
        first.database.close()
        second.database.close()
    }

    @Test func `the same key is one message, also after it was sent`() async throws {
        let post = try Post()
        for _ in 0..<3 { try await post.enqueue() }
        let transport = ScriptedTransport()
        #expect(await post.courier(transport).deliverDue() == 1)
        try await post.enqueue()
        #expect(await post.courier(transport).deliverDue() == 0)
        #expect(transport.messages.count == 1)
    }

    @Test func `a lease runs out at its second, and whoever had it has no say any more`() async throws {
        let post = try Post()
        try await post.enqueue()
        let store = post.queue.store
        let early = try #require(try await store.claim(limit: 1, leaseSeconds: 60, at: post.clock.now).first)
        post.clock.advance(59)
        #expect(try await store.hasDue(at: post.clock.now) == false)
        #expect(try await store.claim(limit: 1, leaseSeconds: 60, at: post.clock.now).isEmpty)
        post.clock.advance(1)
        let late = try #require(try await store.claim(limit: 1, leaseSeconds: 60, at: post.clock.now).first)
        #expect(late.attempt == 2)
        #expect(try await !store.finish(early, .dead(reason: "x"), keepsContent: false, at: post.clock.now))
        #expect(try await !store.postpone(early, until: post.clock.now, reason: "x"))
        #expect(try await store.finish(late, .sent, keepsContent: false, at: post.clock.now))
        #expect(try await !store.finish(late, .sent, keepsContent: false, at: post.clock.now))
        #expect(try await store.deadLetters(limit: 9).isEmpty)
    }

    @Test func `contents are sealed, and gone when the message was sent`() async throws {
        let post = try Post()
        try await post.enqueue()
        let row = try #require(try await post.queue.store.newest(limit: 1).first)
        let text = String(decoding: row.sealed, as: UTF8.self)
        #expect(!text.contains("482913") && !text.contains("andy@example.com"))
        #expect(
            post.queue.open(row)
                == {
                    var message = Post.message()
                    message.expiresAt = post.clock.now + Limits.messageSeconds
                    return message
                }())
        await post.courier(ScriptedTransport()).deliverDue()
        #expect(try await post.queue.store.newest(limit: 1).isEmpty)
    }

    @Test func `what was sealed for one message opens for no other`() async throws {
        let post = try Post()
        try await post.enqueue(Post.message("a"))
        let row = try #require(try await post.queue.store.newest(limit: 1).first)
        let swapped = WaitingMessage(
            id: MessageID(idempotencyKey: "b"), kind: row.kind, channel: row.channel, sealed: row.sealed,
            isDecoy: false, createdAt: row.createdAt, expiresAt: row.expiresAt)
        #expect(post.queue.open(swapped) == nil)
    }

    @Test func `79: a decoy is one INSERT like any other, and reaches nobody`() async throws {
        let post = try Post()
        let transport = ScriptedTransport()
        let courier = post.courier(transport, keepsContent: true)
        try await post.enqueue(Post.message("decoy", isDecoy: true))
        #expect(try await post.queue.newest(limit: 9).isEmpty)
        #expect(await courier.deliverDue() == 1)
        #expect(transport.messages.isEmpty)
        #expect(courier.counters.values.dropped == 1)
        #expect(try await post.queue.store.deadLetters(limit: 9).isEmpty)
    }

    @Test func `what is over is removed after two days, what waits is not`() async throws {
        let post = try Post()
        try await post.enqueue(Post.message("sent"))
        await post.courier(ScriptedTransport()).deliverDue()
        try await post.enqueue(Post.message("waits", expiresAt: post.clock.now + 10 * 86_400))
        let maintenance = post.database.stores().maintenance
        #expect(try await maintenance.removeExpired(limit: 9, at: post.clock.now + Limits.messageKeptSeconds - 1) == 0)
        #expect(try await maintenance.removeExpired(limit: 9, at: post.clock.now + Limits.messageKeptSeconds) == 1)
        #expect(try await post.queue.newest(limit: 9).map(\.message.idempotencyKey) == ["waits"])
    }

    @Test func `a message beyond all measure is refused`() async throws {
        let post = try Post()
        var message = Post.message()
        message.links = [String(repeating: "x", count: Limits.messageBytesMax)]
        await #expect { try await post.enqueue(message) } throws: { ($0 as? StoreError)?.code == .unavailable }
    }
}
