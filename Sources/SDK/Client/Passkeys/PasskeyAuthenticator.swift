public import KeyturnBase
public import KeyturnWebAuthn

/// Makes credentials and signs with them: the system's passkeys, a security key, a browser, or a test's software.
///
/// It answers options that a service sent and judges nothing: the service does. An implementation ends when the calling
/// task is cancelled, and must not show anything afterwards; one that does not end is left behind.
public protocol PasskeyAuthenticator: Sendable {
    /// What can be had here, without asking the user.
    var availability: PasskeyAvailability { get async }

    /// Makes a credential (WebAuthn Level 3 §5.1.3).
    ///
    /// - Throws: the codes of ``KeyturnBase/AuthError`` that begin with `passkey.`; `sign_in.cancelled` if the person
    ///   refuses, and the same with a `CancellationError` as its cause if the calling task is cancelled.
    func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse

    /// Signs with a credential (WebAuthn Level 3 §5.1.4).
    ///
    /// - Throws: as ``create(_:in:)``.
    func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse
}

/// Which authenticators may answer.
public enum PasskeyAuthenticatorKind: String, CaseIterable, Hashable, Sendable {
    /// What the system or a browser keeps, and what it can reach, such as a phone.
    case passkey
    /// A key to plug in or to hold against the device.
    case securityKey
}

extension Set<PasskeyAuthenticatorKind> {
    /// Every kind that there is.
    public static let all: Set = [.passkey, .securityKey]
}

/// What can be had on this device.
public struct PasskeyAvailability: Hashable, Sendable {
    /// Whether passkeys can be made and used.
    public var passkeys: Bool
    /// Whether security keys can be.
    public var securityKeys: Bool
    /// Whether ``PasskeyMethods/handleAutoFill()`` can work.
    public var autofill: Bool
    /// Whether ``PasskeyMethods/upgrade(username:displayName:)`` can work.
    public var upgrades: Bool
    /// Whether ``PasskeyMethods/startImmediateAuth()`` and ``PasskeyMethods/signInImmediately(options:)`` can work.
    public var immediate: Bool

    /// What a device offers; autofill, upgrades and immediate answers only if it is said.
    public init(
        passkeys: Bool, securityKeys: Bool, autofill: Bool = false, upgrades: Bool = false, immediate: Bool = false
    ) {
        self.passkeys = passkeys
        self.securityKeys = securityKeys
        self.autofill = autofill
        self.upgrades = upgrades
        self.immediate = immediate
    }

    /// Nothing can be had.
    public static let none = PasskeyAvailability(passkeys: false, securityKeys: false)
}

/// The circumstances under which an authenticator is asked.
public struct PasskeyCeremony: Hashable, Sendable {
    /// How much the person may be disturbed (`mediation`): what the service said, and nothing else. `nil`: a prompt.
    public var mediation: String?
    /// Whether only what this device has at once may answer: where there is nothing, the ceremony ends and nothing is
    /// shown. Only an authenticator whose ``PasskeyAvailability/immediate`` is true is asked so.
    public var isImmediate = false
    /// Who may answer.
    public var authenticators: Set<PasskeyAuthenticatorKind>
    /// The web origin that stands in the client data where no browser and no system decides it.
    public var origin: String
    /// The page that can perform the ceremony in a browser; `nil`: the service has none for this.
    public var page: Page?

    /// A ceremony that waits at a service, for a page of that service.
    public struct Page: Hashable, Sendable {
        /// Where the service is.
        public var baseURL: String
        /// The ceremony's name for pages: it begins it and cannot end it, since addresses are read by others.
        public var name: String

        /// A page at a service, by the service's address and the ceremony's name.
        public init(baseURL: String, name: String) {
            self.baseURL = baseURL
            self.name = name
        }
    }

    /// A ceremony; by default with a prompt, for every kind of authenticator, without a page.
    public init(
        mediation: String? = nil, authenticators: Set<PasskeyAuthenticatorKind> = .all, origin: String,
        page: Page? = nil
    ) {
        self.mediation = mediation
        self.authenticators = authenticators
        self.origin = origin
        self.page = page
    }

    /// Whether the person is not to be disturbed.
    public var isConditional: Bool { mediation == "conditional" }
}
