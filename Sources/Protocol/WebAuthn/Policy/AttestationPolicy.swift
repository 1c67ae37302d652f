/// What is asked about the authenticator (WebAuthn Level 3 §5.4.7), and which answers are taken.
///
/// A statement that is there must be right, whatever this says, and one that is known to be revoked is never taken.
public struct AttestationPolicy: Hashable, Sendable {
    /// What the client is asked for.
    public enum Conveyance: String, CaseIterable, Hashable, Sendable {
        /// The values of `AttestationConveyancePreference` (WebAuthn Level 3 §5.4.7).
        case none, indirect, direct, enterprise
    }

    /// What the client is asked for.
    public var conveyance: Conveyance
    /// Whether a credential without attestation is taken.
    public var acceptsNone: Bool
    /// Whether one that only vouches for itself is.
    public var acceptsSelfSigned: Bool
    /// Whether one is taken whose certificates lead to no known root.
    public var acceptsUnknown: Bool
    /// Whether Android's hardware, not just its software, must vouch for a key.
    public var androidKeysFromHardwareOnly: Bool

    /// A policy; see the members.
    public init(
        conveyance: Conveyance, acceptsNone: Bool, acceptsSelfSigned: Bool, acceptsUnknown: Bool,
        androidKeysFromHardwareOnly: Bool = false
    ) {
        self.conveyance = conveyance
        self.acceptsNone = acceptsNone
        self.acceptsSelfSigned = acceptsSelfSigned
        self.acceptsUnknown = acceptsUnknown
        self.androidKeysFromHardwareOnly = androidKeysFromHardwareOnly
    }

    /// Nothing is asked, everything that is right is taken. For consumers: their authenticators are their business.
    public static let none = AttestationPolicy(
        conveyance: .none, acceptsNone: true, acceptsSelfSigned: true, acceptsUnknown: true)
    /// Asks, and takes every answer: the server learns what it can.
    public static let ask = AttestationPolicy(
        conveyance: .direct, acceptsNone: true, acceptsSelfSigned: true, acceptsUnknown: true)
    /// Only authenticators whose certificates lead to a known root.
    public static let trustedOnly = AttestationPolicy(
        conveyance: .direct, acceptsNone: false, acceptsSelfSigned: false, acceptsUnknown: false,
        androidKeysFromHardwareOnly: true)
}
