import Foundation
import KeyturnBase
import KeyturnVerify

@testable import Keyturn

#if canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    /// A real HTTP server on the loopback interface that writes down what it hears, byte by byte, and answers what a test
    /// says. One request a connection.
    final class LoopbackServer: Sendable {
        /// A request as it came over the wire.
        struct Heard: Sendable {
            let line: String
            let fields: [(name: String, value: String)]
            let body: String
        }

        typealias Script = @Sendable (Heard) -> HTTPResponse

        let base: String
        private let listener: Int32
        private let requests = Locked<[Heard]>([])

        init(_ script: @escaping Script) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            self.listener = listener
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
                }
            }
            guard isBound, listen(listener, 64) == 0 else { throw AuthError(.unavailable, "no socket") }
            base = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
            DetachedThread.start { [self] in serve(script) }
        }

        /// Lets the thread end.
        func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

        var heard: [Heard] { requests.withLock { $0 } }

        private func serve(_ script: @escaping Script) {
            while true {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0 else { break }
                DetachedThread.start { [self] in
                    if let request = Self.read(accepted) {
                        requests.withLock { $0.append(request) }
                        Self.write(script(request), to: accepted)
                    }
                    close(accepted)
                }
            }
            close(listener)
        }

        private static func read(_ socket: Int32) -> Heard? {
            var received: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 16_384)
            while true {
                if let request = parse(received) { return request }
                let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { return nil }
                received += chunk[..<count]
            }
        }

        /// The whole request, once it is there.
        private static func parse(_ bytes: [UInt8]) -> Heard? {
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
            let lines = text[..<end.lowerBound].split(separator: "\r\n").map(String.init)
            let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
            let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
            let body = String(text[end.upperBound...])
            guard body.utf8.count >= length, let line = lines.first else { return nil }
            return Heard(line: line, fields: fields, body: body)
        }

        private static func write(_ response: HTTPResponse, to socket: Int32) {
            var text =
                "HTTP/1.1 \(response.status) X\r\nContent-Length: \(response.body.count)\r\nConnection: close\r\n"
            for field in response.headers { text += "\(field.name): \(field.value)\r\n" }
            var rest = (Array((text + "\r\n").utf8) + response.body)[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
#endif
