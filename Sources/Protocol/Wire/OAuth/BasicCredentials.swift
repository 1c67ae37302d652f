public import KeyturnBase

/// A client's name and secret in an `Authorization: Basic` header, each form-encoded first (RFC 6749 §2.3.1).
public struct BasicCredentials: Sendable {
    /// The client's identifier, decoded.
    public let clientID: String
    /// The client's secret, decoded.
    public let clientSecret: Secret

    /// Credentials, before they are encoded.
    public init(clientID: String, clientSecret: Secret) {
        self.clientID = clientID
        self.clientSecret = clientSecret
    }

    /// Reads a header's value. `nil` if it is not well-formed Basic authentication.
    public init?(header: String) {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = Base64.decode(parts[1]),
            let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":"),
            let name = try? FormParameters.percentDecode(text[..<colon]),
            let secret = try? FormParameters.percentDecode(text[text.index(after: colon)...])
        else { return nil }
        clientID = name
        clientSecret = Secret(secret)
    }

    /// The header's value.
    public var header: String {
        let pair =
            FormParameters.percentEncode(clientID) + ":" + FormParameters.percentEncode(clientSecret.exposed())
        return "Basic " + Base64.encode(Array(pair.utf8))
    }
}

/// Base64 with padding, as HTTP's Basic authentication writes it (RFC 4648 §4).
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = Base64URL.encoded(bytes).map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless `text` is the canonical spelling.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        for _ in 0..<2 where bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "+"): bytes[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): bytes[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decode(utf8: bytes[...])
    }
}
