/// An absolute URI taken apart (RFC 3986), strictly: no guessing, no repair, no characters that need encoding.
struct URIParts: Sendable {
    /// In lower case.
    let scheme: String
    /// What stands before `@`; `nil` without one.
    let userinfo: String?
    /// In lower case, without the brackets of IPv6; `nil` if there is no `//`.
    let host: String?
    let port: Int?
    let path: String
    let query: String?
    let fragment: String?

    init?(_ text: String) {
        guard text.utf8.count <= ConfigurationLimits.uriBytesMax, Self.hasOnlyAllowedCharacters(text) else {
            return nil
        }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({ Self.isAlphanumeric($0) || "+-.".utf8.contains($0) })
        else { return nil }

        var rest = text[text.index(after: colon)...]
        fragment = Self.takeSuffix(of: &rest, after: "#")
        query = Self.takeSuffix(of: &rest, after: "?")
        guard rest.hasPrefix("//") else {
            (userinfo, host, port, path) = (nil, nil, nil, String(rest))
            return
        }
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != "/" }
        path = String(rest[authority.endIndex...])
        guard let parsed = Self.parse(authority: authority) else { return nil }
        (userinfo, host, port) = parsed
    }

    /// Whether only this machine can answer there (RFC 8252 §7.3).
    var isLoopback: Bool {
        host.map(Self.isLoopback(host:)) ?? false
    }

    /// The names of the query's parameters, decoded.
    var queryNames: [String] {
        (query ?? "").split(separator: "&").map { pair in
            Self.percentDecoded(pair.prefix { $0 != "=" })
        }
    }

    /// Whether `host` is a name or an address of the machine itself.
    static func isLoopback(host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        return IPAddress(host)?.isLoopback ?? false
    }

    /// Letters, digits, hyphens and dots, or an address.
    static func isHost(_ host: String) -> Bool {
        if IPAddress(host) != nil { return true }
        guard !host.isEmpty, host.utf8.count <= 253, !host.contains(":") else { return false }
        return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
        }
    }

    private static func parse(authority: Substring) -> (String?, String?, Int?)? {
        var rest = authority
        var userinfo: String?
        if let at = rest.lastIndex(of: "@") {
            userinfo = String(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let host: Substring
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = rest[rest.index(after: rest.startIndex)..<end]
            guard host.contains(":"), IPAddress(String(host)) != nil else { return nil }
            rest = rest[rest.index(after: end)...]
        } else {
            host = rest.prefix { $0 != ":" }
            guard host.isEmpty || isHost(String(host)) else { return nil }
            rest = rest[host.endIndex...]
        }
        guard !rest.isEmpty else { return (userinfo, host.lowercased(), nil) }
        guard rest.hasPrefix(":"), let port = Self.port(rest.dropFirst()), port > 0 else { return nil }
        return (userinfo, host.lowercased(), port)
    }

    /// A port in canonical digits, 0 to 65535.
    static func port(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || !text.hasPrefix("0"), let port = Int(text), port <= 65_535
        else { return nil }
        return port
    }

    private static func takeSuffix(of text: inout Substring, after separator: Character) -> String? {
        guard let index = text.firstIndex(of: separator) else { return nil }
        defer { text = text[..<index] }
        return String(text[text.index(after: index)...])
    }

    private static func hasOnlyAllowedCharacters(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            let byte = bytes[index]
            guard byte == UInt8(ascii: "%") else {
                return isAlphanumeric(byte) || "-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte)
            }
            return index + 2 < bytes.count && hexadecimal(bytes[index + 1]) != nil
                && hexadecimal(bytes[index + 2]) != nil
        }
    }

    private static func percentDecoded(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexadecimal(bytes[index + 1]),
                let low = hexadecimal(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
