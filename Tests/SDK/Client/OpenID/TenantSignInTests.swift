import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

/// A provider with many tenants in front of a ``FakeService``: its documents lie where Entra has them, and its keys say
/// whose they are.
struct FakeTenants: HTTPTransport {
    static let own = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let other = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
    static let template = FakeService.issuer + "/{tenantid}/v2.0"
    static let common = FakeService.issuer + "/common/v2.0"
    static let wellKnown = "/.well-known/openid-configuration"

    let service: FakeService
    /// Where its discovery document lies, and nowhere else.
    var discovery = FakeTenants.common + FakeTenants.wellKnown
    /// Whom its key names; `nil`: none.
    var keyIssuer: JSONValue? = .string(FakeTenants.template)

    /// The issuer of a tenant.
    static func name(_ tenant: String) -> String { FakeService.issuer + "/\(tenant)/v2.0" }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        var request = request
        if request.url == discovery {
            request.url = FakeService.issuer + Self.wellKnown
        } else if request.url.contains(Self.wellKnown) {
            return HTTPResponse(status: 404)
        }
        let response = try await service.send(request)
        guard request.url.hasSuffix("/jwks"), let keyIssuer else { return response }
        let keys = (try? JSONValue(parsing: response.body))?["keys"]?.arrayValue ?? []
        let named = keys.map { key in
            JSONValue.object((key.objectValue ?? [:]).merging(["issuer": keyIssuer]) { $1 })
        }
        return FakeService.json(["keys": .array(named)])
    }
}

extension World {
    /// From now on tokens are of a tenant; its user is `subject`.
    func signsIn(
        _ tenant: String, issuer: String? = nil, subject: String = "andy", template: String = FakeTenants.template
    ) async {
        let claims: [String: JSONValue] = [
            "iss": .string(issuer ?? FakeTenants.name(tenant)), "tid": .string(tenant),
        ]
        await service.set {
            $0.metadata["issuer"] = .string(template)
            $0.claims = claims
            $0.subject = subject
        }
    }

    /// A container at a provider with many tenants, whose callbacks name `callbackIssuer`, or none.
    func container(
        of tenants: Service.Tenants, keyIssuer: JSONValue? = .string(FakeTenants.template),
        callbackIssuer: String? = nil
    ) -> Keyturn {
        Keyturn(
            .openID(issuer: FakeTenants.common, clientID: FakeService.clientID, tenants: tenants), name: "default",
            storage: .custom(store),
            browser: FakeBrowser(service: service) { try CallbackTests.parameters($0) { $0["iss"] = callbackIssuer } },
            transport: FakeTenants(service: service, keyIssuer: keyIssuer), ambient: clock.ambient)
    }
}

@Suite("Signing in at a provider with many tenants")
struct TenantSignInTests {
    private let world: World

    init() throws {
        world = try World()
    }

    @Test(arguments: [.anyTenant, [FakeTenants.own], .only([FakeTenants.own.uppercased()])] as [Service.Tenants])
    func `a user of a tenant that may sign in does`(_ tenants: Service.Tenants) async throws {
        await world.signsIn(FakeTenants.own)
        let result = try await world.container(of: tenants).authorize(redirectURI: World.redirectURI)
        #expect(result.idToken?.issuer == FakeTenants.name(FakeTenants.own) && result.idToken?.subject == "andy")
        #expect(result.idToken?.claims["tid"] == .string(FakeTenants.own))
        #expect(result.userInfo.name == "Andy")
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let name: String
        var code = AuthError.Code.tokenMisdirected
        var tenant = FakeTenants.own
        var issuer: String?
        var keyIssuer: JSONValue? = .string(FakeTenants.template)
        var testDescription: String { name }
    }

    static let attacks: [Attack] = [
        Attack(name: "a tenant that is not in the list", tenant: FakeTenants.other),
        Attack(name: "tid does not fit iss", issuer: FakeTenants.name(FakeTenants.other)),
        Attack(
            name: "iss does not fit tid", tenant: FakeTenants.other, issuer: FakeTenants.name(FakeTenants.own)),
        Attack(name: "the template as iss", issuer: FakeTenants.template),
        Attack(
            name: "the key of another tenant", code: .tokenSignature,
            keyIssuer: .string(FakeTenants.name(FakeTenants.other))),
        Attack(name: "tid is no GUID", code: .tokenMalformed, tenant: "common", keyIssuer: nil),
    ]

    @Test(arguments: attacks)
    func `a token that is not of such a tenant signs no user in, and the grant is given back`(
        _ attack: Attack
    ) async throws {
        await world.signsIn(attack.tenant, issuer: attack.issuer)
        let auth = world.container(of: [FakeTenants.own], keyIssuer: attack.keyIssuer)
        await #expect(throws: AuthError(attack.code, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(try await auth.start() == .signedOut)
        #expect(await world.service.revoked.count == 1)
    }

    @Test(
        arguments: [
            "https://evil.example.com/{tenantid}/v2.0", FakeTenants.name(FakeTenants.own), FakeTenants.common,
            FakeService.issuer + "/{tenantid}/{tenantid}/v2.0", FakeService.issuer + "/{tenantid}/{version}",
        ])
    func `metadata of another host, or without one placeholder, is refused before a page is shown`(
        _ template: String
    ) async throws {
        await world.signsIn(FakeTenants.own, template: template)
        let auth = world.container(of: .anyTenant)
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        }
        #expect(await world.service.requests.count == 1)
    }

    @Test(arguments: [nil, FakeTenants.name(FakeTenants.own)])
    func `a callback may name the tenant's issuer, or none`(_ issuer: String?) async throws {
        await world.signsIn(FakeTenants.own)
        let auth = world.container(of: .anyTenant, callbackIssuer: issuer)
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test(
        arguments: [
            (FakeTenants.template, false), (FakeTenants.common, false), (FakeService.issuer, false),
            ("https://evil.example.com/\(FakeTenants.own)/v2.0", false), (FakeTenants.name(FakeTenants.other), true),
        ])
    func `RFC 9207: a callback of another issuer, or of the template itself, is refused`(
        _ issuer: String, _ isRedeemed: Bool
    ) async throws {
        await world.signsIn(FakeTenants.own)
        let auth = world.container(of: .anyTenant, callbackIssuer: issuer)
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(try await auth.start() == .signedOut)
        #expect(await world.service.count("/token") == (isRedeemed ? 1 : 0))
        #expect(await world.service.revoked.count == (isRedeemed ? 1 : 0))
    }

    @Test func `a provider that promises to name its issuer must`() async throws {
        await world.signsIn(FakeTenants.own)
        await world.service.set { $0.metadata["authorization_response_iss_parameter_supported"] = true }
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await world.container(of: .anyTenant).authorize(redirectURI: World.redirectURI)
        }
        let auth = world.container(of: .anyTenant, callbackIssuer: FakeTenants.name(FakeTenants.own))
        try await auth.authorize(redirectURI: World.redirectURI)
    }

    @Test(arguments: [[], ["contoso.onmicrosoft.com"], ["common"], [FakeTenants.own, ""]] as [[String]])
    func `a list that names no tenants is a mistake of the app's`(_ identifiers: [String]) async throws {
        await world.signsIn(FakeTenants.own)
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await world.container(of: .only(Set(identifiers))).authorize(redirectURI: World.redirectURI)
        }
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `another tenant's user of the same sub cannot reauthenticate for the session's`() async throws {
        await world.signsIn(FakeTenants.own)
        let auth = world.container(of: .anyTenant)
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.signsIn(FakeTenants.other)
        await #expect(throws: AuthError(.differentPerson, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
        #expect(await auth.idToken?.issuer == FakeTenants.name(FakeTenants.own))
        await world.signsIn(FakeTenants.own)
        try await auth.reauthenticate(redirectURI: World.redirectURI)
    }

    @Test func `UserInfo as a signed token is not used, since it may be of any tenant`() async throws {
        await world.signsIn(FakeTenants.own)
        let token = try await world.service.idToken(nonce: nil, authTime: world.clock.now.rawValue)
        let answer = HTTPResponse(
            status: 200, headers: [("Content-Type", "application/jwt")], body: Array(token.utf8))
        await world.service.fail("/userinfo", .answer(answer), .answer(answer))
        let auth = world.container(of: .anyTenant)
        let result = try await auth.authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.source == .idToken)
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.userInfo() }
    }
}
