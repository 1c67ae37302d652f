public import KeyturnBase
public import KeyturnWire

/// What a token gives a right to, and how it came about: the same for one that was verified and one that the
/// authorization server was asked about.
public protocol TokenAuthority: Sendable {
    /// What the token allows on every object; empty for one that is restricted to single objects.
    var scope: Scope { get }
    /// The objects that it is good for, with what it allows there; `nil`: it is not restricted.
    var restrictedTo: [RestrictedObject]? { get }
    /// What was granted in detail (RFC 9396 §9.1); `nil`: nothing.
    var authorizationDetails: AuthorizationDetails? { get }
    /// Who acts for the subject, the present actor first (RFC 8693 §4.1). Only the first counts for access decisions.
    var actors: [TokenActor] { get }
    /// When the person last proved who they are (`auth_time`).
    var authTime: UnixTime? { get }
    /// How strong that proof was (`acr`).
    var acr: String? { get }
}

extension TokenAuthority {
    /// Who acts for the subject now; `nil`: the subject.
    public var actor: TokenActor? { actors.first }

    /// Demands a sign-in that satisfies `policy`.
    ///
    /// - Throws: `token.insufficient`, which ``BearerChallenge/init(answering:realm:resourceMetadata:)`` turns into the
    ///   answer that makes a client ask the person again.
    public func require(_ policy: FreshnessPolicy, at now: UnixTime) throws(AuthError) {
        guard policy.isSatisfied(authTime: authTime, acr: acr, at: now) else {
            throw AuthError(
                .tokenInsufficient, "the sign-in is too old or too weak",
                cause: BearerChallenge.insufficientUserAuthentication(policy))
        }
    }

    /// Demands every name in `scope`, on whatever object. A token that is restricted to single objects never has that.
    ///
    /// - Throws: `token.insufficient`, as ``require(_:at:)``.
    public func require(scope needed: Scope) throws(AuthError) {
        guard restrictedTo == nil, needed.isSubset(of: scope) else { throw Self.insufficient(needed) }
    }

    /// Demands every name in `scope` on one object: of a token that is restricted, that object must be among its objects
    /// with that very scope; of any other, the scope is enough.
    ///
    /// - Parameters:
    ///   - object: The object's address, character by character as clients ask for it when they exchange a token.
    ///   - needed: What is about to be done. Of a restricted token, an empty scope demands that the object is among them.
    /// - Throws: `token.insufficient`, as ``require(_:at:)``.
    public func require(object: String, scope needed: Scope) throws(AuthError) {
        guard let restrictedTo else { return try require(scope: needed) }
        let here = restrictedTo.filter { $0.resource == object }
        guard !here.isEmpty, needed.isSubset(of: Scope(names: here.map(\.scope))) else {
            throw Self.insufficient(needed)
        }
    }

    /// Demands that what is about to be done was granted in detail: each of these is covered by one that the token has
    /// (RFC 9396 §9.1). A field that you name must be there; what the token says beyond that is yours to look at.
    ///
    /// - Throws: `token.insufficient`, as ``require(_:at:)``.
    public func require(details needed: AuthorizationDetails) throws(AuthError) {
        guard restrictedTo == nil, let authorizationDetails, authorizationDetails.covers(needed) else {
            throw Self.insufficient(.none)
        }
    }

    private static func insufficient(_ needed: Scope) -> AuthError {
        AuthError(
            .tokenInsufficient, "the token does not allow this", cause: BearerChallenge.insufficientScope(needed))
    }
}

/// Claims about what a token gives a right to.
struct AuthorityClaims {
    let scope: Scope
    let restrictedTo: [RestrictedObject]?
    let authorizationDetails: AuthorizationDetails?
    let actors: [TokenActor]

    /// - Throws: `token.malformed`. What restricts a token is never overlooked because it cannot be read.
    init(_ claims: ClaimReader) throws(AuthError) {
        actors = try TokenActor.chain(claims)
        let all = try claims.scope()
        guard let restriction = claims.all["restricted_to"] else {
            restrictedTo = nil
            scope = all
            authorizationDetails = try Self.details(claims)
            return
        }
        guard let elements = restriction.arrayValue, elements.count <= VerifyLimits.restrictedObjects else {
            throw AuthError(.tokenMalformed, "restricted_to is not a list, or too long a one")
        }
        let objects = elements.compactMap { RestrictedObject(json: $0) }
        guard objects.count == elements.count else {
            throw AuthError(.tokenMalformed, "restricted_to cannot be read")
        }
        restrictedTo = objects
        // Code that looks at the scope alone must not take it for a right to everything.
        scope = .none
        authorizationDetails = try Self.details(claims)
    }

    private static func details(_ claims: ClaimReader) throws(AuthError) -> AuthorizationDetails? {
        guard let value = claims.all["authorization_details"] else { return nil }
        let objects = (value.arrayValue ?? []).compactMap(\.objectValue)
        guard let elements = value.arrayValue, elements.count == objects.count, elements.count <= VerifyLimits.details,
            objects.allSatisfy({ $0["type"]?.stringValue?.isEmpty == false })
        else { throw AuthError(.tokenMalformed, "authorization_details cannot be read") }
        return AuthorizationDetails(elements: objects)
    }
}
