public import KeyturnWire

/// What a user allowed a client.
public struct Consent: Hashable, Sendable {
    public var scope: Scope
    /// Claims that the consent page showed by name, beside those of ``scope``.
    public var claims: Set<String>
    /// The services that the page named, and that the client's access tokens may be for (RFC 8707). This server itself
    /// is none of them.
    public var resources: Set<String>

    public init(scope: Scope, claims: Set<String> = [], resources: Set<String> = []) {
        self.scope = scope
        self.claims = claims
        self.resources = resources
    }

    public static let none = Consent(scope: .none)

    /// Whether it holds everything of another one. A scope stands for its claims.
    public func covers(_ other: Consent) -> Bool {
        other.scope.isSubset(of: scope) && other.resources.isSubset(of: resources)
            && other.claims.subtracting(claims).isSubset(of: StandardClaims.claims(forScopes: scope))
    }
}
