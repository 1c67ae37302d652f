public import KeyturnBase

/// The identifier of a grant: 16 random bytes, the middle part of its refresh tokens.
public struct GrantID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads ``text``.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    public static func make(_ ambient: Ambient) -> GrantID {
        GrantID(unchecked: ambient.randomBytes(16))
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// 22 characters of base64url: the `gid` claim of our access tokens.
    public var text: String { Base64URL.encode(bytes) }
}
