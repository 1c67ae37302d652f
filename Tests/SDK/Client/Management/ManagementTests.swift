import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

/// Answers every request with one body, and remembers what it was asked.
private actor Answering: HTTPTransport {
    private(set) var requests: [HTTPRequest] = []
    private let response: HTTPResponse

    init(_ json: JSONValue, status: Int = 200) {
        response = HTTPResponse(status: status, body: json.serialized)
    }

    func send(_ request: HTTPRequest) -> HTTPResponse {
        requests.append(request)
        return response
    }
}

@Suite("Management: requests and answers")
struct ManagementTests {
    static let user: JSONValue = ["user": ["userId": "U1", "loginIds": ["a"], "status": "invited", "createdTime": 1]]

    private func sent<Value>(
        _ answer: JSONValue = ManagementTests.user, _ call: (Management) async throws -> Value
    ) async throws -> String {
        let transport = Answering(answer)
        let management = Management(
            projectID: "P1", managementKey: Secret("MKEY"), baseURL: FakeMethods.baseURL, transport: transport)
        _ = try await call(management)
        let request = try #require(await transport.requests.last)
        #expect(request.headers.first { $0.name == "Authorization" }?.value == "Bearer P1:MKEY")
        let recorded = FakeMethods.Recorded(request)
        return recorded.body.isEmpty ? recorded.line : recorded.line + " " + recorded.body
    }

    @Test func `users are made and changed`() async throws {
        var draft = UserDraft(
            email: "a@x", displayName: "A", roleNames: ["admin"], tenants: [TenantRoles("t1", roleNames: ["r"])])
        draft.ssoAppIDs = ["s"]
        let members = """
            "displayName":"A","email":"a@x","loginId":"a","roleNames":["admin"],"ssoAppIDs":["s"]
            """
        let tenants = #""userTenants":[{"roleNames":["r"],"tenantId":"t1"}]"#
        #expect(
            try await sent { try await $0.users.create("a", draft) }
                == "POST /v1/mgmt/user/create {\(members),\(tenants)}")
        #expect(
            try await sent { try await $0.users.createTestUser("a", draft) }
                == "POST /v1/mgmt/user/create/test {\(members),\"test\":true,\(tenants)}")
        #expect(
            try await sent { try await $0.users.update("a", draft) }
                == "POST /v1/mgmt/user/update {\(members),\(tenants)}")
        #expect(
            try await sent { try await $0.users.invite("a", invitation: Invitation(url: "http://x", sendsMail: true)) }
                == #"POST /v1/mgmt/user/create {"invite":true,"inviteUrl":"http://x","loginId":"a","sendMail":true}"#)
        draft.tenants = nil
        #expect(
            try await sent { try await $0.users.patch("a", draft) }
                == #"PATCH /v1/mgmt/user/patch {"displayName":"A","email":"a@x","loginId":"a","roleNames":["admin"],"#
                + #""ssoAppIds":["s"]}"#)
    }

    @Test func `many at once, some of whom fail`() async throws {
        let answer: JSONValue = ["createdUsers": [["userId": "U1"]], "failedUsers": [["failure": "exists"]]]
        let transport = Answering(answer)
        let management = Management(
            projectID: "P1", managementKey: Secret("K"), baseURL: FakeMethods.baseURL, transport: transport)
        let batch = [BatchUser("a", password: Secret("pw")), BatchUser("b", hashedPassword: ["bcrypt": ["hash": "h"]])]
        let result = try await management.users.createBatch(batch)
        #expect(result.created.map(\.userId) == ["U1"])
        #expect(result.failures == 1)
        let request = FakeMethods.Recorded(try #require(await transport.requests.last))
        #expect(
            request.body
                == #"{"users":[{"loginId":"a","password":"pw"},{"hashedPassword":{"bcrypt":{"hash":"h"}},"loginId":"b"}]}"#
        )
        #expect(!"\(batch)".contains("pw"))
    }

    @Test func `users are found and deleted`() async throws {
        #expect(try await sent { try await $0.users.load(.loginID("a+b@x")) } == "GET /v1/mgmt/user?loginId=a%2Bb%40x")
        #expect(try await sent { try await $0.users.load(.userID("U1")) } == "GET /v1/mgmt/user?userId=U1")
        #expect(
            try await sent([:]) { try await $0.users.delete(.userID("U1")) }
                == #"POST /v1/mgmt/user/delete {"userId":"U1"}"#)
        #expect(
            try await sent([:]) { try await $0.users.deleteTestUsers() } == "DELETE /v1/mgmt/user/test/delete/all")
        #expect(
            try await sent(["users": []]) { try await $0.users.search(UserSearch(tenantIDs: ["t"], limit: 5)) }
                == #"POST /v2/mgmt/user/search {"limit":5,"tenantIds":["t"]}"#)
        #expect(
            try await sent(["users": []]) { try await $0.users.search(testUsersOnly: true) }
                == #"POST /v2/mgmt/user/search/test {"testUsersOnly":true,"withTestUser":true}"#)
    }

    @Test func `one thing about a user`() async throws {
        let calls: [(String, @Sendable (ManagedUsers) async throws -> UserDetails)] = [
            (#"status {"loginId":"a","status":"disabled"}"#, { try await $0.setStatus("a", .disabled) }),
            (
                #"email {"email":"b@x","failOnConflict":true,"loginId":"a","verified":true}"#,
                { try await $0.setEmail("a", "b@x", verified: true) }
            ),
            (
                #"phone {"failOnConflict":false,"loginId":"a","phone":"","verified":false}"#,
                { try await $0.setPhone("a", nil, verified: false, failOnConflict: false) }
            ),
            (#"name {"displayName":"B","loginId":"a"}"#, { try await $0.setName("a", "B") }),
            (#"loginid {"loginId":"a","newLoginId":"b"}"#, { try await $0.setLoginID("a", "b") }),
            (
                #"customAttribute {"attributeKey":"k","attributeValue":7,"loginId":"a"}"#,
                { try await $0.setAttribute("a", "k", 7) }
            ),
            (
                #"role/set {"loginId":"a","roleNames":["r"],"tenantId":"t"}"#,
                { try await $0.setRoles("a", ["r"], tenantID: "t") }
            ),
            (#"role/remove {"loginId":"a","roleNames":["r"]}"#, { try await $0.removeRoles("a", ["r"]) }),
            (#"tenant/add {"loginId":"a","tenantId":"t"}"#, { try await $0.addTenant("a", "t") }),
            (#"tenant/remove {"loginId":"a","tenantId":"t"}"#, { try await $0.removeTenant("a", "t") }),
        ]
        for (expected, call) in calls {
            #expect(try await sent { try await call($0.users) } == "POST /v1/mgmt/user/update/" + expected)
        }
        #expect(
            try await sent { try await $0.users.addRoles("a", ["r"]) }
                == #"POST /v2/mgmt/user/update/role/add {"loginId":"a","roleNames":["r"]}"#)
    }

    @Test func `what users prove themselves with`() async throws {
        #expect(
            try await sent([:]) { try await $0.users.setTemporaryPassword("a", Secret("pw")) }
                == #"POST /v1/mgmt/user/password/set/temporary {"loginId":"a","password":"pw","setActive":false}"#)
        #expect(
            try await sent([:]) { try await $0.users.setActivePassword("a", Secret("pw")) }
                == #"POST /v1/mgmt/user/password/set/active {"loginId":"a","password":"pw","setActive":true}"#)
        for (path, call) in [
            ("password/expire", { try await $0.users.expirePassword("a") }),
            ("passkeys/delete", { try await $0.users.deletePasskeys("a") }),
            ("totp/delete", { try await $0.users.deleteTOTP("a") }),
            ("logout", { try await $0.users.logout(.loginID("a")) }),
        ] as [(String, (Management) async throws -> Void)] {
            #expect(try await sent([:], call) == "POST /v1/mgmt/user/\(path) {\"loginId\":\"a\"}")
        }
        #expect(
            try await sent(["token": "T"]) { try await $0.users.embeddedLink("a", timeoutSeconds: 60) }
                == #"POST /v1/mgmt/user/signin/embeddedlink {"customClaims":{},"loginId":"a","timeout":60}"#)
    }

    @Test func `codes and links for tests`() async throws {
        #expect(
            try await sent(["code": "1"]) { try await $0.tests.generateOTP("a", with: .email) }
                == #"POST /v1/mgmt/tests/generate/otp {"deliveryMethod":"email","loginId":"a","loginOptions":{}}"#)
        #expect(
            try await sent(["link": "http://x?t=1"]) {
                try await $0.tests.generateMagicLink("a", with: .sms, redirectURL: "http://x")
            }
                == #"POST /v1/mgmt/tests/generate/magiclink {"URI":"http://x","deliveryMethod":"sms","loginId":"a","#
                + #""loginOptions":{}}"#)
        #expect(
            try await sent(["link": "l", "pendingRef": "p"]) { try await $0.tests.generateEnchantedLink("a") }
                == #"POST /v1/mgmt/tests/generate/enchantedlink {"loginId":"a","loginOptions":{}}"#)
    }

    @Test func `tokens and keys`() async throws {
        #expect(
            try await sent(["jwt": "J"]) { try await $0.jwt.update(Secret("old"), customClaims: ["k": 1]) }
                == #"POST /v1/mgmt/jwt/update {"customClaims":{"k":1},"jwt":"old"}"#)
        #expect(
            try await sent(["jwt": "J"]) { try await $0.jwt.impersonate(impersonatorID: "i", loginID: "a") }
                == #"POST /v1/mgmt/impersonate {"impersonatorId":"i","loginId":"a","validateConsent":true}"#)
        let key: JSONValue = ["key": ["id": "K1", "name": "n", "expireTime": 0], "cleartext": "C"]
        let made = try await sent(key) {
            let made = try await $0.accessKeys.create(name: "n", tenants: [TenantRoles("t")])
            #expect(made.key.id == "K1" && made.key.expiresAt == nil && made.cleartext == Secret("C"))
        }
        #expect(
            made == #"POST /v1/mgmt/accesskey/create {"expireTime":0,"keyTenants":[{"roleNames":[],"tenantId":"t"}],"#
                + #""name":"n","roleNames":[]}"#)
        #expect(
            try await sent(["keys": []]) { try await $0.accessKeys.search(tenantIDs: ["t"]) }
                == #"POST /v1/mgmt/accesskey/search {"tenantIds":["t"]}"#)
        for (verb, call) in [
            ("delete", { try await $0.accessKeys.delete("K1") }),
            ("activate", { try await $0.accessKeys.activate("K1") }),
            ("deactivate", { try await $0.accessKeys.deactivate("K1") }),
            ("rotate", { _ = try await $0.accessKeys.rotate("K1") }),
        ] as [(String, (Management) async throws -> Void)] {
            #expect(try await sent(key, call) == "POST /v1/mgmt/accesskey/\(verb) {\"id\":\"K1\"}")
        }
    }
}

@Suite("Management: what a project has")
struct ProjectManagementTests {
    private func management(_ transport: Answering) -> Management {
        Management(
            projectID: "P1", managementKey: Secret("MKEY"), baseURL: FakeMethods.baseURL, transport: transport)
    }

    private func last(_ transport: Answering) async throws -> String {
        let recorded = FakeMethods.Recorded(try #require(await transport.requests.last))
        return recorded.line + " " + recorded.body
    }

    @Test func `tenants, roles and permissions`() async throws {
        let transport = Answering([
            "id": "t1", "tenants": [["id": "t1", "name": "One"]],
            "roles": [["name": "admin", "permissionNames": ["p"]]],
            "permissions": [["name": "p", "systemDefault": true]],
        ])
        let management = management(transport)
        #expect(try await management.tenants.create(name: "One", id: "t1") == "t1")
        #expect(try await last(transport) == #"POST /v1/mgmt/tenant/create {"id":"t1","name":"One"}"#)
        #expect(try await management.tenants.all() == [TenantAnswer(id: "t1", name: "One")])
        try await management.roles.create(name: "admin", permissionNames: ["p"])
        #expect(
            try await last(transport)
                == #"POST /v1/mgmt/role/create {"description":"","name":"admin","permissionNames":["p"]}"#)
        #expect(try await management.roles.all().first?.permissionNames == ["p"])
        try await management.permissions.create(name: "p", description: "d")
        #expect(try await last(transport) == #"POST /v1/mgmt/permission/create {"description":"d","name":"p"}"#)
        #expect(try await management.permissions.all().first?.isSystemDefault == true)
        #expect(try await last(transport) == "GET /v1/mgmt/permission/all ")
    }

    @Test func `rules for passwords go both ways`() async throws {
        let settings = PasswordSettings(
            policy: PasswordPolicyAnswer(minLength: 12, number: true), expirationWeeks: 4, lockAttempts: 5)
        let transport = Answering(settings.json)
        #expect(try await management(transport).passwords.settings(tenantID: "t") == settings)
        #expect(try await last(transport) == "GET /v1/mgmt/password/settings?tenantId=t ")
        try await management(transport).passwords.setSettings(settings)
        let sent = try JSONValue(parsing: try #require(await transport.requests.last?.body))
        #expect(sent["expirationWeeks"] == 4 && sent["reuse"] == false && sent["lock"] == true)
    }

    @Test(arguments: [JSONValue.string("1700000000123"), 1_700_000_000_123])
    func `what happened, and when`(_ occurred: JSONValue) async throws {
        let transport = Answering(["audits": [["userId": "U1", "action": "LoginSucceed", "occurred": occurred]]])
        var search = AuditSearch()
        search.from = UnixTime(rawValue: 1)
        search.loginIDs = ["a"]
        let records = try await management(transport).audit.search(search)
        #expect(records.first?.occurredAt == UnixTime(rawValue: 1_700_000_000))
        #expect(
            try await last(transport)
                == #"POST /v1/mgmt/audit/search {"externalIds":["a"],"from":1000,"noTenants":false}"#)
    }

    @Test func `a refusal keeps the server's code, and the key is never printed`() async throws {
        let management = management(Answering(MethodProblem.managementUserNotFound.json, status: 400))
        let error = await #expect(throws: AuthError.self) { try await management.users.load(.loginID("a")) }
        #expect(error?.methodCode == MethodProblem.managementUserNotFound.code)
        var text = "\(management)"
        dump(management, to: &text)
        #expect(!text.contains("MKEY"))
    }

    @Test func `a user who is not wrapped is no answer`() async throws {
        let bare = management(Answering(["userId": "U1"]))
        await #expect(throws: AuthError(.protocolViolation, "")) { try await bare.users.load(.userID("U1")) }
    }
}
