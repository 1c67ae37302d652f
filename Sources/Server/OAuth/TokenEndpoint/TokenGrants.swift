public import KeyturnWire

/// Every grant type of the token endpoint.
public enum TokenGrants {
    /// The registry: one line for each grant type, in the order in which discovery lists them.
    public static let all: [any TokenGrant.Type] = [
        AuthorizationCodeGrant.self, RefreshTokenGrant.self, ClientCredentialsGrant.self, JWTBearerGrant.self,
        TokenExchangeGrant.self, DeviceCodeGrant.self, BackchannelGrant.self,
        BiometricRequestGrant.self, AnonymousRequestGrant.self,
    ]

    /// What `grant_types_supported` lists (RFC 8414 §2).
    public static let types = all.map { $0.type }

    /// The grant types that a client may be registered for.
    ///
    /// One that brings no tokens is among them: ``TokenEndpoint/approveAppToApp(_:client:proof:)``.
    public static let registered = all.filter { $0.admission.isRegistered }.map { $0.type } + [.appToApp]

    /// The grant types that no public client can use.
    public static let forAuthenticatedClients = all.filter { $0.admission.needsAuthentication }.map { $0.type }

    /// Whether only clients that authenticate can use a grant type.
    public static func needAuthentication(_ grantType: String) -> Bool {
        forAuthenticatedClients.contains(GrantType(rawValue: grantType))
    }

    /// The grant types that a client that registers itself may have.
    public static let forUnverifiedClients = all.filter { $0.admission.isForUnverifiedClients }.map { $0.type }

    /// Parameters that may stand in a form several times (RFC 8707 §2, RFC 8693 §2.1).
    static let repeatable: Set<String> = ["resource", "audience"]

    /// The grant type of a name; `nil`: there is none.
    static func named(_ name: String) -> (any TokenGrant.Type)? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.type.rawValue, $0) })
}
