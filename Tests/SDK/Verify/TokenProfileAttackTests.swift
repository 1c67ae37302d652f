import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Attacks on backends that take other people's tokens")
struct TokenProfileAttackTests {
    /// The error of a refusal, whose text holds nothing of the token.
    @discardableResult
    static func refusal(
        _ code: AuthError.Code, of text: String, by verifier: TokenVerifier,
        _ location: SourceLocation = #_sourceLocation
    ) async -> AuthError? {
        let error = await #expect(throws: AuthError(code, ""), sourceLocation: location) {
            try await verifier.verify(text, at: TestIssuer.now)
        }
        #expect(error?.detail.contains("user-1") == false, sourceLocation: location)
        return error
    }

    @Test(arguments: ProviderToken.all.filter { $0.type != "at+jwt" })
    func `58: the strict default takes no provider's token, and says what to do`(_ token: ProviderToken) async throws {
        let strict = try token.verifier(profile: .rfc9068)
        let error = await Self.refusal(.tokenKind, of: token.access(), by: strict)
        #expect(error?.detail.contains("TokenProfile") == true)
        // Not even with the claims that RFC 9068 wants: the type decides.
        let dressed = token.access(["client_id": "app", "scope": "read", "aud": .string(token.audience)])
        await Self.refusal(.tokenKind, of: dressed, by: strict)
    }

    @Test(arguments: ProviderToken.all)
    func `58: an ID token is no access token, for the same audience and from the same issuer`(
        _ token: ProviderToken
    ) async throws {
        await Self.refusal(.tokenKind, of: token.id(), by: try token.verifier())
        await Self.refusal(.tokenKind, of: token.id(), by: try token.verifier(profile: .rfc9068))
    }

    @Test func `58: an ID token with what access tokens have is told by its own marks`() async throws {
        let auth0 = ProviderToken.auth0
        for mark in ["nonce", "at_hash", "c_hash", "s_hash"] {
            let text = auth0.id(["scope": "read", mark: "x"])
            let error = await Self.refusal(.tokenKind, of: text, by: try auth0.verifier())
            #expect(error?.detail.contains("the claim \(mark) ") == true)
        }
        let okta = ProviderToken.okta
        await Self.refusal(.tokenKind, of: okta.id(["cid": "app", "scp": ["read"]]), by: try okta.verifier())
        let entra = ProviderToken.entra
        await Self.refusal(.tokenKind, of: entra.id(["azp": "app", "nonce": "n"]), by: try entra.verifier())
    }

    @Test(arguments: ProviderToken.all, ProviderToken.all)
    func `58: a profile takes no token of another provider`(
        _ token: ProviderToken, _ other: ProviderToken
    ) async throws {
        guard token.provider != other.provider else { return }
        await Self.refusal(.tokenKind, of: token.access(), by: try token.verifier(profile: other.profile))
    }

    @Test(arguments: ["id", "refresh", "Access", nil] as [JSONValue?])
    func `58: a Cognito token of another use, or of none, is refused by the name of the claim`(
        _ use: JSONValue?
    ) async throws {
        let cognito = ProviderToken.cognito
        let text = cognito.access(["token_use": use])
        let error = await Self.refusal(.tokenKind, of: text, by: try cognito.verifier())
        #expect(error?.detail.contains("the claim token_use ") == true)
    }

    @Test(arguments: ["ID", "Refresh", "Offline", "Logout", "bearer", ["Bearer"], nil] as [JSONValue?])
    func `58: a Keycloak token of another kind is refused by the name of the claim`(_ type: JSONValue?) async throws {
        let keycloak = ProviderToken.keycloak
        let text = keycloak.access(["typ": type])
        let error = await Self.refusal(.tokenKind, of: text, by: try keycloak.verifier())
        #expect(error?.detail.contains("the claim typ ") == true)
    }

    @Test(arguments: ProviderToken.all)
    func `58: an event of the issuer is no access token`(_ token: ProviderToken) async throws {
        let events: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        let error = await Self.refusal(.tokenKind, of: token.access(["events": events]), by: try token.verifier())
        #expect(error?.detail.contains("the claim events ") == true)
    }

    @Test(arguments: ["logout+jwt", "secevent+jwt", "dpop+jwt", "application/okta-internal-at+jwt", ""])
    func `58: a type that the profile does not name is refused`(_ type: String) async throws {
        for token in ProviderToken.all {
            let text = ProviderToken.issuer.token(
                token.claims.merging(["iss": .string(TestIssuer.url), "sub": "user-1"]) { _, new in new }, type: type)
            await Self.refusal(.tokenKind, of: text, by: try token.verifier())
        }
    }

    @Test(arguments: ProviderToken.all.filter { $0.provider != "cognito" })
    func `67: a token for another API of the same tenant is refused`(_ token: ProviderToken) async throws {
        let verifier = try token.verifier()
        for audience: JSONValue in ["other-api", ["other-api", "account"], "API", []] {
            await Self.refusal(.tokenMisdirected, of: token.access(["aud": audience]), by: verifier)
        }
        // The client's name in place of the audience is none.
        let error = await Self.refusal(.tokenMalformed, of: token.access(["aud": nil]), by: verifier)
        #expect(error?.detail.contains("the claim aud ") == true)
    }

    @Test func `67: a Cognito token of another app client is refused, and so is one for another API`() async throws {
        let cognito = ProviderToken.cognito
        let verifier = try cognito.verifier()
        await Self.refusal(.tokenMisdirected, of: cognito.access(["client_id": "other-app"]), by: verifier)
        await Self.refusal(.tokenMisdirected, of: cognito.access(["aud": "https://other.example.com"]), by: verifier)
        await Self.refusal(.tokenMalformed, of: cognito.access(["aud": .null]), by: verifier)
    }

    @Test(arguments: ProviderToken.all)
    func `67: another application's token for this API is refused where clients are named`(
        _ token: ProviderToken
    ) async throws {
        #expect(try await token.verify(token.access(), clientIDs: ["app", "web"]).clientID == "app")
        let audience: JSONValue = .string(token.audience)
        let other = token.access([token.clientClaim: "other-app", "aud": audience])
        #expect(try await token.verify(other).clientID == "other-app")
        let verifier = try token.verifier(clientIDs: ["app"])
        await Self.refusal(.tokenMisdirected, of: other, by: verifier)
        let upper = token.access([token.clientClaim: "APP", "aud": audience])
        await Self.refusal(.tokenMisdirected, of: upper, by: verifier)
    }

    @Test(arguments: ProviderToken.all)
    func `a client that is missing, empty or no text is refused by the name of the claim`(
        _ token: ProviderToken
    ) async throws {
        let verifier = try token.verifier()
        let audience: JSONValue = .string(token.audience)
        for odd: JSONValue in ["", ["app"], 7] {
            let text = token.access([token.clientClaim: odd, "aud": audience])
            let error = await Self.refusal(.tokenMalformed, of: text, by: verifier)
            #expect(error?.detail.contains("the claim \(token.clientClaim) ") == true)
        }
        for absent: JSONValue? in [nil, .null] {
            let text = token.access([token.clientClaim: absent, "aud": audience])
            let error = await Self.refusal(.tokenKind, of: text, by: verifier)
            #expect(error?.detail.contains(token.clientClaim) == true)
        }
    }

    @Test func `claims that name two clients are refused`() async throws {
        let auth0 = ProviderToken.auth0
        let error = await Self.refusal(
            .tokenMalformed, of: auth0.access(["client_id": "other-app"]), by: try auth0.verifier())
        #expect(error?.detail.contains("the claim client_id ") == true)
        #expect(try await auth0.verify(auth0.access(["client_id": "app"])).clientID == "app")
        let entra = ProviderToken.entra
        await Self.refusal(.tokenMalformed, of: entra.access(["appid": "other-app"]), by: try entra.verifier())
    }

    @Test(arguments: [ProviderToken.entra, .entraV1, .entraApplication])
    func `an Entra token of another tenant is refused, and one that gives neither scope nor role`(
        _ token: ProviderToken
    ) async throws {
        let verifier = try token.verifier()
        for tenant: JSONValue? in ["9188040d-6c67-4c5b-b112-36a304b66dad", "", nil, ["x"]] {
            let error = await Self.refusal(.tokenKind, of: token.access(["tid": tenant]), by: verifier)
            #expect(error?.detail.contains("the claim tid ") == true)
        }
        let error = await Self.refusal(.tokenKind, of: token.access(["scp": nil, "roles": nil]), by: verifier)
        #expect(error?.detail.contains("scp or roles") == true)
    }

    @Test(arguments: ["https://other.example.com", "https://id.example.com/", nil] as [JSONValue?])
    func `a token of another issuer is refused with every profile`(_ issuer: JSONValue?) async throws {
        for token in ProviderToken.all {
            await Self.refusal(
                issuer == nil ? .tokenMalformed : .tokenMisdirected, of: token.access(["iss": issuer]),
                by: try token.verifier())
        }
    }

    @Test func `a scope is taken in the provider's form alone, and no name is taken apart`() async throws {
        let okta = ProviderToken.okta
        for scope: JSONValue in [["read write"], ["read", 1], ["read", ""], 7, ["a": "b"]] {
            let error = await Self.refusal(.tokenMalformed, of: okta.access(["scp": scope]), by: try okta.verifier())
            #expect(error?.detail.contains("the claim scp ") == true)
        }
        let entra = ProviderToken.entra
        await Self.refusal(.tokenMalformed, of: entra.access(["scp": ["read"]]), by: try entra.verifier())
        // What another provider calls its scope gives nothing here.
        #expect(try await okta.verify(okta.access(["scope": "admin"])).scope == Scope("read write"))
    }
}
