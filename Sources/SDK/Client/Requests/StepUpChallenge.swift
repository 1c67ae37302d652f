internal import KeyturnBase
internal import KeyturnWire

/// What a protected resource demands beyond a good token: a fresher or a stronger sign-in (RFC 9470 §3).
public struct StepUpChallenge: Hashable, Sendable {
    /// Strengths of authentication, one of which is needed, best first (`acr_values`). Empty: it does not matter.
    public let acrValues: [String]
    /// How long ago the sign-in may have been, in seconds (`max_age`); `nil`: it does not matter.
    public let maxAgeSeconds: Int64?

    /// - Parameter header: The `WWW-Authenticate` of a 401; `nil` if it demands no other sign-in.
    init?(_ header: String?) {
        let challenge = AuthenticateHeader(header).challenges.first { $0.parameters["error"] == Self.error }
        guard let challenge else { return nil }
        let values = Scope(challenge.parameters["acr_values"] ?? "")?.names ?? []
        acrValues = Array(values.prefix(Limits.acrValuesMax))
        maxAgeSeconds = challenge.parameters["max_age"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// `insufficient_user_authentication`.
    static let error = OAuthProblem.Code.insufficientUserAuthentication.rawValue

    /// The sign-in that answers it.
    ///
    /// - Parameter redirectURI: See ``SignInOptions/redirectURI``.
    public func options(redirectURI: String) -> SignInOptions {
        var options = SignInOptions(redirectURI: redirectURI)
        options.acrValues = acrValues
        options.maxAgeSeconds = maxAgeSeconds
        return options
    }
}
