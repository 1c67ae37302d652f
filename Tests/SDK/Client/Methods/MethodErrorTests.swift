import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: refusals and silence")
struct MethodErrorTests {
    let world = MethodWorld()

    @Test func `the server's refusal arrives whole`() async throws {
        let problem = MethodProblem.wrongCode.saying("two tries left")
        await world.service.fail(
            "/v1/auth/otp/verify/email",
            .answer(FakeMethods.refusal(problem, headers: [("CF-Ray", "abc-FRA"), ("Retry-After", "3")])))
        let error = try #require(
            await #expect(throws: AuthError.self) {
                try await world.container().otp.verify(with: .email, loginId: "a", code: "000000")
            })
        #expect(error.code == .refused)
        #expect(error.methodCode == "E061102")
        #expect(
            error.server
                == .init(
                    status: 400, code: "E061102", description: "The code is wrong: two tries left",
                    traceID: "abc-FRA", retryAfterSeconds: 3))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 520, 530])
    func `a server in trouble has said nothing`(_ status: Int) async throws {
        await world.service.fail("/v1/auth/otp/signin/email", .answer(HTTPResponse(status: status)))
        await #expect(throws: AuthError(.unavailable, "")) {
            try await world.container().otp.signIn(with: .email, loginId: "a")
        }
    }

    @Test(arguments: [301, 302, 307, 407, 511])
    func `an answer of the network's own is none of the service's`(_ status: Int) async throws {
        await world.service.fail("/v1/auth/otp/signin/email", .answer(HTTPResponse(status: status)))
        let error = await #expect(throws: AuthError(.unavailable, "")) {
            try await world.container().otp.signIn(with: .email, loginId: "a")
        }
        #expect(error?.detail.contains("between this device and the service") == true)
    }

    @Test(arguments: [204, 404, 418])
    func `an answer of somebody else's is no answer`(_ status: Int) async throws {
        await world.service.fail("/v1/auth/otp/signin/email", .answer(HTTPResponse(status: status)))
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await world.container().otp.signIn(with: .email, loginId: "a")
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"sessionJwt":"a.b.c"}"#, #"{"sessionJwt":7}"#, "[]",
        // `iat` is missing.
        #"{"sessionJwt":"e30.eyJzdWIiOiJVMSIsImlzcyI6IlAxIiwiZXhwIjoxfQ.x","user":{"userId":"U1"}}"#,
    ])
    func `an answer without a usable session signs nobody in`(_ body: String) async throws {
        await world.service.fail(
            "/v1/auth/magiclink/verify", .answer(HTTPResponse(status: 200, body: Array(body.utf8))))
        let auth = world.container()
        await #expect(throws: AuthError(.protocolViolation, "")) { try await auth.magicLink.verify(token: "tok") }
        #expect(await auth.state == .unknown)
        #expect(await world.store.writes == 0)
    }

    @Test func `an authenticator's answer is checked and taken apart`() async throws {
        let auth = world.container()
        let made = try await auth.totp.signUp(loginId: "a")
        #expect(made.image == [0xFB, 0xFF])
        #expect(made.key == "ABC")
        await world.service.fail(
            "/v1/auth/totp/signup",
            .answer(
                HTTPResponse(
                    status: 200, body: Array(#"{"provisioningURL":"https://x","image":"+/8=","key":"A"}"#.utf8))))
        await #expect(throws: AuthError(.protocolViolation, "")) { try await auth.totp.signUp(loginId: "a") }
    }

    @Test func `a user whose status is new is not taken for enabled`() {
        let user = UserAnswer(
            userID: "U", loginIDs: [], status: .init(rawValue: "frozen"), createdTime: UnixTime(rawValue: 0))
        #expect(UserDetails(user).status == .unknown("frozen"))
        let expired = UserAnswer(userID: "U", loginIDs: [], status: .expired, createdTime: UnixTime(rawValue: 0))
        #expect(UserDetails(expired).status == .expired)
    }

    @Test func `nothing secret is printed`() async throws {
        let auth = world.container()
        let link = try await auth.enchantedLink.signIn(loginId: "a@example.com")
        let authenticator = try await auth.totp.signUp(loginId: "a@example.com")
        let response = try await auth.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        var text = ""
        dump((link, authenticator, response, ManagedSession(from: response)), to: &text)
        text += "\(link) \(authenticator) \(response) \(response.user)" + String(reflecting: response.sessionToken)
        for secret in ["eyJ", "a@example.com", "ABC", "pendingRef: ref", "\"ref\"", "Andy", "otpauth"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }
}
