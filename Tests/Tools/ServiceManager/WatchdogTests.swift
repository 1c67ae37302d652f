import Foundation
import KeyturnBase
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import keyturn

@Suite("The watchdog: who must answer before the service manager is told", .serialized)
struct WatchdogTests {
    /// What happened, counted.
    private final class Record: Sendable {
        private let told = Mutex(0)
        private let lines = Mutex<[String]>([])

        func tell() { told.withLock { $0 += 1 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var count: Int { told.withLock { $0 } }
        var log: [String] { lines.withLock { $0 } }

        func wait(_ condition: (Record) -> Bool) async throws {
            for _ in 0..<1_000 where !condition(self) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(condition(self), "told \(count) times; log: \(log)")
        }
    }

    /// Keeps the parts that it names.
    private struct Handler: LogHandler {
        let record: Record
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.note("\(event.message) \(event.metadata?["parts"]?.description ?? "")")
        }
    }

    private func group(_ timeout: Duration, _ parts: [Watchdog.Part], _ record: Record) -> ServiceGroup {
        let logger = Logger(label: "test") { _ in Handler(record: record) }
        let watchdog = Watchdog(timeout: timeout, parts: parts, logger: logger) { record.tell() }
        return ServiceGroup(
            configuration: .init(
                services: [.init(service: watchdog)], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test func `it is told twice in the time, as long as every part answers`() async throws {
        let record = Record()
        let group = group(.seconds(2), [.init(name: "queue") {}, .init(name: "database") {}], record)
        let begun = ContinuousClock.now
        async let run: Void = group.run()
        try await record.wait { $0.count >= 4 }
        #expect(ContinuousClock.now - begun >= .seconds(3))
        await group.triggerGracefulShutdown()
        try await run
        #expect(record.log == [])
    }

    @Test func `a part that does not answer keeps the message back, and the log names it`() async throws {
        let record = Record()
        let (answers, gate) = AsyncStream.makeStream(of: Void.self)
        let hung = Watchdog.Part(name: "database") { for await _ in answers { return } }
        let group = group(.milliseconds(200), [hung, .init(name: "queue") {}], record)
        async let run: Void = group.run()
        try await record.wait { !$0.log.isEmpty }
        try await Task.sleep(for: .milliseconds(300))
        #expect(record.count == 0)
        #expect(record.log.count == 1 && record.log[0].hasSuffix("started anew database"), "\(record.log)")
        // It answers at last, in time or not: that is for the service manager to judge.
        gate.finish()
        try await record.wait { $0.count > 0 }
        await group.triggerGracefulShutdown()
        try await run
    }

    @Test func `one event loop that is blocked is enough`() async throws {
        let answered = Record()
        let block = DispatchSemaphore(value: 0)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        loop.execute { block.wait() }
        async let answer: Void = {
            await Watchdog.Part.eventLoops.answer()
            answered.tell()
        }()
        try await Task.sleep(for: .milliseconds(200))
        #expect(answered.count == 0)
        block.signal()
        await answer
        #expect(answered.count == 1)
    }
}

@Suite("The service manager's variables")
struct ServiceManagerTests {
    private func watchdog(_ environment: [String: String]) throws -> Duration? {
        try ServiceManager(
            ["NOTIFY_SOCKET": "/run/notify"].merging(environment) { _, given in given }, processID: 4_711
        ).watchdog
    }

    @Test func `nothing is handed over without them`() throws {
        let manager = try ServiceManager([:], processID: 4_711)
        #expect(manager.socket == nil && manager.sockets == [] && manager.watchdog == nil && manager.address == nil)
    }

    @Test func `the time of the watchdog is in microseconds, and for one process`() throws {
        #expect(try watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(try watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "4711"]) == .seconds(30))
        #expect(try watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
        #expect(try watchdog(["WATCHDOG_USEC": "30000000", "NOTIFY_SOCKET": ""]) == nil)
        #expect(try watchdog([:]) == nil)
    }

    @Test(arguments: [("WATCHDOG_USEC", "0"), ("WATCHDOG_USEC", "-5"), ("WATCHDOG_USEC", "30s"), ("WATCHDOG_PID", "x")])
    func `a time or a process that makes no sense is refused`(name: String, value: String) {
        #expect {
            try watchdog(["WATCHDOG_USEC": "30000000"].merging([name: value]) { _, given in given })
        } throws: {
            let failure = $0 as? CommandFailure
            return failure?.code == 2 && failure?.sentence.hasPrefix(name) == true
        }
    }
}
