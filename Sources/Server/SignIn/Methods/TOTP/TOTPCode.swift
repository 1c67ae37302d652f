public import KeyturnBase
internal import Model

/// One-time passwords from the time (TOTP, RFC 6238): what an authenticator app shows and what the server accepts.
///
/// A code is accepted once. ``verify(_:at:lastUsedStep:)`` returns its time step; the caller stores that step in the
/// transaction that signs the user in, and passes it the next time.
public struct TOTPCode: Hashable, Sendable {
    /// The hash function under HMAC (RFC 6238 §1.2). The value is its name in a key URI.
    public enum Algorithm: String, CaseIterable, Sendable {
        /// What every app understands; HMAC does not suffer from the collisions of SHA-1.
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    public let secret: TOTPSecret
    public let algorithm: Algorithm
    /// 6, 7 or 8.
    public let digits: Int
    /// Seconds that one code lasts.
    public let periodSeconds: Int64

    /// What new authenticators get: SHA-1, six digits, 30 seconds, because many apps silently ignore anything else.
    public init(_ secret: TOTPSecret) {
        self.secret = secret
        algorithm = .sha1
        digits = 6
        periodSeconds = 30
    }

    /// An authenticator from another product.
    ///
    /// - Returns: `nil` unless there are 6 to 8 digits and a period of 15 to 120 seconds.
    public init?(imported secret: TOTPSecret, algorithm: Algorithm, digits: Int, periodSeconds: Int64) {
        guard (6...8).contains(digits), (15...120).contains(periodSeconds) else { return nil }
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.periodSeconds = periodSeconds
    }

    /// The number of the time step of `time` (RFC 6238 §4.2, T0 = 0). Before 1970: step 0.
    public func step(at time: UnixTime) -> Int64 {
        max(0, time.rawValue / periodSeconds)
    }

    /// What the app shows at `time`.
    public func code(at time: UnixTime) -> Secret {
        Secret(code(step: step(at: time)))
    }

    /// The time step of the code `typed`, or `nil` if it is wrong, too old, from the future or used.
    ///
    /// The step of `time` and its two neighbours are tried (RFC 6238 §5.2, §6), but only steps later than
    /// `lastUsedStep`. If a code fits several of them, the latest counts, so that it cannot be used again.
    ///
    /// - Parameters:
    ///   - typed: with or without spaces and hyphens.
    ///   - lastUsedStep: the result of the last success; `nil` if there was none.
    public func verify(_ typed: Secret, at time: UnixTime, lastUsedStep: Int64?) -> Int64? {
        let characters = typed.exposed().utf8.prefix(Limits.authenticatorCodeBytesMax + 1)
        guard characters.count <= Limits.authenticatorCodeBytesMax else { return nil }
        let code = characters.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        let current = step(at: time)
        var accepted: Int64?
        // All three are always computed: the time must not show how far the clocks differ.
        for step in max(0, current - 1)...current + 1 {
            let fits = ConstantTime.equal(Array(self.code(step: step).utf8), code)
            if fits, step > lastUsedStep ?? -1 { accepted = step }
        }
        return accepted
    }

    private func code(step: Int64) -> String {
        CounterCode.make(secret, counter: UInt64(step), algorithm: algorithm, digits: digits)
    }
}
