internal import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
internal import Model

/// `urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523 §2.1).
public enum JWTBearerGrant: TokenGrant {
    public static let type = GrantType.jwtBearer
    public static let parameters: Set<String> = ["assertion", "scope", "resource"]
    public static let admission = GrantAdmission(needsAuthentication: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.jwtBearer(
            request.form, client: request.client, binding: request.binding, from: request.address)
    }
}

extension TokenEndpoint {
    private static let kinds: Set<String?> = [nil, "JWT"]

    /// `urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523 §2.1): an authenticated client presents its own
    /// assertion, signed with one of its keys, about the token's subject. Each assertion counts once.
    func jwtBearer(
        _ form: FormParameters, client: Client, binding: TokenBinding, from address: NetworkAddress?
    ) async throws -> TokenResponse {
        guard let text = form.single("assertion") else {
            throw OAuthProblem(.invalidRequest, "assertion is missing")
        }
        let now = ambient.now()
        let (claims, window) = try await assertion(text, of: client, at: now)
        let subject = try await selected(Self.selected(claims, client: client), client: client, from: address)
        try await proofs.admit(binding.proof)
        // The last step before the answer: a request refused for another reason may be corrected and sent again.
        let response = try serviceTokens(form, for: subject, client: client, binding: binding, at: now)
        guard try await stores.spent.spend(ReplayMark(window, of: client)) else {
            audit.recordOnce(AuditEvent(.assertionReplayed, at: now, clientID: client.id, address: address?.text))
            throw OAuthProblem(.invalidGrant, "the assertion was used before: jti must be new each time")
        }
        record(subject, of: client, from: address, at: now)
        return response
    }

    private func assertion(
        _ text: String, of client: Client, at now: UnixTime
    ) async throws(OAuthProblem) -> (JSONValue, AssertionWindow) {
        guard text.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(text) else {
            throw OAuthProblem(.invalidGrant, "the assertion is not a signed token")
        }
        guard Self.kinds.contains(jws.header.type) else {
            throw OAuthProblem(.invalidGrant, "the assertion is of another kind of token")
        }
        guard let claims = try await signatures.claims(of: jws, by: client, algorithm: nil, at: now) else {
            throw OAuthProblem(.invalidGrant, "the assertion is not signed with a key of the client: check kid and key")
        }
        guard claims["iss"]?.stringValue == client.id else {
            throw OAuthProblem(.invalidGrant, "iss of the assertion must be the client")
        }
        let window: AssertionWindow
        do throws(AssertionFlaw) {
            window = try AssertionWindow(claims, lifetimeMax: client.assertionLifetimeSeconds, at: now)
        } catch {
            throw OAuthProblem(.invalidGrant, "the assertion is not good: \(error.detail)")
        }
        let audience = claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.stringArrayValue ?? []
        let project = issuer.project
        let isOwn = audience.contains {
            project.isIssuer($0) || project.isTokenEndpoint($0) || client.assertionAudiences.contains($0)
        }
        guard isOwn else {
            throw OAuthProblem(
                .invalidGrant, "aud of the assertion is neither the issuer nor one of the client's assertion_audiences")
        }
        return (claims, window)
    }

    /// Box says with `box_sub_type` what `sub` is. Without it, `sub` is the client itself or a user.
    private static func selected(_ claims: JSONValue, client: Client) throws(OAuthProblem) -> BoxSubject? {
        guard let subject = claims["sub"]?.stringValue, !subject.isEmpty else {
            throw OAuthProblem(.invalidGrant, "sub of the assertion is missing")
        }
        guard let type = claims["box_sub_type"] else {
            return subject == client.id ? nil : .user(subject)
        }
        guard let kind = type.stringValue.flatMap(BoxSubject.Kind.init(rawValue:)) else {
            throw OAuthProblem(.invalidGrant, "box_sub_type of the assertion is enterprise or user")
        }
        return BoxSubject(type: kind, id: subject)
    }
}
