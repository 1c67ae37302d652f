import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Passkeys with tokens: every failure by its names")
struct PasskeyErrorTests {
    let world = PasskeyWorld()
    let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [1]))

    /// The failure of a registration, as callers get it who prefer a value.
    private func failure(_ authenticator: (any PasskeyAuthenticator)? = nil) async throws -> AuthError {
        let auth = world.container(authenticator ?? device)
        let result = await Result { try await auth.passkeys.startRegister(username: "a@b") }
        switch result {
        case .success: throw AuthError(.protocolViolation, "this was to fail")
        case .failure(let error): return error
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let response: HTTPResponse
        let code: AuthError.Code
        let web: PasskeyClientCode
        let native: PasskeyError.Native
        var testDescription: String { name }

        init(
            _ name: String, _ response: HTTPResponse, _ code: AuthError.Code, _ web: PasskeyClientCode,
            _ native: PasskeyError.Native
        ) {
            (self.name, self.response, self.code, self.web, self.native) = (name, response, code, web, native)
        }
    }

    private static let table: [Case] = [
        Case("400 and an envelope", FakePasskeyService.refusal(.invalidInput), .refused, .badRequest, .badRequest),
        Case(
            "200 and a refusal", FakePasskeyService.refusal(.tokenExpired, status: 200), .refused, .badRequest,
            .badRequest),
        Case("429", FakePasskeyService.refusal("Slow", status: 429), .unavailable, .badRequest, .badRequest),
        Case(
            "500 and an envelope", FakePasskeyService.refusal("Oops", status: 500), .unavailable, .serverError,
            .serverError),
        Case(
            "502 and a page", FakePasskeyService.body("<html>", status: 502), .unavailable, .serverError, .serverError),
        Case(
            "404 and a page", FakePasskeyService.body("<html>", status: 404), .protocolViolation, .badRequest,
            .malformedResponse),
        Case(
            "302", FakePasskeyService.body("", status: 302), .unavailable, .badRequest, .malformedResponse),
        Case("200 and a page", FakePasskeyService.body("<html>"), .unavailable, .unexpected, .malformedResponse),
        Case(
            "200 without result", FakePasskeyService.body(#"{"result":null,"errors":[]}"#), .protocolViolation,
            .unexpected, .malformedResponse),
        Case(
            "options without a key", FakePasskeyService.body(#"{"result":{}}"#), .protocolViolation, .unexpected,
            .malformedResponse),
        Case(
            "options without a challenge",
            FakePasskeyService.body(#"{"result":{"publicKey":{"rp":{"id":"x","name":"x"},"user":{"id":"AQ"}}}}"#),
            .protocolViolation, .unexpected, .malformedResponse),
        Case(
            "options without the relying party's name",
            FakePasskeyService.body(
                #"{"result":{"publicKey":{"rp":{"id":"x"},"user":{"id":"AQ"},"challenge":"AQ"}}}"#),
            .protocolViolation, .unexpected, .malformedResponse),
    ]

    @Test(arguments: table) func `what the service answers has its meaning`(_ row: Case) async throws {
        await world.service.fail(.attestationOptions, .answer(row.response))
        let error = try await failure()
        #expect(error.code == row.code)
        #expect(error.passkeyCode == row.web)
        #expect(error.passkey?.native == row.native)
        #expect(await device.ceremonies.isEmpty, "nobody was asked")
    }

    @Test(arguments: PasskeyErrorCode.known)
    func `the service's code and message reach the app`(_ code: PasskeyErrorCode) async throws {
        await world.service.fail(.attestationProcess, .answer(FakePasskeyService.refusal(code, status: 403)))
        let error = try await failure()
        #expect(error.server?.code == code.rawValue)
        #expect(error.server?.description == "because of \(code.rawValue)")
        #expect(error.server?.status == 403)
        #expect(error.passkey?.errors.map(\.code) == [code])
        #expect(error.passkeyCode == .badRequest)
    }

    @Test func `a network that is down is told from a service that takes too long`() async throws {
        await world.service.fail(.attestationOptions, .unreachable)
        let down = try await failure()
        #expect(down.code == .unavailable)
        #expect(down.passkeyCode == .networkError)
        #expect(down.passkey?.native == .networkInterruption)
        let gate = Gate()
        await world.service.fail(.attestationOptions, .held(gate))
        struct Slow: HTTPTransport {
            let clock: VirtualClock
            func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
                clock.advance(Int64(request.timeoutSeconds))
                throw AuthError(.unavailable, "the server took too long")
            }
        }
        let auth = Keyturn(
            .snapAuth(publishableKey: "pubkey_x"), storage: .memory, authenticator: device,
            transport: Slow(clock: world.clock), ambient: world.clock.ambient)
        let error = await #expect(throws: AuthError.self) { try await auth.passkeys.startAuth(.id("1")) }
        #expect(error?.code == .unavailable)
        #expect(error?.passkeyCode == .timeout)
    }

    @Test(arguments: [
        (AuthError.passkeyCancelled("x"), AuthError.Code.cancelled, PasskeyClientCode.canceledByUser),
        (.passkeyTimeout, .passkeyTimeout, .timeout),
        (.passkey(.passkeyDomain, .invalidDomain, .failed, "x"), .passkeyDomain, .invalidDomain),
        (.passkeyUnavailable("x"), .passkeyUnavailable, .webauthnUnavailable),
        (.passkeyNeedsPrompt("x"), .passkeyUnavailable, .apiUnsupported),
        (
            .passkey(.passkeyExcluded, .unexpected, .matchedExcludedCredential, "x"), .passkeyExcluded, .unexpected
        ),
    ])
    func `what the authenticator says reaches the app`(
        _ thrown: AuthError, _ code: AuthError.Code, _ web: PasskeyClientCode
    ) async throws {
        let error = try await failure(ScriptedAuthenticator([.fail(thrown)], then: device))
        #expect(error.code == code)
        #expect(error.passkeyCode == web)
        #expect(await world.service.requests.count == 1, "nothing is sent of a ceremony that failed")
    }

    @Test func `where there is nothing, that is what is said`() async throws {
        let nothing = try await failure(NoAuthenticator())
        #expect(nothing.passkeyCode == .webauthnUnavailable)
        let auth = world.container(NoAuthenticator())
        let autofill = await #expect(throws: AuthError.self) { try await auth.passkeys.handleAutoFill() }
        #expect(autofill?.passkeyCode == .apiUnsupported)
        let upgrade = await #expect(throws: AuthError.self) { try await auth.passkeys.upgrade(username: "a") }
        #expect(upgrade?.passkeyCode == .apiUnsupported)
        #expect(await auth.passkeys.availability == .none)
    }

    @Test func `a service without tokens or without methods says which it lacks`() async throws {
        let methods = Keyturn(.descope(projectID: "P1"), storage: .memory, authenticator: device)
        let tokens = await #expect(throws: AuthError.self) { try await methods.passkeys.startAuth(.id("1")) }
        #expect(tokens?.code == .unsupported)
        #expect(tokens?.detail.contains("publishable key") == true)
        let auth = world.container(device)
        let sessions = await #expect(throws: AuthError.self) { try await auth.passkeys.signIn(loginId: "a") }
        #expect(sessions?.code == .unsupported)
        #expect(sessions?.detail.contains("snapauth") == true)
    }

    @Test(arguments: ["secret_x", "pubkey_", "", "pubkey_a b", "pubkey_a:b", "PUBKEY_x"])
    func `a key of the wrong kind is never sent`(_ key: String) async throws {
        let auth = Keyturn(
            .snapAuth(publishableKey: key, host: FakePasskeyService.host), storage: .memory, authenticator: device,
            transport: world.service)
        await #expect(throws: AuthError(.misconfigured, "")) { try await auth.passkeys.startAuth(.id("1")) }
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `a host that is not safe is never asked`() async throws {
        for host in ["http://api.example.com", "ftp://x", "https://user@x", "https://x?y"] {
            let auth = Keyturn(
                .snapAuth(publishableKey: "pubkey_x", host: host), storage: .memory, authenticator: device,
                transport: world.service)
            await #expect(throws: AuthError(.misconfigured, "")) { try await auth.passkeys.startAuth(.id("1")) }
        }
        #expect(await world.service.requests.isEmpty)
    }
}
