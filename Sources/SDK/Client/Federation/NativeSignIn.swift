public import KeyturnBase
public import KeyturnWire

/// The provider's own sheet or library, which signs in without a browser.
public protocol NativeSignIn: Sendable {
    /// Asks the user.
    ///
    /// - Parameter start: What the provider is asked with. ``NativeSocialStart/nonce`` goes into the request unchanged.
    /// - Throws: `sign_in.cancelled` if the user gives up; `sign_in.provider_failed`; `service.unsupported`.
    func credential(for start: NativeSocialStart) async throws(AuthError) -> NativeCredential
}

/// What the provider's sheet or library is asked with. Counts once.
public struct NativeSocialStart: Sendable {
    /// The provider that the sign-in began with.
    public let provider: SocialProvider
    /// The app's identifier at the provider.
    public let clientID: String
    /// Goes into the provider's token unchanged.
    public let nonce: String
    /// Whether the end takes the ID token; otherwise it takes the code.
    public let takesIDToken: Bool
    let stateID: String
}

/// What a provider's sheet or library brought. Shows nothing when printed.
public struct NativeCredential: Sendable {
    /// The provider's ID token.
    public var idToken: Secret?
    /// The provider's authorization code.
    public var code: Secret?
    /// Only if the provider told it; Apple does so with the first sign-in alone.
    public var name: NativeSocialName?

    /// A credential; the service takes one of the first two (``NativeSocialStart/takesIDToken``).
    public init(idToken: Secret? = nil, code: Secret? = nil, name: NativeSocialName? = nil) {
        self.idToken = idToken
        self.code = code
        self.name = name
    }
}

extension AuthError.Code {
    /// The provider's sheet or library failed, for a reason that is not the user's.
    public static let providerFailed = Self(rawValue: "sign_in.provider_failed")
}
