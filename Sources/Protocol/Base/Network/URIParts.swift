/// An absolute URI taken apart (RFC 3986), strictly: no guessing, no repair, no characters that need encoding.
///
/// URIs that are compared are compared as texts, byte for byte. This type says what a text means.
public struct URIParts: Hashable, Sendable {
    /// In lower case.
    public let scheme: String
    /// What stands before `@`; `nil` without one.
    public let userinfo: String?
    /// `nil` if there is no `//`, or nothing behind it.
    public let host: URIHost?
    /// `nil` if there is none.
    public let port: Int?
    /// As it is written.
    public let path: String
    /// As it is written, without the question mark; `nil` without one.
    public let query: String?
    /// As it is written, without the `#`; `nil` without one.
    public let fragment: String?

    /// Longest URI, in bytes, unless a caller says otherwise.
    public static let bytesMax = 2_048

    /// Why a text is no URI that this server or library takes.
    public enum Problem: Error, Hashable, Sendable {
        /// It is longer than the bound.
        case length
        /// It holds a character that a URI cannot hold as it is (RFC 3986 §2), such as a space, a backslash, a quote, a
        /// letter outside of ASCII, a second `#`, or a percent sign without two hexadecimal digits.
        case character
        /// It does not begin with a scheme (§3.1).
        case scheme
        /// What stands between `//` and the path is not `[user@]host[:port]` with a ``URIHost``; or the port is not a
        /// number without leading zeros (§3.2).
        case authority
    }

    /// Reads an absolute URI.
    ///
    /// - Parameters:
    ///   - bytesMax: the longest text, in bytes.
    ///   - portMin: 0 admits port 0, which means any port where something listens, and none where it connects.
    /// - Throws: ``Problem`` for the first rule that the text breaks.
    public init(
        parsing text: String, bytesMax: Int = URIParts.bytesMax, portMin: Int = 1
    ) throws(Problem) {
        guard text.utf8.count <= bytesMax else { throw .length }
        guard Self.hasOnlyAllowedCharacters(text) else { throw .character }
        guard let colon = text.firstIndex(of: ":") else { throw .scheme }
        scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({ Self.isAlphanumeric($0) || "+-.".utf8.contains($0) })
        else { throw .scheme }

        var rest = text[text.index(after: colon)...]
        fragment = Self.takeSuffix(of: &rest, after: "#")
        guard fragment?.contains("#") != true else { throw .character }
        query = Self.takeSuffix(of: &rest, after: "?")
        guard rest.hasPrefix("//") else {
            (userinfo, host, port, path) = (nil, nil, nil, String(rest))
            return
        }
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != "/" }
        path = String(rest[authority.endIndex...])
        (userinfo, host, port) = try Self.parse(authority: authority, portMin: portMin)
    }

    /// Reads an absolute URI; `nil` if ``init(parsing:bytesMax:portMin:)`` refuses it.
    public init?(_ text: String, bytesMax: Int = URIParts.bytesMax, portMin: Int = 1) {
        do throws(Problem) {
            try self.init(parsing: text, bytesMax: bytesMax, portMin: portMin)
        } catch {
            return nil
        }
    }

    /// A port in canonical digits, 0 to 65535.
    public static func port(_ text: Substring) -> Int? {
        CanonicalNumber.value(text, max: 65_535)
    }

    private static func parse(
        authority: Substring, portMin: Int
    ) throws(Problem) -> (userinfo: String?, host: URIHost?, port: Int?) {
        var rest = authority
        var userinfo: String?
        if let at = rest.lastIndex(of: "@") {
            userinfo = String(rest[..<at])
            guard userinfo?.contains("@") != true else { throw .authority }
            rest = rest[rest.index(after: at)...]
        }
        let text: Substring
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw .authority }
            text = rest[rest.index(after: rest.startIndex)..<end]
            guard text.contains(":") else { throw .authority }
            rest = rest[rest.index(after: end)...]
        } else {
            text = rest.prefix { $0 != ":" }
            rest = rest[text.endIndex...]
        }
        let host = URIHost(String(text))
        guard host != nil || text.isEmpty else { throw .authority }
        guard !rest.isEmpty else { return (userinfo, host, nil) }
        guard host != nil, rest.hasPrefix(":"), let port = port(rest.dropFirst()), port >= portMin else {
            throw .authority
        }
        return (userinfo, host, port)
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
            return index + 2 < bytes.count && isHexadecimal(bytes[index + 1]) && isHexadecimal(bytes[index + 2])
        }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
