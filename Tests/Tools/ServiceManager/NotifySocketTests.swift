import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("sd_notify: what the service manager is told")
struct NotifySocketTests {
    private static let messages: [(message: NotifySocket.Message, text: String)] = [
        (
            .ready("listening on http://127.0.0.1:1 (issuer x)"),
            "READY=1\nSTATUS=listening on http://127.0.0.1:1 (issuer x)"
        ),
        (.stopping("finishing"), "STOPPING=1\nSTATUS=finishing"), (.status("two\nREADY=1\n"), "STATUS=two READY=1"),
        (.watchdog, "WATCHDOG=1"),
    ]

    @Test(arguments: ["/", "@"])
    func `each message is a datagram at the socket, at a path or an abstract name`(kind: String) throws {
        let name = "keyturn-\(Ambient.live.randomToken(byteCount: 8))"
        let address =
            kind == "@" ? "@\(name)" : FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        let listener = try DatagramListener(address)
        let socket = try NotifySocket(address)
        for (message, text) in Self.messages {
            #expect(socket.send(message) == 0)
            #expect(listener.receive() == text)
        }
    }

    @Test(arguments: ["", "/", "@", "run/notify", "vsock:2:1234", "/" + String(repeating: "a", count: 107)])
    func `another address is refused, with what to do`(address: String) {
        #expect {
            try NotifySocket(address)
        } throws: {
            let failure = $0 as? CommandFailure
            return failure?.code == 2 && failure?.sentence.contains("NOTIFY_SOCKET is neither") == true
        }
    }

    @Test func `a socket that is gone is an error, not a crash`() throws {
        #expect(try NotifySocket("/nowhere/notify").send(.watchdog) == ENOENT)
        #expect(try NotifySocket("@keyturn-nothing-listens").send(.watchdog) == ECONNREFUSED)
    }
}

/// The service manager's end.
final class DatagramListener {
    private let descriptor: Int32
    private let path: String?

    init(_ address: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        path = address.hasPrefix("/") ? address : nil
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        let name = path.map { Array($0.utf8) + [0] } ?? [0] + Array(address.utf8.dropFirst())
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let isBound = unsafe withUnsafePointer(to: &target) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0
            }
        }
        try #require(isBound)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if let path { unsafe unlink(path) }
    }

    /// The next datagram; `nil` if none comes within ten seconds.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
