import Foundation
import Testing

@testable import keyturn

@Suite("Socket activation: which sockets are taken", .serialized)
struct PassedSocketTests {
    /// The last descriptors that the process may have: nothing else in it has those.
    private static let first = Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 1 << 20)) - 8
    private static let process: Int32 = 4_711

    private func sockets(_ environment: [String: String]) throws -> [PassedSocket] {
        let own = ["LISTEN_PID": "\(Self.process)"].merging(environment) { _, given in given }
        return try PassedSocket.all(own, processID: Self.process, first: Self.first)
    }

    private func refusal(_ environment: [String: String]) -> String {
        do {
            return "accepted: \(try sockets(environment))"
        } catch {
            return (error as? CommandFailure).map { "\($0.code): \($0.sentence)" } ?? "\(error)"
        }
    }

    @Test func `sockets of both address families are taken, with their addresses, and not inherited`() throws {
        let passed = try Descriptors([.listening(AF_INET), .listening(AF_INET6)], from: Self.first)
        let taken = try sockets(["LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:http"])
        #expect(taken.map(\.descriptor) == [Self.first, Self.first + 1])
        #expect(taken.map(\.address.host) == ["127.0.0.1", "::1"])
        #expect(taken.allSatisfy { $0.address.port > 0 })
        for socket in taken { #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0) }
        passed.close()
    }

    @Test func `without the variables, or for another process, there are none`() throws {
        #expect(try PassedSocket.all([:], processID: Self.process, first: Self.first) == [])
        #expect(try PassedSocket.all(["LISTEN_FDS": "1"], processID: Self.process, first: Self.first) == [])
        #expect(try sockets(["LISTEN_PID": "1", "LISTEN_FDS": "1"]) == [])
        #expect(try sockets([:]) == [])
    }

    @Test(arguments: ["0", "-1", "many", "33", ""])
    func `a count that makes no sense is refused`(count: String) {
        #expect(
            refusal(["LISTEN_FDS": count]) == "2: LISTEN_FDS must say how many sockets are passed, from 1 to 32.")
    }

    @Test func `a process number that makes no sense is refused`() {
        for number in ["", "0", "-3", "self"] {
            #expect(
                refusal(["LISTEN_PID": number, "LISTEN_FDS": "1"])
                    == "2: LISTEN_PID is not the number of a process: unset it, or start the server by systemd.")
        }
    }

    @Test func `names must be as many as sockets`() throws {
        let passed = try Descriptors([.listening(AF_INET)], from: Self.first)
        #expect(
            refusal(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "a:b"])
                == "2: LISTEN_FDNAMES has 2 names for 1 sockets of LISTEN_FDS.")
        passed.close()
    }

    private static let wrong: [(kind: Descriptors.Kind, reason: String)] = [
        (.none, "is not a socket"), (.file, "is not a socket"),
        (.datagram, "is not a stream socket that listens"), (.silent, "is not a stream socket that listens"),
        (.unix, "is neither of IPv4 nor of IPv6"),
    ]

    @Test(arguments: wrong)
    func `a descriptor that cannot be listened on is refused by its number and name`(
        kind: Descriptors.Kind, reason: String
    ) throws {
        let passed = try Descriptors([.listening(AF_INET), kind], from: Self.first)
        let advice = "Pass TCP sockets that listen, such as ListenStream=127.0.0.1:8080."
        #expect(
            refusal(["LISTEN_FDS": "2", "LISTEN_FDNAMES": "good:bad.socket"])
                == "2: LISTEN_FDS: descriptor \(Self.first + 1) (bad.socket) \(reason). \(advice)")
        passed.close()
    }
}

/// Real descriptors one behind the other, as a service manager passes them.
struct Descriptors {
    enum Kind: Sendable {
        case listening(Int32)
        case datagram
        /// A stream socket that does not listen.
        case silent
        case unix
        case file
        case none
    }

    private let all: [Int32]

    init(_ kinds: [Kind], from first: Int32) throws {
        var all: [Int32] = []
        for (offset, kind) in kinds.enumerated() {
            let wanted = first + Int32(offset)
            guard let made = try Self.make(kind) else { continue }
            try #require(dup2(made, wanted) == wanted)
            Self.end(made)
            all.append(wanted)
        }
        self.all = all
    }

    func close() {
        for descriptor in all { Self.end(descriptor) }
    }

    private static func end(_ descriptor: Int32) {
        Foundation.close(descriptor)
    }

    private static func make(_ kind: Kind) throws -> Int32? {
        let stream = Int32(SOCK_STREAM.rawValue)
        switch kind {
        case .none: return nil
        case .file: return unsafe open("/dev/null", O_RDONLY)
        case .datagram: return socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        case .silent: return socket(AF_INET, stream, 0)
        case .unix:
            // Without a name the system gives it one of its own (unix(7), autobind).
            let descriptor = socket(AF_UNIX, stream, 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            try bound(descriptor, &address, socklen_t(MemoryLayout<sa_family_t>.size))
            return descriptor
        case .listening(AF_INET6):
            let descriptor = socket(AF_INET6, stream, 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            try bound(descriptor, &address, socklen_t(MemoryLayout<sockaddr_in6>.size))
            return descriptor
        case .listening:
            let descriptor = socket(AF_INET, stream, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            try bound(descriptor, &address, socklen_t(MemoryLayout<sockaddr_in>.size))
            return descriptor
        }
    }

    private static func bound<Address>(
        _ descriptor: Int32, _ address: inout Address, _ size: socklen_t
    ) throws {
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
            }
        }
        try #require(isBound)
    }
}
