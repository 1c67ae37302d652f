import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Access tokens of other people's providers")
struct TokenProfileTests {
    @Test(arguments: ProviderToken.all)
    func `a provider's token is accepted with its profile, and says client, audience and issuer`(
        _ token: ProviderToken
    ) async throws {
        let verified = try await token.verify(token.access())
        #expect(verified.subject == "user-1" && verified.clientID == "app" && verified.issuer == TestIssuer.url)
        #expect(verified.audience.contains(token.audience) && verified.claims["iat"] != nil)
        #expect(!verified.isClientsOwn)
    }

    @Test(arguments: [
        ProviderToken.okta, .entra, .entraV1, .keycloak, .keycloakDPoP, .cognito, .auth0, .auth0RFC,
    ])
    func `the scope is read where the provider puts it`(_ token: ProviderToken) async throws {
        let verified = try await token.verify(token.access())
        #expect(verified.scope == Scope("read write"))
        try verified.require(scope: ["read"])
        #expect(throws: AuthError(.tokenInsufficient, "")) { try verified.require(scope: ["admin"]) }
    }

    @Test func `roles are read where the provider puts them, and a token that does not say has none to show`()
        async throws
    {
        for token in [ProviderToken.entra, .entraApplication, .keycloakDPoP, .cognito] {
            #expect(try await token.verify(token.access()).roles == ["Reader"], "\(token.name)")
        }
        #expect(try await ProviderToken.keycloak.verify(ProviderToken.keycloak.access()).roles?.count == 2)
        for token in [ProviderToken.okta, .entraV1, .auth0] {
            #expect(try await token.verify(token.access()).roles == nil, "\(token.name)")
        }
    }

    @Test func `an application's token without a user gives roles, and no scope`() async throws {
        let verified = try await ProviderToken.entraApplication.verify(ProviderToken.entraApplication.access())
        #expect(verified.scope.isEmpty && verified.roles == ["Reader"])
        let machine = try await ProviderToken.auth0Machine.verify(ProviderToken.auth0Machine.access())
        #expect(machine.scope.isEmpty && machine.roles == nil)
    }

    @Test func `Keycloak's roles of one client are not those of the realm or of another client`() async throws {
        let token = ProviderToken.keycloak
        let text = token.access(["resource_access": ["other": ["roles": ["admin"]]]])
        let verifier = try token.verifier(profile: .keycloak(rolesOf: "api"))
        #expect(try await verifier.verify(text, at: TestIssuer.now).roles == nil)
        let realm = try await token.verify(text)
        #expect(realm.roles == ["Reader", "offline_access"])
    }

    @Test func `Cognito's token for one API names that, and the API is the audience`() async throws {
        let token = ProviderToken.cognito
        let text = token.access(["aud": "https://api.example.com"])
        let verified = try await token.verifier(audience: "https://api.example.com").verify(text, at: TestIssuer.now)
        #expect(verified.audience == ["https://api.example.com"] && verified.clientID == "app")
    }

    @Test func `claims that inform may have odd types, and roles that cannot be read are absent`() async throws {
        let token = ProviderToken.entraV1
        let odd = try await token.verify(token.access(["acr": 1, "auth_time": "2026-11-14T12:00:00Z", "roles": 7]))
        #expect(odd.acr == nil && odd.authTime == nil && odd.roles == nil && odd["roles"] == 7)
        #expect(try await token.verify(token.access(["roles": "Reader"])).roles == ["Reader"])
    }

    /// What AD FS writes, which has no profile by name.
    static let written = TokenProfile(
        types: ["application/JWT"], client: ["appid"], scope: "scp", roles: .at("https://example.com/claims", "roles"),
        requirements: [.has("appid"), .claim("ver", is: "1.0", "1.1")])

    @Test func `a backend writes a profile of its own`() async throws {
        let claims = TestIssuer.accessClaims([
            "client_id": nil, "scope": nil, "appid": "app", "scp": "openid read", "ver": "1.0", "sid": nil,
            "auth_time": "2026-11-14T12:00:00.000Z", "https://example.com/claims": ["roles": ["Reader"]],
        ])
        let verifier = try ProviderToken.auth0.verifier(profile: Self.written)
        let token = try await verifier.verify(ProviderToken.issuer.token(claims, type: "JWT"), at: TestIssuer.now)
        #expect(token.clientID == "app" && token.scope == Scope("openid read") && token.roles == ["Reader"])
        let other = ProviderToken.issuer.token(claims.merging(["ver": "2.0"]) { _, new in new }, type: "JWT")
        let error = await #expect(throws: AuthError(.tokenKind, "")) {
            try await verifier.verify(other, at: TestIssuer.now)
        }
        #expect(error?.detail.contains("the claim ver ") == true)
    }

    @Test func `a provider's profile is changed for the claim that an operator chose`() async throws {
        var profile = TokenProfile.auth0
        profile.roles = "https://example.com/roles"
        let text = ProviderToken.auth0.access(["https://example.com/roles": ["editor"]])
        #expect(try await ProviderToken.auth0.verify(text).roles == nil)
        let verifier = try ProviderToken.auth0.verifier(profile: profile)
        #expect(try await verifier.verify(text, at: TestIssuer.now).roles == ["editor"])
        #expect(profile != .auth0 && TokenProfile.entra(tenant: "A") == .entra(tenant: "a"))
    }

    @Test func `the default is RFC 9068, and reads its roles`() async throws {
        let verifier = try TokenVerifierTests.verifier()
        #expect(verifier.profile == .rfc9068 && verifier.clientIDs == nil)
        let issuer = TokenVerifierTests.issuer
        let token = issuer.token(TestIssuer.accessClaims(["roles": ["Reader"]]))
        #expect(try await verifier.verify(token, at: TestIssuer.now).roles == ["Reader"])
        // SCIM's form of roles (RFC 7643 §4.1.2) is no list of names.
        let scim = issuer.token(TestIssuer.accessClaims(["roles": [["value": "Reader"]]]))
        #expect(try await verifier.verify(scim, at: TestIssuer.now).roles == nil)
    }

    @Test func `a remembered token of a provider says the same again`() async throws {
        let token = ProviderToken.okta
        let cache = CachingTokenVerifier(try token.verifier())
        let text = token.access()
        for _ in 0..<2 {
            let verified = try await cache.verify(text, at: TestIssuer.now)
            #expect(verified.clientID == "app" && verified.scope == Scope("read write"))
        }
    }
}
