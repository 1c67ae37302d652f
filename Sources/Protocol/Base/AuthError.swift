/// Why an operation failed, safe to log and to show.
///
/// Switch on ``code``; never parse ``detail``. An error printed by accident reveals only its code.
public struct AuthError: Error, Sendable {
    /// A stable identifier. New codes may appear in any release: keep a `default` branch.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// What failed, for programs.
    public let code: Code
    /// Developer text. Contains no token, secret or personal data.
    public let detail: String
    /// The error of a lower layer that led to this one; `nil` if there is none.
    public let cause: (any Error)?
    /// What the server answered, when it was the server that refused.
    public let server: ServerAnswer?

    /// An error; `detail` must hold no token, secret or personal data.
    public init(_ code: Code, _ detail: String, cause: (any Error)? = nil, server: ServerAnswer? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
        self.server = server
    }
}

extension AuthError {
    /// The refusal in the server's own terms, for people who read its logs.
    public struct ServerAnswer: Hashable, Sendable {
        /// The HTTP status.
        public let status: Int
        /// The server's own code: `error` in OAuth (RFC 6749 §5.2).
        public let code: String?
        /// What the server said about it: `error_description` in OAuth.
        public let description: String?
        /// The identifier under which the server logged the request.
        public let traceID: String?
        /// How long the server asks to be left alone, in seconds (`Retry-After`).
        public let retryAfterSeconds: Int?

        /// A refusal; what is left out was not in the answer.
        public init(
            status: Int, code: String? = nil, description: String? = nil, traceID: String? = nil,
            retryAfterSeconds: Int? = nil
        ) {
            self.status = status
            self.code = code
            self.description = description
            self.traceID = traceID
            self.retryAfterSeconds = retryAfterSeconds
        }
    }
}

extension AuthError: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "AuthError(\(code.rawValue))" }
    public var debugDescription: String { "AuthError(\(code.rawValue): \(detail))" }
}

extension AuthError: Hashable {
    /// Two errors are equal when their codes are.
    public static func == (left: AuthError, right: AuthError) -> Bool {
        left.code == right.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }
}

extension AuthError.Code {
    /// The token's lifetime is over. Refresh, or ask the user to sign in.
    public static let tokenExpired = Self(rawValue: "token.expired")
    /// The token is not valid yet (`nbf`, `iat`): a clock is wrong, or the token is a forgery.
    public static let tokenNotYetValid = Self(rawValue: "token.not_yet_valid")
    /// Not for this service (`aud`), or not from this issuer (`iss`).
    public static let tokenMisdirected = Self(rawValue: "token.misdirected")
    /// Not a token at all, or one that breaks the rules of its format.
    public static let tokenMalformed = Self(rawValue: "token.malformed")
    /// The signature is not by a key of the issuer.
    public static let tokenSignature = Self(rawValue: "token.signature")
    /// A token of another kind, such as an ID token where an access token belongs.
    public static let tokenKind = Self(rawValue: "token.kind")
    /// Genuine, but not enough: the sign-in is too old or too weak, or a scope is missing (RFC 9470).
    public static let tokenInsufficient = Self(rawValue: "token.insufficient")
    /// The network or the server failed; the same call may succeed later.
    public static let unavailable = Self(rawValue: "transport.unavailable")
    /// The server answered something that its protocol does not allow.
    public static let protocolViolation = Self(rawValue: "protocol.violation")
    /// The server refused the request; ``AuthError/server`` says how.
    public static let refused = Self(rawValue: "server.refused")
    /// The session is over: the server said so about the current refresh token.
    public static let sessionEnded = Self(rawValue: "session.ended")
    /// The key that this session is bound to is gone from this device; the way back is a sign-in.
    public static let deviceKeyLost = Self(rawValue: "session.device_key_lost")
    /// No user is signed in.
    public static let signedOut = Self(rawValue: "session.signed_out")
    /// The person closed the browser or chose to refuse.
    public static let cancelled = Self(rawValue: "sign_in.cancelled")
    /// A callback that does not belong to the sign-in under way: wrong `state`, `iss` or redirect.
    public static let callbackMismatch = Self(rawValue: "sign_in.callback_mismatch")
    /// The service cannot do this without asking the person (`login_required`, `consent_required`, …).
    public static let interactionRequired = Self(rawValue: "sign_in.interaction_required")
    /// The store could not be read or written now; what it holds is unknown, not absent.
    public static let storeUnavailable = Self(rawValue: "store.unavailable")
    /// This service does not offer what was asked for.
    public static let unsupported = Self(rawValue: "service.unsupported")
    /// The caller's own configuration is wrong; `detail` says what to change.
    public static let misconfigured = Self(rawValue: "configuration.invalid")
}
