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
        guard let pair = Self.pair(in: header), let name = try? FormParameters.decode(pair.name),
            let secret = try? FormParameters.decode(pair.secret)
        else { return nil }
        clientID = name
        clientSecret = Secret(secret)
    }

    /// The bytes before and after the first colon of a header's value; `nil` if it is no Basic authentication.
    static func pair(in header: String) -> (name: ArraySlice<UInt8>, secret: ArraySlice<UInt8>)? {
        guard isBasic(header), header.utf8.dropFirst(5).first == UInt8(ascii: " "),
            let bytes = Base64.decode(header.utf8.dropFirst(6)), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (bytes[..<colon], bytes[(colon + 1)...])
    }

    /// Whether a header's value begins with the name of Basic authentication, in any case.
    public static func isBasic(_ header: String) -> Bool {
        var scheme = header.utf8.makeIterator()
        return "basic".utf8.allSatisfy { scheme.next().map { $0 | 0x20 } == $0 }
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
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes = Array(text)
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
