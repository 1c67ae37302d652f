/// The URL of a request without query and fragment, in the one spelling that all its equals share: what `htu` is
/// compared by (RFC 9449 §4.3).
///
/// Normalised are the case of scheme and host, escapes, an empty path and the default port (RFC 3986 §6.2.2.1,
/// §6.2.2.2, §6.2.3). Dot segments stay as they are: clients resolve them before they send a request.
struct DPoPTarget: Hashable, Sendable {
    private let scheme: [UInt8]
    private let host: [UInt8]
    private let port: UInt16
    private let path: [UInt8]

    /// `nil` unless the text is an `http` or `https` URL with a host and without a user.
    init?(_ url: String) {
        let bytes = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = bytes[..<colon].map(Self.lowercased)
        let defaultPort: UInt16
        switch scheme {
        case Array("https".utf8): defaultPort = 443
        case Array("http".utf8): defaultPort = 80
        default: return nil
        }
        let rest = bytes[colon...].dropFirst()
        guard rest.starts(with: "//".utf8) else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        let path = rest.dropFirst(2 + authority.count)
        guard let (host, port) = Self.split(Array(authority)), let host = Self.normalized(host, isHost: true),
            let path = Self.normalized(Array(path), isHost: false)
        else { return nil }
        self.scheme = scheme
        self.host = host
        guard let port = port.isEmpty ? defaultPort : Self.number(port) else { return nil }
        self.port = port
        self.path = path.isEmpty ? [UInt8(ascii: "/")] : path
    }

    /// Host and port (RFC 3986 §3.2). A port that is empty is the default one.
    private static func split(_ authority: [UInt8]) -> (host: [UInt8], port: [UInt8])? {
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        var start = authority.startIndex
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            start = end + 1
        }
        let end = authority[start...].firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        // Behind a bracket stands a port or nothing.
        guard start == 0 || end == start, end > 0 else { return nil }
        return (Array(authority[..<end]), Array(authority[end...].dropFirst()))
    }

    private static func number(_ digits: [UInt8]) -> UInt16? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self))
    }

    /// Escapes of characters that need none are undone, the others written in upper case. `nil` for what no URL holds.
    private static func normalized(_ bytes: [UInt8], isHost: Bool) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard (0x21...0x7E).contains(byte) else { return nil }
            guard byte == UInt8(ascii: "%") else {
                result.append(isHost ? lowercased(byte) : byte)
                continue
            }
            guard index + 2 <= bytes.count, let high = digit(bytes[index]), let low = digit(bytes[index + 1]) else {
                return nil
            }
            index += 2
            let escaped = high << 4 | low
            if isUnreserved(escaped) {
                result.append(isHost ? lowercased(escaped) : escaped)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(high)], digits[Int(low)]]
            }
        }
        return result
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
