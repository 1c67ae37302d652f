import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: requests as the vendor's own clients send them")
struct RecordedRequestTests {
    typealias Recorded = FakeMethods.Recorded
    let world = MethodWorld()

    private func sent(
        _ call: (Keyturn) async throws -> Void, isSignedIn: Bool = false
    ) async throws -> Recorded {
        let auth = isSignedIn ? try await world.signedIn() : world.container()
        try await call(auth)
        return try await world.service.last
    }

    private func presented() async throws -> String {
        "Bearer P1:" + (try #require(await world.service.refreshToken))
    }

    @Test func `codes`() async throws {
        let details = SignUpDetails(name: "A", email: "a@example.com")
        #expect(
            try await sent { try await $0.otp.signUp(with: .email, loginId: "a@example.com", details: details) }
                == Recorded(
                    "POST /v1/auth/otp/signup/email", "Bearer P1",
                    #"{"loginId":"a@example.com","user":{"email":"a@example.com","name":"A"}}"#))
        #expect(
            try await sent { try await $0.otp.signUpOrIn(with: .sms, loginId: "+1") }
                == Recorded("POST /v1/auth/otp/signup-in/sms", "Bearer P1", #"{"loginId":"+1"}"#))
        #expect(
            try await sent { try await $0.otp.signIn(with: .voice, loginId: "+1") }
                == Recorded("POST /v1/auth/otp/signin/voice", "Bearer P1", #"{"loginId":"+1"}"#))
        #expect(
            try await sent { try await $0.otp.verify(with: .email, loginId: "a", code: "123456") }
                == Recorded("POST /v1/auth/otp/verify/email", "Bearer P1", #"{"code":"123456","loginId":"a"}"#))
    }

    @Test func `step-up presents the container's session`() async throws {
        let request = try await sent(
            {
                try await $0.otp.signIn(
                    with: .email, loginId: "a", options: [.stepup, .customClaims(["k": "v"]), .revokeOtherSessions])
            }, isSignedIn: true)
        let body = """
            {"loginId":"a","loginOptions":{"customClaims":{"k":"v"},"revokeOtherSessions":true,"stepup":true}}
            """
        #expect(try await request == Recorded("POST /v1/auth/otp/signin/email", presented(), body))
    }

    @Test(arguments: [SignInOption.stepup, .mfa])
    func `step-up and MFA present another session if they are told to`(_ option: SignInOption) async throws {
        let other = [option, .session(refreshJwt: "a.b.c"), .session(refreshJwt: "d.e.f")]
        let calls: [@Sendable (Keyturn) async throws -> Void] = [
            { try await $0.otp.signIn(with: .email, loginId: "a", options: other) },
            { try await $0.magicLink.signUpOrIn(with: .email, loginId: "a", options: other) },
            { _ = try? await $0.enchantedLink.signIn(loginId: "a", options: other) },
            { _ = try? await $0.totp.verify(loginId: "a", code: "123456", options: other) },
        ]
        for call in calls {
            // Also where the container has no session of its own.
            for isSignedIn in [true, false] {
                let request = try await sent(call, isSignedIn: isSignedIn)
                #expect(request.bearer == "Bearer P1:d.e.f", "\(request.line)")
            }
        }
        let without = try await sent {
            try await $0.otp.signIn(with: .email, loginId: "a", options: [.session(refreshJwt: "a.b.c")])
        }
        #expect(without.bearer == "Bearer P1", "nothing goes on from it")
        #expect(!"\(other)".contains("d.e.f"))
    }

    @Test func `new addresses`() async throws {
        #expect(
            try await sent(
                { try await $0.otp.updateEmail("b@x", loginId: "a", options: .addToLoginIds) }, isSignedIn: true)
                == Recorded(
                    "POST /v1/auth/otp/update/email", presented(),
                    #"{"addToLoginIDs":true,"email":"b@x","loginId":"a","onMergeUseExisting":false}"#))
        #expect(
            try await sent(
                {
                    try await $0.magicLink.updatePhone(
                        "+1", with: .sms, loginId: "a", redirectURL: "http://x", options: .onMergeUseExisting)
                }, isSignedIn: true)
                == Recorded(
                    "POST /v1/auth/magiclink/update/phone/sms", presented(),
                    """
                    {"addToLoginIDs":false,"loginId":"a","onMergeUseExisting":true,"phone":"+1","redirectUrl":"http://x"}
                    """))
    }

    @Test func `links`() async throws {
        #expect(
            try await sent { try await $0.magicLink.signUpOrIn(with: .email, loginId: "a", redirectURL: "http://x") }
                == Recorded(
                    "POST /v1/auth/magiclink/signup-in/email", "Bearer P1",
                    #"{"loginId":"a","redirectUrl":"http://x"}"#))
        #expect(
            try await sent { try await $0.magicLink.verify(token: "tok") }
                == Recorded("POST /v1/auth/magiclink/verify", "Bearer P1", #"{"token":"tok"}"#))
        #expect(
            try await sent { _ = try await $0.enchantedLink.signUpOrIn(loginId: "a", redirectURL: "http://x") }
                == Recorded(
                    "POST /v1/auth/enchantedlink/signup-in/email", "Bearer P1",
                    #"{"loginId":"a","redirectUrl":"http://x"}"#))
        #expect(
            try await sent { _ = try await $0.enchantedLink.checkForSession(pendingRef: "ref") }
                == Recorded(
                    "POST /v1/auth/enchantedlink/pending-session", "Bearer P1", #"{"pendingRef":"ref"}"#))
    }

    @Test func `authenticators and passwords`() async throws {
        #expect(
            try await sent { _ = try await $0.totp.signUp(loginId: "a", details: SignUpDetails(name: "A")) }
                == Recorded(
                    "POST /v1/auth/totp/signup", "Bearer P1", #"{"loginId":"a","user":{"name":"A"}}"#))
        #expect(
            try await sent { try await $0.totp.verify(loginId: "a", code: "123456") }
                == Recorded("POST /v1/auth/totp/verify", "Bearer P1", #"{"code":"123456","loginId":"a"}"#))
        #expect(
            try await sent({ _ = try await $0.totp.update(loginId: "a") }, isSignedIn: true)
                == Recorded("POST /v1/auth/totp/update", presented(), #"{"loginId":"a"}"#))
        #expect(
            try await sent { try await $0.password.signIn(loginId: "a", password: "pw") }
                == Recorded("POST /v1/auth/password/signin", "Bearer P1", #"{"loginId":"a","password":"pw"}"#))
        #expect(
            try await sent { try await $0.password.replace(loginId: "a", oldPassword: "o", newPassword: "n") }
                == Recorded(
                    "POST /v1/auth/password/replace", "Bearer P1",
                    #"{"loginId":"a","newPassword":"n","oldPassword":"o"}"#))
        #expect(
            try await sent({ try await $0.password.update(loginId: "a", newPassword: "n") }, isSignedIn: true)
                == Recorded(
                    "POST /v1/auth/password/update", presented(), #"{"loginId":"a","newPassword":"n"}"#))
        #expect(
            try await sent { try await $0.password.sendReset(loginId: "a") }
                == Recorded("POST /v1/auth/password/reset", "Bearer P1", #"{"loginId":"a"}"#))
        #expect(try await world.container().password.getPolicy().minLength == 8)
        #expect(try await world.service.last == Recorded("GET /v1/auth/password/policy", "Bearer P1", ""))
    }

    @Test func `the person, and programs`() async throws {
        let auth = try await world.signedIn()
        #expect(try await auth.profile.me().name == "Andy")
        #expect(try await world.service.last == Recorded("GET /v1/auth/me", presented(), ""))
        #expect(try await auth.profile.tenants(tenantIds: ["t1"]).map(\.id) == ["t1"])
        #expect(
            try await world.service.last
                == Recorded("POST /v1/auth/me/tenants", presented(), #"{"dct":false,"ids":["t1"]}"#))
        #expect(try await auth.profile.history().map(\.ip) == ["10.0.0.1"])
        #expect(try await world.service.last == Recorded("GET /v1/auth/me/history", presented(), ""))
        #expect(try await auth.accessKeys.exchange(accessKey: "AKEY").entityId == "K1")
        #expect(
            try await world.service.last == Recorded("POST /v1/auth/accesskey/exchange", "Bearer P1:AKEY", "{}"))
    }

    @Test func `a request says which client it comes from, honestly`() async throws {
        let auth = world.container()
        try await auth.otp.signIn(with: .email, loginId: "a")
        let headers = try #require(await world.service.requests.last).headers
        #expect(headers.first { $0.name == "x-descope-sdk-name" }?.value == "keyturn")
        #expect(headers.first { $0.name == "x-descope-project-id" }?.value == "P1")
        #expect(headers.first { $0.name == "Content-Type" }?.value == "application/json")
    }

    @Test(arguments: [
        ("P2abc", "https://api.descope.com"), (String(repeating: "P", count: 31), "https://api.descope.com"),
        ("Puse1" + String(repeating: "x", count: 27), "https://api.use1.descope.com"),
    ])
    func `long project identifiers name their region`(_ project: String, _ url: String) {
        #expect(Service.descope(projectID: project).issuer == url)
    }
}
