/// What arrived on the loopback listener, read as little as possible: the request line and the host (RFC 9112 §3).
struct CallbackRequest: Hashable, Sendable {
    let method: String
    /// Path and query, as sent.
    let target: String
    let host: String?

    /// Longest head, in bytes; more is refused. A passkey's attestation may be in it.
    static let headMaxBytes = 49_152

    enum Reading: Hashable, Sendable {
        case incomplete
        case complete(CallbackRequest)
        case malformed
        case tooLarge
    }

    /// Reads what has arrived so far.
    static func read(_ bytes: [UInt8]) -> Reading {
        guard let end = endOfHead(bytes) else {
            return bytes.count > headMaxBytes ? .tooLarge : .incomplete
        }
        guard end <= headMaxBytes else { return .tooLarge }
        guard let head = String(validating: bytes[..<end], as: UTF8.self), !head.utf8.contains(0) else {
            return .malformed
        }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/"),
            words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .malformed }
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
        guard hosts.count <= 1 else { return .malformed }
        let host = hosts.first.map { $0.dropFirst(5).filter { $0 != " " && $0 != "\t" }.lowercased() }
        return .complete(CallbackRequest(method: String(words[0]), target: String(words[1]), host: host))
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }

    /// The path alone.
    var path: Substring { target.prefix { $0 != "?" } }
}
