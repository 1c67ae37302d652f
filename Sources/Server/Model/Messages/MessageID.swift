internal import KeyturnBase
internal import Crypto

/// The identifier of a message: in the queue, in a mail's `Message-ID`, towards the operator's gateway.
///
/// Derived from the idempotency key, so that a message that is sent twice has the same identifier.
public struct MessageID: Hashable, Sendable {
    /// Sixteen bytes.
    public let bytes: [UInt8]

    /// The identifier that belongs to an idempotency key.
    public init(idempotencyKey: String) {
        bytes = Array(SHA256.hash(data: Array("keyturn/message/\(idempotencyKey)".utf8)).prefix(16))
    }

    /// One that was stored; `nil` if it has another length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// 32 hexadecimal digits.
    public var text: String {
        Base16.encode(bytes)
    }
}
