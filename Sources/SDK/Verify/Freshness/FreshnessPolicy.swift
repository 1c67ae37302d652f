public import KeyturnBase

/// How recent and how strong a sign-in must be (RFC 9470).
///
/// ```swift
/// try token.require(FreshnessPolicy(maxAgeSeconds: 300), at: now)
/// ```
public struct FreshnessPolicy: Hashable, Sendable {
    /// How long ago the person may have proven who they are, in seconds. `nil`: it does not matter.
    public let maxAgeSeconds: Int64?
    /// Strengths of authentication, one of which is needed, best first (`acr`). Empty: it does not matter.
    public let acrValues: [String]

    /// - Parameters:
    ///   - maxAgeSeconds: 0 or more.
    ///   - acrValues: Values without spaces or quotes, as the issuer's metadata lists them.
    public init(maxAgeSeconds: Int64? = nil, acrValues: [String] = []) {
        precondition((maxAgeSeconds ?? 0) >= 0, "an age is not negative")
        precondition(acrValues.allSatisfy(Self.isACR), "an acr value has neither spaces nor quotes")
        self.maxAgeSeconds = maxAgeSeconds
        self.acrValues = acrValues
    }

    /// How far ahead of us the issuer's clock may be, in seconds: a sign-in "in the future" by more is no fresh one.
    private static let toleranceSeconds: Int64 = 30

    /// Whether a sign-in at `authTime` with strength `acr` is enough at `now`.
    public func isSatisfied(authTime: UnixTime?, acr: String?, at now: UnixTime) -> Bool {
        if let maxAgeSeconds {
            guard let authTime, now <= authTime + maxAgeSeconds, authTime <= now + Self.toleranceSeconds else {
                return false
            }
        }
        guard !acrValues.isEmpty else { return true }
        return acr.map(acrValues.contains) ?? false
    }

    private static func isACR(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
