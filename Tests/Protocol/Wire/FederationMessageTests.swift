import KeyturnBase
import KeyturnWire
import Testing

@Suite("The methods' wire: sign-in at providers")
struct FederationMessageTests {
    private func body(_ text: String) throws -> MethodBody { try MethodBody(parsing: Array(text.utf8)) }
    private func query(_ text: String) throws -> FormParameters { try FormParameters(parsing: text) }

    @Test(arguments: ["redirectURL", "redirectUrl"])
    func `a start at a social provider has its options unwrapped in the body`(_ name: String) throws {
        let request = try SocialStartRequest(
            query: query("provider=google&\(name)=https%3A%2F%2Fapp.example.com%2Fback"),
            body: body(#"{"stepup":true,"customClaims":{"k":1}}"#))
        #expect(
            request
                == SocialStartRequest(
                    provider: "google", redirectURL: "https://app.example.com/back",
                    options: LoginOptions(stepup: true, customClaims: ["k": 1])))
        #expect(request.query.values("redirectURL") == ["https://app.example.com/back"])
    }

    @Test func `a start without a provider or tenant, or with two, is refused`() throws {
        #expect(throws: MethodProblem.missing("provider")) { try SocialStartRequest(query: query(""), body: body("")) }
        #expect(throws: MethodProblem.missing("tenant")) {
            try SSOStartRequest(query: query("tenant="), body: body(""))
        }
        #expect(throws: MethodProblem.self) { try SSOStartRequest(query: query("tenant=a&tenant=b"), body: body("")) }
    }

    @Test func `a start at an organisation's provider as python writes it`() throws {
        let request = try SSOStartRequest(
            query: query(
                "tenant=a%40example.com&redirectURL=https%3A%2F%2Fx&prompt=login&ssoId=s1&loginHint=a&forceAuthn=true"),
            body: body("{}"))
        #expect(
            request
                == SSOStartRequest(
                    tenant: "a@example.com", redirectURL: "https://x", prompt: "login", ssoID: "s1", loginHint: "a",
                    forcesAuthentication: true))
        #expect(try SSOStartRequest(query: request.query, body: MethodBody()) == request)
        #expect(throws: MethodProblem.self) {
            try SSOStartRequest(query: query("tenant=a&forceAuthn=yes"), body: body(""))
        }
    }

    @Test func `the end of a native sign-in has the name as JSON within a text, and one of code and token`() throws {
        let swift = try NativeSocialFinishRequest(
            body(
                #"{"provider":"apple","stateId":"S","user":"{\"name\":{\"firstName\":\"A\",\"lastName\":\"B\"}}","code":"c"}"#
            ))
        #expect(
            swift
                == NativeSocialFinishRequest(
                    provider: "apple", stateID: "S", name: NativeSocialName(firstName: "A", lastName: "B"),
                    code: Secret("c")))
        #expect(try NativeSocialFinishRequest(json: swift.json) == swift)
        #expect(!"\(swift)".contains("Secret(c)"))
        for text in [#"{"provider":"a","stateId":"S"}"#, #"{"provider":"a","stateId":"S","code":"c","idToken":"t"}"#] {
            #expect(throws: MethodProblem.self) { try NativeSocialFinishRequest(body(text)) }
        }
    }

    @Test(arguments: ["clientId", "stateId", "nonce", "implicit"])
    func `a native start needs all four members`(_ missing: String) throws {
        var members =
            NativeSocialStartAnswer(clientID: "c", stateID: "s", nonce: "n", isImplicit: false).json
            .objectValue ?? [:]
        #expect(try NativeSocialStartAnswer(json: .object(members)).isImplicit == false)
        members[missing] = nil
        #expect(throws: MethodProblem.missing(missing)) { try NativeSocialStartAnswer(json: .object(members)) }
    }

    @Test func `SAML settings are sent and loaded under different names`() throws {
        let sent = try SSOSAMLSettings(
            body(
                #"{"idpUrl":"https://idp/sso","entityId":"https://idp","idpCert":"C","attributeMapping":{"email":"mail","name":null},"roleMappings":[{"groups":["g"],"roleName":"r"}],"spACSUrl":null,"fgaMappings":null}"#
            ))
        #expect(sent.mapping == ["email": "mail"])
        #expect(sent.others.isEmpty)
        let answer = SSOSAMLAnswer(settings: sent, entityID: "https://us", consumerURL: "https://us/acs")
        #expect(answer.json["idpSSOUrl"] == "https://idp/sso" && answer.json["idpUrl"] == nil)
        #expect(answer.json["groupsMapping"] == [["groups": ["g"], "role": ["id": "r", "name": "r"]]])
        #expect(try SSOSAMLAnswer(json: answer.json) == answer)
        #expect(try SSOSAMLSettings(body(#"{"spACSUrl":"https://x"}"#)).others == ["spACSUrl"])
    }

    @Test func `OpenID settings come through both directions, and foreign members are known`() throws {
        let sent = try SSOOpenIDSettings(
            body(
                #"{"name":"N","clientId":"c","clientSecret":"s","scope":["openid"],"prompt":["login"],"userAttrMapping":{"email":"mail","picture":null},"usePkce":true,"issuer":"https://i","fgaMappings":{"a":{}}}"#
            ))
        #expect(sent.others == ["fgaMappings"] && sent.mapping == ["email": "mail"])
        var known = sent
        known.others = []
        #expect(try SSOOpenIDSettings(json: known.json) == known)
    }
}
