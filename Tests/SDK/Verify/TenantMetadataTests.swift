import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Metadata for many tenants, and apart from its issuer")
struct TenantMetadataTests {
    static let common = "https://login.example.com/common/v2.0"
    static let wellKnown = "/.well-known/openid-configuration"

    static func read(
        _ issuer: String, asked: String = common, at address: String? = nil, isOfTenants: Bool = true
    ) async throws(AuthError) -> ServerMetadata {
        let document = ScriptedTransport.answer(MetadataTests.document(["issuer": .string(issuer)]))
        let transport = ScriptedTransport([address ?? asked + wellKnown: document])
        return try await Discovery(transport: transport).metadata(of: asked, at: address, isOfTenants: isOfTenants)
    }

    @Test(arguments: ["common", "organizations", TenantTokenTests.own])
    func `a template is taken that the issuer fits`(_ word: String) async throws {
        let metadata = try await Self.read(
            TenantTokenTests.template, asked: "https://login.example.com/\(word)/v2.0")
        #expect(metadata.issuer == TenantTokenTests.template)
        #expect(metadata.tokenEndpoint == TestIssuer.url + "/token")
    }

    @Test(
        arguments: [
            "https://evil.example.com/{tenantid}/v2.0", "https://login.example.com/{tenantid}",
            "https://login.example.com/{tenantid}/v1.0", "https://login.example.com/a/{tenantid}/v2.0",
        ])
    func `a template that the issuer does not fit is another issuer`(_ issuer: String) async {
        let error = await #expect(throws: AuthError(.protocolViolation, "")) { try await Self.read(issuer) }
        #expect(error?.detail.contains("names another issuer, \(issuer):") == true)
    }

    static let noTemplates = [
        common, TenantTokenTests.name(TenantTokenTests.own), "{tenantid}", "https://{tenantid}/v2.0",
        "https://{tenantid}.example.com/v2.0", "https://login.example.com/{tenantid}/{tenantid}/v2.0",
        "https://login.example.com/{tenantid}/{version}", "https://login.example.com/{version}/{tenantid}",
        "https://login.example.com/x{tenantid}/v2.0", "https://login.example.com/{tenantid}x/v2.0",
        "https://login.example.com/{tenant}/v2.0", "https://login.example.com/{TenantID}/v2.0",
        "https://login.example.com/{tenantid/v2.0", "http://login.example.com/{tenantid}/v2.0",
        "https://user@login.example.com/{tenantid}/v2.0", "https://login.example.com/?t=/{tenantid}/v2.0",
        "https://login.example.com/{tenantid}/v2.0?p=x", "https://login.example.com/{tenantid}/v2.0#x",
        "ftp://login.example.com/{tenantid}/v2.0",
    ]

    @Test(arguments: noTemplates)
    func `what has not one placeholder, in its path, is no template`(_ issuer: String) async {
        #expect(IssuerTemplate(issuer) == nil)
        let error = await #expect(throws: AuthError(.protocolViolation, "")) { try await Self.read(issuer) }
        #expect(error?.detail.contains(issuer) == true)
    }

    @Test func `a template has the issuer of each tenant, and of nothing else`() throws {
        for text in [TenantTokenTests.template, "http://127.0.0.1:8080/{tenantid}", "https://[::1]/a/{tenantid}/"] {
            let template = try #require(IssuerTemplate(text))
            let issuer = template.issuer(of: TenantTokenTests.own)
            #expect(template.text == text && template.tenant(of: issuer) == TenantTokenTests.own)
            #expect(template.fits(issuer) && template.fits(template.issuer(of: "common")))
            for other in [text, issuer + "x", "x" + issuer, template.issuer(of: "common"), template.issuer(of: "")] {
                #expect(template.tenant(of: other) == nil, "\(other)")
            }
            #expect(!template.fits(template.issuer(of: "")) && !template.fits(template.issuer(of: "a/b")))
        }
    }

    @Test(
        arguments: [
            ("72f988bf-86f1-41af-91ab-2d7cd011db47", true), ("72F988BF-86F1-41AF-91AB-2D7CD011DB47", true),
            ("72f988bf86f141af91ab2d7cd011db47", false), ("{72f988bf-86f1-41af-91ab-2d7cd011db47}", false),
            ("72f988bg-86f1-41af-91ab-2d7cd011db47", false), ("72f988bf-86f1-41af-91ab-2d7cd011db47-", false),
            ("contoso.onmicrosoft.com", false), ("common", false), ("", false),
        ])
    func `a tenant is named by a GUID`(_ text: String, _ isTenant: Bool) {
        #expect(IssuerTemplate.isTenant(text) == isTenant)
    }

    @Test func `without tenants a template is refused, and the error says what it is`() async {
        for address in [nil, Self.common + Self.wellKnown] {
            let error = await #expect(throws: AuthError(.protocolViolation, "")) {
                try await Self.read(TenantTokenTests.template, at: address, isOfTenants: false)
            }
            #expect(error?.detail.contains("template for many tenants") == true)
        }
    }

    static let b2c = "https://contoso.b2clogin.com/\(TenantTokenTests.own)/v2.0/"
    static let policies = [
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin/v2.0" + wellKnown,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0" + wellKnown + "?p=b2c_1_signin",
    ]

    @Test(arguments: policies)
    func `the document of Azure AD B2C lies elsewhere than below its issuer`(_ address: String) async throws {
        #expect(try await Self.read(Self.b2c, asked: Self.b2c, at: address, isOfTenants: false).issuer == Self.b2c)
        for issuer in [
            "https://evil.b2clogin.com/\(TenantTokenTests.own)/v2.0/", String(Self.b2c.dropLast()),
            "https://contoso.b2clogin.com/\(TenantTokenTests.other)/v2.0/",
        ] {
            let error = await #expect(throws: AuthError(.protocolViolation, "")) {
                try await Self.read(issuer, asked: Self.b2c, at: address, isOfTenants: false)
            }
            #expect(error?.detail.contains("at \(address) names another issuer, \(issuer):") == true)
        }
    }

    @Test func `a discovery address without a document is named`() async throws {
        let address = Self.policies[0]
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await Discovery(transport: ScriptedTransport()).metadata(
                of: Self.b2c, at: address, isOfTenants: false)
        }
        #expect(error?.detail.contains(address) == true)
    }
}
