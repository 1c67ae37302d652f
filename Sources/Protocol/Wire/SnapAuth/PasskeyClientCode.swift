/// How a ceremony failed on the side of the client: the words that web pages use for it, and that a page which performs
/// a ceremony for a program sends back as `error`.
public struct PasskeyClientCode: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }
}

extension PasskeyClientCode {
    /// The service, or the person, took too long.
    public static let timeout: Self = "timeout"
    /// The service could not be reached, or its answer cannot be read.
    public static let networkError: Self = "network_error"
    /// The service refused the request.
    public static let badRequest: Self = "bad_request"
    /// The service failed.
    public static let serverError: Self = "server_error"
    /// The person said no, or did not answer in time (`NotAllowedError`, `AbortError`).
    public static let canceledByUser: Self = "canceled_by_user"
    /// The page or the app does not belong to the relying party's domain (`SecurityError`).
    public static let invalidDomain: Self = "invalid_domain"
    /// A credential that the request excludes is there already (`InvalidStateError`), or anything else.
    public static let unexpected: Self = "unexpected"
    /// There is no WebAuthn here.
    public static let webauthnUnavailable: Self = "webauthn_unavailable"
    /// WebAuthn is here, and not what was asked of it (autofill, upgrade).
    public static let apiUnsupported: Self = "api_unsupported_in_browser"
    /// The browser answered with something that is no credential (`TypeError`).
    public static let browserBug: Self = "browser_bug?"
}
