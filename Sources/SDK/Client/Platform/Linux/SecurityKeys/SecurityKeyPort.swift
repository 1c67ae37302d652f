internal import KeyturnBase
internal import KeyturnWebAuthn

/// Where security keys are found.
protocol SecurityKeySource: Sendable {
    /// Whether keys can be reached at all.
    var isAvailable: Bool { get }

    /// What is plugged in now.
    func list() -> [SecurityKeyPlace]

    /// Opens one. Blocks for as long as the key takes to answer.
    func open(_ place: SecurityKeyPlace) throws(SecurityKeyStatus) -> any SecurityKeyPort
}

/// Where a key is plugged in.
struct SecurityKeyPlace: Hashable, Sendable {
    let path: String
    /// What its maker calls it; may be empty.
    let product: String
}

/// An open key. Used by one thread at a time, and each call blocks it; ``cancel()`` and ``facts`` alone may come from
/// anywhere, at any time.
protocol SecurityKeyPort: AnyObject, Sendable {
    var facts: SecurityKeyFacts { get }

    func makeCredential(_ request: SecurityKeyCreation) throws(SecurityKeyStatus) -> SecurityKeyCredential
    func assertions(_ request: SecurityKeyRequest) throws(SecurityKeyStatus) -> [SecurityKeyAssertion]
    /// How many wrong PINs the key takes before it takes none; `nil` if it does not say.
    func pinTriesLeft() -> Int?
    /// Begins to wait for a touch that means "this one".
    func beginTouch() throws(SecurityKeyStatus)
    /// Whether it was touched since.
    func wasTouched(withinMilliseconds: Int32) throws(SecurityKeyStatus) -> Bool
    /// Ends what the key is waiting for.
    func cancel()
    func close()
}

/// What a key says about itself.
struct SecurityKeyFacts: Hashable, Sendable {
    /// Whether it speaks CTAP 2; else U2F alone, without PIN and without discoverable credentials.
    var isFIDO2 = true
    var hasPIN = false
    /// Whether it verifies people by itself, and a user is enrolled.
    var hasUserVerification = false
    var keepsDiscoverable = true
    var transports: [String] = ["usb"]
}

/// `authenticatorMakeCredential` (CTAP 2.2 §6.1).
struct SecurityKeyCreation: Sendable {
    var rpID: String
    var rpName: String
    var userID: [UInt8]
    var userName: String
    var displayName: String
    var clientDataHash: [UInt8]
    /// A COSE number.
    var algorithm: Int64
    var excluded: [[UInt8]]
    var isDiscoverable: Bool
    var verifiesByItself: Bool
    var pin: Secret?
}

/// What was made.
struct SecurityKeyCredential: Sendable {
    var id: [UInt8]
    var format: String
    /// CBOR.
    var statement: [UInt8]
    var authenticatorData: [UInt8]
}

/// `authenticatorGetAssertion` (CTAP 2.2 §6.2).
struct SecurityKeyRequest: Sendable {
    var rpID: String
    var clientDataHash: [UInt8]
    /// Empty: whatever the key finds.
    var allowed: [[UInt8]]
    var verifiesByItself: Bool
    var pin: Secret?
}

/// One credential's answer.
struct SecurityKeyAssertion: Sendable {
    var id: [UInt8]?
    var authenticatorData: [UInt8]
    var signature: [UInt8]
    var userHandle: [UInt8]?
    /// Only keys that verified a user say these.
    var userName: String?
    var displayName: String?
}

/// What a key, or the library in between, answers: the status codes of CTAP 2.2 §8.2, and negative ones of the library.
struct SecurityKeyStatus: RawRepresentable, Error, Hashable, Sendable {
    let rawValue: Int32

    static let success = Self(rawValue: 0)
    static let timeout = Self(rawValue: 0x05)
    static let excluded = Self(rawValue: 0x19)
    static let unsupportedAlgorithm = Self(rawValue: 0x26)
    static let denied = Self(rawValue: 0x27)
    static let full = Self(rawValue: 0x28)
    static let unsupportedOption = Self(rawValue: 0x2B)
    static let cancelled = Self(rawValue: 0x2D)
    static let noCredentials = Self(rawValue: 0x2E)
    static let userTimeout = Self(rawValue: 0x2F)
    static let pinInvalid = Self(rawValue: 0x31)
    static let pinBlocked = Self(rawValue: 0x32)
    static let pinAuthBlocked = Self(rawValue: 0x34)
    static let pinNotSet = Self(rawValue: 0x35)
    static let pinRequired = Self(rawValue: 0x36)
    static let actionTimeout = Self(rawValue: 0x3A)
    static let verificationBlocked = Self(rawValue: 0x3C)
    static let verificationInvalid = Self(rawValue: 0x3F)
    static let receive = Self(rawValue: -2)
    static let `internal` = Self(rawValue: -9)
}
