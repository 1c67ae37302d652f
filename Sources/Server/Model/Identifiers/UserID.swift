public import KeyturnBase

/// The identifier of a user: the `sub` of every token about them. Never reused, never changed.
public struct UserID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A new identifier in the form of a random UUID (RFC 9562 §5.4).
    public static func make(_ ambient: Ambient) -> UserID {
        UserID(randomBytes: ambient.randomBytes(16))
    }

    /// The same of 16 bytes that nothing can guess.
    package init(randomBytes: [UInt8]) {
        var bytes = randomBytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
        rawValue = groups.map { Base16.encode(bytes[$0]) }.joined(separator: "-")
    }
}

extension UserID {
    /// The prefix of a client's subject, in its own tokens.
    package static let clientPrefix = "client:"

    /// Whether it has the form of a client's subject: no user has such an identifier.
    public var isClients: Bool { rawValue.hasPrefix(Self.clientPrefix) }

    /// Whether a text has the form of ``make(_:)``'s: such a text is refused as a user name, so that it cannot pass for
    /// an ID.
    package static func isReadIn(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.indices.allSatisfy { index in
                [8, 13, 18, 23].contains(index)
                    ? bytes[index] == UInt8(ascii: "-") : Character(Unicode.Scalar(bytes[index])).isHexDigit
            }
    }
}
