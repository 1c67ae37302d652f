internal import Foundation
internal import KeyturnBase
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Stands between libpq and the server, and cuts connections in place of certain answers: the server has done what it was
/// asked, and its client is not told.
package final class CuttingProxy: Sendable {
    /// The folder of its socket.
    package let folder: String
    private let target: String
    private let answer: [UInt8]
    private let state: Mutex<State>

    private struct State {
        var seen = 0
        var cuts = 0
        let isCut: @Sendable (Int) -> Bool
    }

    /// How many answers were cut.
    package var cuts: Int { state.withLock { $0.cuts } }

    /// - Parameters:
    ///   - tag: the server's word for a statement that it ran, such as `COMMIT`.
    ///   - isWhole: whether that is all of it, and not its beginning.
    ///   - isCut: whether the answer of this number, from 1, is cut. While it waits, the client waits for all answers.
    package init(cutting tag: String, isWhole: Bool = true, _ isCut: @escaping @Sendable (Int) -> Bool) throws {
        let name = "kt-cut-\(Ambient.live.randomToken(byteCount: 6))"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        target = "\(try PostgreSQLServer.shared().folder)/.s.PGSQL.5432"
        // CommandComplete: a letter, four bytes of length, the tag, and a zero.
        let length = UInt8(tag.utf8.count + 5)
        answer = isWhole ? [UInt8(ascii: "C"), 0, 0, 0, length] + Array(tag.utf8) + [0] : Array(tag.utf8)
        state = Mutex(State(isCut: isCut))
        let listener = try Self.socket()
        let isBound = unsafe Self.withAddress("\(folder)/.s.PGSQL.5432") { unsafe bind(listener, $0, $1) } == 0
        guard isBound, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { break }
                try? self.serve(client)
            }
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func socket() throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw POSIXError(.EMFILE) }
        return socket
    }

    @unsafe private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, size) }
        }
    }

    private func serve(_ client: Int32) throws {
        let server = try Self.socket()
        guard unsafe Self.withAddress(target, { unsafe connect(server, $0, $1) }) == 0 else {
            throw POSIXError(.ECONNREFUSED)
        }
        Thread.detachNewThread { [self] in
            pass(client, to: server) { _ in false }
            shutdown(server, Int32(SHUT_RDWR))
        }
        Thread.detachNewThread { [self] in
            pass(server, to: client) { isCut($0) }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func isCut(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= answer.count,
            (0...(bytes.count - answer.count)).contains(where: { bytes[$0..<($0 + answer.count)].elementsEqual(answer) }
            )
        else { return false }
        return state.withLock { state in
            state.seen += 1
            guard state.isCut(state.seen) else { return false }
            state.cuts += 1
            return true
        }
    }

    private func pass(_ source: Int32, to target: Int32, unless isCut: ([UInt8]) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(source, &buffer, buffer.count, 0)
            guard count > 0, !isCut(Array(buffer[..<count])) else { return }
            guard unsafe send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
        }
    }
}
