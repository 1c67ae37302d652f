#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Dispatch
import KeyturnBase
import Model
import SignIn
import Synchronization
import Testing

@testable import LDAP

@Suite("LDAP: directories that do not answer")
struct SilentDirectoryTests {
    /// Takes connections, and says nothing.
    private final class Listener: Sendable {
        let descriptor: Int32
        let port: UInt16

        init() throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            self.descriptor = descriptor
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    let bound = unsafe bind(descriptor, generic, size)
                    let listening = listen(descriptor, 16)
                    return unsafe bound + listening + getsockname(descriptor, generic, &size)
                }
            }
            try #require(status == 0)
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(descriptor) }

        /// Whether a client has connected.
        var wasReached: Bool {
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&poller, 1, 0) == 1
        }

        /// Takes every connection that waits, and closes it.
        func drain() {
            while wasReached {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                close(connection)
            }
        }
    }

    private static func connection(_ url: String, authorities: String? = nil) -> Connection {
        Connection(
            id: "d", name: "Directory",
            settings: .ldap(
                LDAPConnectionSettings(
                    url: url, bindDN: "cn=service", bindPassword: "secret", baseDN: "dc=acme",
                    certificateAuthorities: authorities)),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
    }

    private static let ambient = Ambient(
        clock: { UnixTime(rawValue: 1_000_000) }, entropy: { [UInt8](repeating: 7, count: $0) })

    @Test(arguments: ["ldap", "ldaps"])
    func `L-6: a half-open server is given up, and then not asked for a while`(_ scheme: String) async throws {
        let listener = try Listener()
        let directory = LDAPDirectory(ambient: Self.ambient)
        let connection = Self.connection("\(scheme)://127.0.0.1:\(listener.port)")
        #expect(Limits.directoryMilliseconds <= 3_000)
        // At the same time, as users come.
        await withTaskGroup { group in
            for _ in 0..<Limits.directoryFailuresMax {
                group.addTask {
                    await #expect(throws: ConnectionProblem.self) { try await directory.find("jane", at: connection) }
                }
            }
        }
        #expect(listener.wasReached)
        listener.drain()
        let problem = await #expect(throws: ConnectionProblem.self) {
            try await directory.find("jane", at: connection)
        }
        #expect(problem == ConnectionProblem(.unavailable, code: "ldap_paused"))
        #expect(!listener.wasReached, "no packet is sent while it rests")
    }

    @Test func `L-6: nobody listens`() async throws {
        let port = try { try Listener().port }()
        let directory = LDAPDirectory(ambient: Self.ambient)
        let problem = await #expect(throws: ConnectionProblem.self) {
            try await directory.check(Secret("password"), of: nil, at: Self.connection("ldap://127.0.0.1:\(port)"))
        }
        #expect(problem?.kind == .unavailable)
    }

    @Test(
        arguments: ["", "\u{0}", "\u{0}\u{0}\u{0}", "pass\u{0}word"])
    func `L-1: an empty password, or one with a NUL, reaches no directory`(_ password: String) async throws {
        let listener = try Listener()
        let directory = LDAPDirectory(ambient: Self.ambient)
        let entry = DirectoryEntry(
            name: "uid=jane,dc=acme", isDisabled: false, profile: FederatedProfile(issuer: "ldap", subject: "u"))
        for entry in [entry, nil] {
            let verdict = try await directory.check(
                Secret(password), of: entry, at: Self.connection("ldap://127.0.0.1:\(listener.port)"))
            #expect(verdict == .wrong(reason: "wrong"))
        }
        #expect(!listener.wasReached)
    }

    @Test func `a breaker lets one caller try again after a pause`() {
        let breaker = CircuitBreaker()
        let start = UnixTime(rawValue: 1_000)
        for _ in 0..<Limits.directoryFailuresMax {
            #expect(breaker.admits("d", at: start))
            breaker.failed("d", at: start)
        }
        #expect(!breaker.admits("d", at: start + Limits.directoryPauseSeconds - 1))
        #expect(breaker.admits("other", at: start))
        #expect(breaker.admits("d", at: start + Limits.directoryPauseSeconds))
        #expect(!breaker.admits("d", at: start + Limits.directoryPauseSeconds), "one is enough")
        breaker.answered("d")
        #expect(breaker.admits("d", at: start + Limits.directoryPauseSeconds))
    }

    @Test func `threads are few, and what waits too long is not begun`() async throws {
        let threads = DirectoryThreads(threadsMax: 1, backlogMax: 1)
        let ran = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        async let slow = threads.run(patience: .milliseconds(100)) {
            gate.wait()
            return 1
        }
        while threads.running == 0 { await Task.yield() }
        async let waiting = threads.run(patience: .milliseconds(500)) { ran.withLock { $0 += 1 } }
        while threads.backlog == 0 { await Task.yield() }
        #expect(await threads.run(patience: .seconds(5)) { ran.withLock { $0 += 1 } } == nil, "the queue is full")
        #expect(await slow == nil)
        #expect(await waiting == nil)
        gate.signal()
        while threads.running > 0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(ran.withLock { $0 } == 0)
        #expect(await threads.run(patience: .seconds(5)) { 2 } == 2)
    }
}
