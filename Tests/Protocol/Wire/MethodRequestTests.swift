import KeyturnBase
import KeyturnWire
import Testing

@Suite("The methods' wire: requests")
struct MethodRequestTests {
    static func body(_ text: String) throws -> MethodBody {
        try MethodBody(parsing: Array(text.utf8))
    }

    @Test(arguments: [
        #"{"loginId":"a@example.com","user":{"name":"A","email":"a@example.com"},"email":"a@example.com"}"#,
        #"{"loginId":"a@example.com","user":{"name":"A"},"email":"a@example.com","loginOptions":null}"#,
        #"{"loginId":"a@example.com","user":{"name":"A","email":"a@example.com","phone":""},"loginOptions":{}}"#,
    ])
    func `sign-up as either vendor's client writes it`(_ text: String) throws {
        let request = try SignUpRequest(Self.body(text))
        #expect(
            request
                == SignUpRequest(
                    loginID: "a@example.com", details: SignUpDetails(name: "A", email: "a@example.com")))
    }

    @Test(arguments: ["redirectUrl", "redirectURL", "URI"])
    func `three spellings of where a link leads`(_ name: String) throws {
        let body = try Self.body(#"{"loginId":"a","\#(name)":"http://x/verify","loginOptions":{}}"#)
        #expect(try SignInRequest(body).redirectURL == "http://x/verify")
        #expect(try SignUpRequest(body).redirectURL == "http://x/verify")
        #expect(try PasswordResetRequest(body).redirectURL == "http://x/verify")
        #expect(try UpdateAddressRequest(body).redirectURL == "http://x/verify")
    }

    @Test func `options as python and as Swift write them`() throws {
        let python = try SignInRequest(
            Self.body(#"{"loginId":"a","loginOptions":{"stepup":true,"customClaims":{"k":1},"mfa":false}}"#))
        #expect(python.options == LoginOptions(stepup: true, customClaims: ["k": 1]))
        let swift = try SignInRequest(
            Self.body(#"{"loginId":"a","loginOptions":{"stepup":true,"revokeOtherSessions":true}}"#))
        #expect(swift.options == LoginOptions(stepup: true, revokeOtherSessions: true))
        for nothing in ["null", "{}", #""""#, #"{"stepup":null,"customClaims":{},"templateId":""}"#] {
            #expect(try SignInRequest(Self.body(#"{"loginId":"a","loginOptions":\#(nothing)}"#)).options == .none)
        }
    }

    @Test func `what is not asked for is not written`() {
        #expect(SignInRequest(loginID: "a").json == ["loginId": "a"])
        #expect(
            SignInRequest(loginID: "a", options: LoginOptions(stepup: true, customClaims: ["k": "v"])).json
                == ["loginId": "a", "loginOptions": ["stepup": true, "customClaims": ["k": "v"]]])
    }

    @Test(arguments: [#"{}"#, #"{"loginId":null}"#, #"{"loginId":""}"#, #"{"loginId":{}}"#, ""])
    func `a missing identifier is named`(_ text: String) throws {
        let problem = try #require(throws: MethodProblem.self) { try SignInRequest(Self.body(text)) }
        #expect(problem.code == "E011003")
        #expect(problem.message == "The loginId field is required")
    }

    @Test func `a wrong type is no text, and no text is nothing but JSON`() throws {
        #expect(throws: MethodProblem.invalidArguments.saying("The loginId field has the wrong type")) {
            try SignInRequest(Self.body(#"{"loginId":7}"#))
        }
        for text in ["[]", "7", "{", #"{"a":1,"a":2}"#] {
            #expect(throws: MethodProblem.badRequest) { try Self.body(text) }
        }
    }

    @Test func `requests come through both directions`() throws {
        let update = UpdateAddressRequest(
            loginID: "a", email: "b@example.com", redirectURL: "https://x", addToLoginIDs: true)
        #expect(try UpdateAddressRequest(json: update.json) == update)
        let change = ChangePasswordRequest(loginID: "a", oldPassword: Secret("o"), newPassword: Secret("n"))
        #expect(try ChangePasswordRequest(json: change.json) == change)
        let verify = VerifyCodeRequest(loginID: "a", code: Secret("123456"), options: LoginOptions(mfa: true))
        #expect(try VerifyCodeRequest(json: verify.json) == verify)
        #expect(!"\(verify) \(change)".contains("123456"))
        let exchange = AccessKeyExchangeRequest(options: LoginOptions(selectedTenant: "t1"))
        #expect(try AccessKeyExchangeRequest(json: exchange.json) == exchange)
    }
}

@Suite("The methods' wire: the bearer")
struct ProjectBearerTests {
    static let jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJVMSJ9.c2ln"

    @Test func `one, two and three parts are told apart by their shape`() throws {
        let alone = try #require(ProjectBearer(header: "Bearer P1"))
        #expect(alone == ProjectBearer(projectID: "P1"))
        let session = try #require(ProjectBearer(header: "bearer P1:\(Self.jwt)"))
        #expect(session.refreshJWT == Secret(Self.jwt) && session.accessKey == nil && session.managementKey == nil)
        let key = try #require(ProjectBearer(header: "Bearer P1:K2abc"))
        #expect(key.refreshJWT == nil && key.accessKey == Secret("K2abc") && key.managementKey == Secret("K2abc"))
        let all = try #require(ProjectBearer(header: "Bearer P1:\(Self.jwt):AMKEY"))
        #expect(all.refreshJWT == Secret(Self.jwt) && all.accessKey == nil && all.managementKey == Secret("AMKEY"))
        let exchange = try #require(ProjectBearer(header: "Bearer P1:AKEY:AMKEY"))
        #expect(exchange.accessKey == Secret("AKEY") && exchange.managementKey == Secret("AMKEY"))
    }

    @Test(arguments: [
        "", "Bearer", "Bearer ", "Basic P1", "Bearer P1:", "Bearer :x", "Bearer P1::x", "Bearer a:b:c:d", "Bearer P 1",
        "Bearer P1:\u{e9}",
    ])
    func `everything else is refused`(_ header: String) {
        #expect(ProjectBearer(header: header) == nil)
    }

    @Test func `what a client writes is read as it was meant`() {
        let session = ProjectBearer(projectID: "P1", refreshJWT: Secret(Self.jwt))
        #expect(ProjectBearer(header: session.header) == session)
        #expect(ProjectBearer(projectID: "P1", key: Secret("K")).header == "Bearer P1:K")
    }
}

@Suite("The methods' wire: refusals")
struct MethodProblemTests {
    @Test func `a refusal has the three members that clients read`() {
        #expect(
            MethodProblem.wrongCode.saying("try again").json == [
                "errorCode": "E061102", "errorDescription": "The code is wrong", "errorMessage": "try again",
            ])
        #expect(MethodProblem.linkPending.status == 401)
        #expect(MethodProblem.tokenRevoked.status == 401)
        let limited = MethodProblem.rateLimited(retryAfterSeconds: 7)
        #expect(limited.status == 429 && limited.retryAfterSeconds == 7 && limited.code == "E130429")
    }

    @Test func `what is read is what was written, and other words are none of this wire`() {
        let problem = MethodProblem.codeExpired
        #expect(MethodProblem(json: problem.json, status: 400) == problem)
        #expect(MethodProblem(json: ["error": "invalid_grant"], status: 400) == nil)
        #expect(MethodProblem(json: ["errorCode": 7], status: 400) == nil)
    }

    @Test func `nobody can tell an unknown user from a wrong password`() {
        #expect(MethodProblem.wrongPassword.code == MethodProblem.userNotFound.code)
        #expect(MethodProblem.wrongPassword.status == MethodProblem.userNotFound.status)
    }
}
