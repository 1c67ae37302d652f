public import KeyturnBase
public import KeyturnWire

/// How a protected resource says no: a status and a `WWW-Authenticate` header (RFC 6750 §3, RFC 9470 §3).
///
/// ```swift
/// catch { // an AuthError
///     let challenge = BearerChallenge(answering: error)
///     // answer with challenge.status, and challenge.header if there is one
/// }
/// ```
public struct BearerChallenge: Error, Hashable, Sendable {
    /// The HTTP status to answer with.
    public let status: Int
    /// The value of `WWW-Authenticate`; `nil` where none belongs.
    public let header: String?

    /// The right answer to `error`. Says nothing about the token but what the client may know.
    ///
    /// - Parameters:
    ///   - error: What a verifier, a policy or ``UnverifiedToken/bearer(authorization:query:)`` threw.
    ///   - realm: Names what is protected. Letters, digits, spaces and simple punctuation.
    ///   - resourceMetadata: Where the resource says what it is and whose tokens it takes, see
    ///     ``ProtectedResource/address`` (RFC 9728 §5.1); `nil`: nowhere.
    public init(answering error: AuthError, realm: String? = nil, resourceMetadata: String? = nil) {
        if let known = error.cause as? BearerChallenge {
            self = known.naming(realm, resourceMetadata)
        } else if error.code == .tokenMissing {
            self = Self(401, nil).naming(realm, resourceMetadata)
        } else if error.code.rawValue.hasPrefix("token.") || error.code.rawValue.hasPrefix("dpop.") {
            self = Self(401, .invalidToken).naming(realm, resourceMetadata)
        } else {
            // The caller could not decide: neither an answer about the token, nor the client's fault.
            self.init(status: 503)
        }
    }

    /// 401 `insufficient_user_authentication`: the person must sign in again, or better (RFC 9470 §3).
    public static func insufficientUserAuthentication(_ policy: FreshnessPolicy) -> BearerChallenge {
        var parameters: [(String, String)] = []
        if !policy.acrValues.isEmpty { parameters.append(("acr_values", policy.acrValues.joined(separator: " "))) }
        if let seconds = policy.maxAgeSeconds { parameters.append(("max_age", String(seconds))) }
        return Self(401, .insufficientUserAuthentication, parameters)
    }

    /// 403 `insufficient_scope`: the token does not allow this (RFC 6750 §3.1).
    public static func insufficientScope(_ needed: Scope) -> BearerChallenge {
        Self(403, .insufficientScope, needed.isEmpty ? [] : [("scope", needed.text)])
    }

    /// 401 `invalid_token`: get a new one (RFC 6750 §3.1).
    public static let invalidToken = Self(401, .invalidToken)

    /// 400 `invalid_request`: the token was presented in a way that is not allowed (RFC 6750 §3.1).
    public static let invalidRequest = Self(400, .invalidRequest)

    private let parameters: String

    private init(status: Int) {
        self.status = status
        header = nil
        parameters = ""
    }

    private init(_ status: Int, _ code: OAuthProblem.Code?, _ more: [(String, String)] = []) {
        let all = (code.map { [("error", $0.rawValue)] } ?? []) + more
        parameters = all.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
        self.status = status
        header = parameters.isEmpty ? "Bearer" : "Bearer " + parameters
    }

    private init(status: Int, header: String, parameters: String) {
        self.status = status
        self.header = header
        self.parameters = parameters
    }

    private func naming(_ realm: String?, _ resourceMetadata: String?) -> BearerChallenge {
        guard header != nil else { return self }
        let isQuotable = { (text: String) in
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        precondition(
            [realm, resourceMetadata].compactMap(\.self).allSatisfy(isQuotable),
            "a realm and an address hold neither quotes nor control characters")
        let parts = [
            realm.map { "realm=\"\($0)\"" }, parameters.isEmpty ? nil : parameters,
            resourceMetadata.map { "resource_metadata=\"\($0)\"" },
        ]
        let all = parts.compactMap(\.self).joined(separator: ", ")
        return BearerChallenge(status: status, header: all.isEmpty ? "Bearer" : "Bearer " + all, parameters: parameters)
    }
}

extension AuthError.Code {
    /// The request presents no token.
    public static let tokenMissing = Self(rawValue: "token.missing")
}
