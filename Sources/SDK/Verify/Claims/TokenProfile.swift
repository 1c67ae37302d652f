internal import KeyturnWire

/// How an authorization server writes its access tokens: which types they have, where client, scope, roles and audience
/// stand, and what tells them from its other tokens.
///
/// The backend states it to a ``TokenVerifier``; nothing is guessed from a token. ``rfc9068`` is the strict default. A
/// provider's profile can be changed, as can one that you write:
///
/// ```swift
/// var profile = TokenProfile.auth0
/// profile.roles = "https://example.com/roles"
/// ```
///
/// Issuer, subject, `exp` and `iat` stand where RFC 9068 §2.2 has them, for every provider.
public struct TokenProfile: Hashable, Sendable {
    /// The types (`typ`) that are accepted, in any case, with or without `application/` (RFC 7515 §4.1.9).
    public var types: Set<String>
    /// Whether a token is accepted that has no type.
    public var allowsMissingType: Bool
    /// Where the client stands. Of several claims one must be there, and those that are there must agree.
    public var client: [Claim]
    /// Where the scope stands; `nil`: such tokens have none.
    public var scope: Claim?
    /// Whether the scope may be a list of names too, instead of one text.
    public var allowsScopeList: Bool
    /// Where the roles stand, a list of names; `nil`: they are not read.
    public var roles: Claim?
    /// Where the audience stands in tokens without `aud`; `nil`: those are refused. An `aud` that is there always
    /// decides (RFC 7519 §4.1.3).
    public var audienceFallback: Claim?
    /// What an access token must say: each of these. Without one, a profile that takes the type `JWT`, or none, could
    /// not tell an access token from an ID token, and ``TokenVerifier`` does not take it.
    public var requirements: [Requirement]
    /// Claims that mark another kind of token, whatever their value. One that a requirement names may be there.
    public var refusedClaims: Set<String>

    /// A profile of your own.
    ///
    /// - Parameters:
    ///   - types: The types (`typ`) to accept, such as `JWT`.
    ///   - allowsMissingType: Whether to accept a token without one.
    ///   - client: Where the client stands; one claim at least.
    ///   - scope: Where the scope stands; `nil`: nowhere.
    ///   - allowsScopeList: Whether the scope may be a list.
    ///   - roles: Where the roles stand; `nil`: nowhere.
    ///   - audienceFallback: Where the audience stands in tokens without `aud`; `nil`: those are refused.
    ///   - requirements: What an access token must say, and the provider's other tokens do not.
    ///   - refusedClaims: Claims that no access token of the provider has.
    public init(
        types: Set<String>, allowsMissingType: Bool = false, client: [Claim], scope: Claim?,
        allowsScopeList: Bool = false, roles: Claim? = nil, audienceFallback: Claim? = nil,
        requirements: [Requirement], refusedClaims: Set<String> = TokenProfile.marksOfOtherTokens
    ) {
        self.types = types
        self.allowsMissingType = allowsMissingType
        self.client = client
        self.scope = scope
        self.allowsScopeList = allowsScopeList
        self.roles = roles
        self.audienceFallback = audienceFallback
        self.requirements = requirements
        self.refusedClaims = refusedClaims
    }

    /// Claims of ID tokens (OpenID Connect Core §2 and §3.3.2.11) and of events (RFC 8417 §2.2), and claims by which
    /// providers say what kind a token is.
    public static let marksOfOtherTokens: Set<String> = [
        "nonce", "at_hash", "c_hash", "s_hash", "events", "token_use", "typ",
    ]

    /// Whether the type alone does not tell an access token from others.
    var isAmbiguous: Bool { allowsMissingType || accepts(type: TokenKind.idToken) }

    /// Whether a header may have this `typ`, which is spelled as JOSE's rules normalize it.
    func accepts(type: String?) -> Bool {
        guard let type else { return allowsMissingType }
        return types.contains(type) || types.contains { Self.normalized($0) == type }
    }

    /// Why a type is refused, and what to do.
    var typeRefusal: String {
        guard self != .rfc9068 else {
            return "typ is not at+jwt (RFC 9068): state the TokenProfile of a provider whose tokens have another type"
        }
        let names = types.sorted() + (allowsMissingType ? ["missing"] : [])
        return "typ is not that of the profile's access tokens: " + names.joined(separator: ", ")
    }

    private static func normalized(_ type: String) -> String {
        let lower = type.lowercased()
        let name = lower.hasPrefix("application/") ? String(lower.dropFirst("application/".count)) : lower
        return name == "jwt" ? TokenKind.idToken : name
    }
}

extension TokenProfile {
    /// A claim, or a member within one. A literal is one claim's whole name, points and slashes included.
    public struct Claim: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The claim's name, then the names of members within each other.
        public let path: [String]

        public init(stringLiteral value: String) {
            path = [value]
        }

        /// A claim whose name is known only when the program runs.
        ///
        /// - Parameter name: The claim's whole name.
        public init(_ name: String) {
            path = [name]
        }

        /// A member within a claim that is an object, such as Keycloak's `realm_access`, `roles`.
        ///
        /// - Parameters:
        ///   - claim: The claim's name.
        ///   - members: The names of members within each other.
        public static func at(_ claim: String, _ members: String...) -> Claim {
            Claim(path: [claim] + members)
        }

        private init(path: [String]) {
            self.path = path
        }

        var text: String { path.joined(separator: ".") }
    }

    /// Something that an access token must say.
    public struct Requirement: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case has([Claim])
            case value(Claim, Set<String>)
        }

        let kind: Kind

        /// One of these claims at least is there, whatever it says.
        public static func has(_ claims: Claim...) -> Requirement {
            Requirement(kind: .has(claims))
        }

        /// The claim is one of these texts, character by character, such as `token_use`, `access`.
        public static func claim(_ claim: Claim, is values: String...) -> Requirement {
            Requirement(kind: .value(claim, Set(values)))
        }

        func names(_ claim: String) -> Bool {
            switch kind {
            case .has(let claims): claims.contains { $0.path == [claim] }
            case .value(let one, _): one.path == [claim]
            }
        }
    }
}
