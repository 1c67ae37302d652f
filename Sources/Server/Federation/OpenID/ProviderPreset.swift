package import KeyturnBase
package import Model

/// What is special about a provider: data, and code only where data does not say it.
///
/// To add one: a file in `Presets/` with such a value, and its line in ``all``.
package struct ProviderPreset: Sendable {
    /// The word in the configuration.
    package let id: String
    /// The name on buttons.
    package let name: String
    /// The issuer of its discovery document; `nil`: the connection says it, or there is none.
    package var issuer: @Sendable (OpenIDConnectionSettings) -> String? = { $0.issuer }
    /// Endpoints by the names of OpenID Connect Discovery, where there is no discovery document.
    package var endpoints: (@Sendable (OpenIDConnectionSettings) -> [String: String])?
    package var scopes: [String] = ["openid", "email", "profile"]
    /// Asked for where the provider's tokens are kept, so that a refresh token comes (OpenID Connect Core §11).
    package var offlineScope: String?
    /// The same as parameters of the authorization request.
    package var offlineParameters: [String: String] = [:]
    package var sendsChallenge = true
    package var sendsNonce = true
    /// `form_post`, if the provider demands it.
    package var responseMode: String?
    /// More parameters of the authorization request.
    package var parameters: [String: String] = [:]
    /// Whether `prompt`, `max_age` and `login_hint` mean something to it.
    package var takesHints = true
    /// Whether the code's redemption carries the client's secret in the form instead of the header.
    package var secretInForm = false
    /// Parameters of the connection that it needs, each with what it is.
    package var needs: [(name: String, what: String)] = []
    /// Makes the client secret of a request; `nil`: the configured one is sent.
    package var clientSecret: (@Sendable (OpenIDConnectionSettings, Ambient) throws(ConnectionFault) -> String?)?
    /// The issuer that a token must have, by its claims that are not verified yet; `nil`: the token is refused.
    package var expectedIssuer: (@Sendable (JSONValue, OpenIDConnectionSettings) -> String?)?
    /// Whether the users of a single organisation sign in, by the connection's settings. Elsewhere anyone gets an
    /// account.
    package var servesOne: @Sendable (OpenIDConnectionSettings) -> Bool = { _ in false }
    /// Whether the operator's word about addresses counts for a single organisation alone.
    package var neverTrusted = false
    /// How far its word about an address goes.
    package var emailTrust: @Sendable (JSONValue, OpenIDConnectionSettings) -> FederatedProfile.EmailTrust = {
        claims, settings in
        guard ProviderClaims.isTrue(claims["email_verified"]) else { return .unverified }
        return settings.trustsEmail ? .trusted : .verified
    }
    /// What identifies a user by the claims of an ID token, if `sub` alone does not; `nil`: the token is refused.
    package var subject: (@Sendable (JSONValue) -> String?)?
    /// Reads the user of a provider without ID tokens, by its access token.
    package var user: (@Sendable (ProviderSession) async throws(ConnectionFault) -> FederatedProfile)?

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// Why a provider's answer was not accepted: a stable word for the audit log, and what the user is told.
package struct ConnectionFault: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case cancelled, denied, unavailable, misconfigured, refused
    }

    package let kind: Kind
    package let code: String

    package init(_ kind: Kind, _ code: String) {
        self.kind = kind
        self.code = code
    }

    package init(_ problem: OutgoingProblem) {
        self.init(problem == .unreachable || problem == .tooLarge ? .unavailable : .misconfigured, problem.rawValue)
    }
}

/// Reads what providers write in several ways.
package enum ProviderClaims {
    /// A Boolean: as one, as `"true"`, or as 1. Anything else, and nothing at all, is no.
    package static func isTrue(_ value: JSONValue?) -> Bool {
        switch value {
        case .bool(let flag): flag
        case .string(let text): text.lowercased() == "true" || text == "1"
        case .integer(let number): number == 1
        default: false
        }
    }
}

/// A provider's access token, and the way to its interface.
package struct ProviderSession: Sendable {
    let http: any OutgoingHTTP
    let connection: Connection
    let settings: OpenIDConnectionSettings
    let accessToken: String

    /// A document of the provider's interface.
    ///
    /// - Throws: ``ConnectionFault`` if it does not come, or is no JSON.
    package func document(_ uri: String, headers: [String: String] = [:]) async throws(ConnectionFault) -> JSONValue {
        var all = ["Authorization": "Bearer \(accessToken)", "Accept": "application/json", "User-Agent": "keyturn"]
        all.merge(headers) { _, own in own }
        return try await ProviderRequests(http: http, connection: connection).json(
            OutgoingRequest(.get, uri, headers: all, allowsPrivateAddress: connection.allowsPrivateAddresses))
    }
}
