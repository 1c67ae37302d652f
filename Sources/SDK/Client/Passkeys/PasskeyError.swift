public import KeyturnBase
public import KeyturnWire

/// How a passkey ceremony failed, in the words of web pages and of native clients, and what the service said.
///
/// It is the cause of an `AuthError`; read it with ``KeyturnBase/AuthError/passkey``.
public struct PasskeyError: Error, Hashable, Sendable {
    /// The code that web pages use.
    public let code: PasskeyClientCode
    /// The code that native clients use.
    public let native: Native
    /// Everything that the service said, the first of which is in the `AuthError` as well.
    public let errors: [PasskeyServiceError]
    /// What the system said, where the system failed. For logs; its text is in no fixed language.
    public let system: SystemFailure?

    /// An error of the system.
    public struct SystemFailure: Hashable, Sendable {
        /// The domain of the error, such as `com.apple.AuthenticationServices.AuthorizationError`.
        public let domain: String
        /// The number of the error in its domain.
        public let code: Int
        /// Why, if that was said.
        public let reason: String?
    }

    /// The codes of native clients. An open set.
    public struct Native: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The service could not be reached.
        public static let networkInterruption = Self(rawValue: "networkInterruption")
        /// The service took too long, or the authenticator or the person did.
        public static let timeout = Self(rawValue: "timeout")
        /// The service failed.
        public static let serverError = Self(rawValue: "serverError")
        /// The service refused the request.
        public static let badRequest = Self(rawValue: "badRequest")
        /// The service's answer is not what its wire allows.
        public static let malformedResponse = Self(rawValue: "malformedResponse")
        /// Another request began, and only one can be shown at a time.
        public static let newRequestStarting = Self(rawValue: "newRequestStarting")
        /// This device or this service cannot do it.
        public static let unsupportedOnPlatform = Self(rawValue: "unsupportedOnPlatform")
        /// The system answered with another kind of credential.
        public static let unexpectedAuthorizationType = Self(rawValue: "unexpectedAuthorizationType")
        /// The system made a credential and kept its attestation object to itself.
        public static let registrationDataMissing = Self(rawValue: "registrationDataMissing")
        /// The person said no.
        public static let canceled = Self(rawValue: "canceled")
        /// The authenticator's answer cannot be used.
        public static let invalidResponse = Self(rawValue: "invalidResponse")
        /// No authenticator took the request.
        public static let notHandled = Self(rawValue: "notHandled")
        /// The request was refused at once: as a rule, the app is not associated with the domain.
        public static let failed = Self(rawValue: "failed")
        /// The user may not be asked now, and it cannot be done without.
        public static let notInteractive = Self(rawValue: "notInteractive")
        /// The device cannot keep passkeys as it is set up: it has no passcode, or no place for them.
        public static let deviceNotConfigured = Self(rawValue: "deviceNotConfiguredForPasskeyCreation")
        /// The authenticator has a credential of this account already.
        public static let matchedExcludedCredential = Self(rawValue: "matchedExcludedCredential")
        /// No authenticator that answered has a credential for this.
        public static let noCredential = Self(rawValue: "noCredential")
        /// Anything else.
        public static let unknown = Self(rawValue: "unknown")
    }

    /// An error; `errors` are those of the service, if it answered with some.
    public init(
        _ code: PasskeyClientCode, _ native: Native, errors: [PasskeyServiceError] = [], system: SystemFailure? = nil
    ) {
        self.code = code
        self.native = native
        self.errors = errors
        self.system = system
    }
}

extension PasskeyError: CustomStringConvertible {
    public var description: String { "PasskeyError(\(code.rawValue), \(native.rawValue))" }
}

extension AuthError {
    /// How a passkey ceremony failed; `nil` if this is not about one.
    public var passkey: PasskeyError? {
        cause as? PasskeyError ?? (cause as? AuthError)?.passkey
    }

    /// The documented code of any failure of ``Keyturn/passkeys``, `unexpected` for what has none.
    public var passkeyCode: PasskeyClientCode {
        if let passkey { return passkey.code }
        return switch code {
        case .unavailable where (server?.status ?? 0) >= 500: .serverError
        case .unavailable: .networkError
        case .refused, .invalidArgument: .badRequest
        case .cancelled: .canceledByUser
        case .passkeyTimeout: .timeout
        case .passkeyDomain: .invalidDomain
        case .passkeyUnavailable, .unsupported: .webauthnUnavailable
        default: .unexpected
        }
    }

    static func passkey(
        _ code: Code, _ web: PasskeyClientCode, _ native: PasskeyError.Native, _ detail: String
    ) -> AuthError {
        AuthError(code, detail, cause: PasskeyError(web, native))
    }
}

extension AuthError.Code {
    /// Another passkey request began; only one can be shown at a time. Nothing is wrong.
    public static let passkeySuperseded = Self(rawValue: "passkey.superseded")
    /// The authenticator, or the person, did not answer in time.
    public static let passkeyTimeout = Self(rawValue: "passkey.timeout")
    /// This device has no authenticator that could answer, or none that could answer without a prompt.
    public static let passkeyUnavailable = Self(rawValue: "passkey.unavailable")
    /// The app or the page does not belong to the relying party's domain.
    public static let passkeyDomain = Self(rawValue: "passkey.invalid_domain")
    /// The authenticator has a credential of this account already: there is nothing to do.
    public static let passkeyExcluded = Self(rawValue: "passkey.excluded")
    /// No authenticator that answered has a credential for this.
    public static let passkeyNotFound = Self(rawValue: "passkey.not_found")
    /// The authenticator needs its PIN, and has none, or takes none any more.
    public static let passkeyPIN = Self(rawValue: "passkey.pin")
    /// The authenticator failed.
    public static let passkeyFailed = Self(rawValue: "passkey.failed")
}

extension AuthError {
    static let passkeySuperseded = passkey(
        .passkeySuperseded, .unexpected, .newRequestStarting, "another passkey request began")
    static let passkeyTimeout = passkey(
        .passkeyTimeout, .timeout, .timeout, "the authenticator did not answer in time")

    /// There is no authenticator for this.
    static func passkeyUnavailable(_ detail: String) -> AuthError {
        passkey(.passkeyUnavailable, .webauthnUnavailable, .unsupportedOnPlatform, detail)
    }

    /// There is one, and it cannot do this without a prompt.
    static func passkeyNeedsPrompt(_ detail: String) -> AuthError {
        passkey(.passkeyUnavailable, .apiUnsupported, .unsupportedOnPlatform, detail)
    }

    /// The person said no.
    static func passkeyCancelled(_ detail: String) -> AuthError {
        passkey(.cancelled, .canceledByUser, .canceled, detail)
    }
}
