internal import Crypto
public import KeyturnBase

/// The nonces of a server, which it need not remember (RFC 9449 §8, §9).
///
/// A nonce is the time of its making and an HMAC over it. It shows that a proof was made after that time, whatever the
/// sender's clock says. Servers that share the secret know each other's nonces.
public struct DPoPNonces: Sendable {
    /// How long a nonce is good, in seconds.
    public let maxAgeSeconds: Int64
    private let key: SymmetricKey

    private static let timeBytes = 8
    private static let codeBytes = 16

    /// - Parameters:
    ///   - secret: At least 32 unpredictable bytes. May serve other purposes too: a key of its own is derived from it.
    ///   - maxAgeSeconds: How long a nonce is good; 2…3600.
    public init(secret: [UInt8], maxAgeSeconds: Int64 = DPoPLimits.nonceSeconds) {
        precondition(secret.count >= 32, "a secret has at least 32 bytes")
        precondition((2...3_600).contains(maxAgeSeconds), "a nonce is good for 2...3600 seconds")
        self.maxAgeSeconds = maxAgeSeconds
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Array("keyturn dpop nonce".utf8), outputByteCount: 32)
    }

    /// A nonce for the `DPoP-Nonce` header: 32 characters.
    public func issue(at now: UnixTime) -> String {
        let time = Self.bytes(of: now)
        return Base64URL.encode(time + code(for: time))
    }

    /// When `nonce` was issued; `nil` if it is not ours, or no longer good.
    public func time(of nonce: String, at now: UnixTime) -> UnixTime? {
        guard let issued = issueTime(of: nonce), isGood(issued, at: now) else { return nil }
        return issued
    }

    /// When `nonce` was issued, however long ago; `nil` if it is not ours.
    public func issueTime(of nonce: String) -> UnixTime? {
        guard nonce.utf8.count == (Self.timeBytes + Self.codeBytes) / 3 * 4, let bytes = Base64URL.decode(nonce),
            bytes.count == Self.timeBytes + Self.codeBytes
        else { return nil }
        let time = Array(bytes.prefix(Self.timeBytes))
        guard ConstantTime.equal(code(for: time), Array(bytes.dropFirst(Self.timeBytes))) else { return nil }
        return UnixTime(rawValue: Int64(bitPattern: time.reduce(0) { $0 << 8 | UInt64($1) }))
    }

    /// Whether a nonce of that time is still good.
    public func isGood(_ issued: UnixTime, at now: UnixTime) -> Bool {
        issued <= now + DPoPLimits.nonceAheadSeconds && now <= issued + maxAgeSeconds
    }

    /// Whether a nonce of that time is so old that the answer should bring a new one: half of its time is over.
    public func isStale(_ issued: UnixTime, at now: UnixTime) -> Bool {
        now.seconds(since: issued) > maxAgeSeconds / 2
    }

    private func code(for time: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: time, using: key).prefix(Self.codeBytes))
    }

    private static func bytes(of time: UnixTime) -> [UInt8] {
        let bits = UInt64(bitPattern: time.rawValue)
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    }
}

extension DPoPNonces: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "DPoPNonces" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
