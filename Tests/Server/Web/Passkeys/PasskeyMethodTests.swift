import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("D8: passkeys of this server's users, over the methods' wire")
struct PasskeyMethodTests {
    /// An app with its user's device.
    struct App {
        let server: TestServer
        var device: SoftwareAuthenticator
        static let origin = "https://app.example"

        init() async throws {
            guard let policy = try? WebAuthnPolicy(rpID: "app.example", rpName: "App", origins: [Self.origin]) else {
                preconditionFailure("a policy that can be met")
            }
            server = try await TestServer.start(relyingParties: [RelyingParty(policy: policy)])
            device = SoftwareAuthenticator(seed: Array("app".utf8))
        }

        func start(_ call: String, _ loginID: String, _ more: [String: JSONValue] = [:], refresh: String? = nil)
            async throws -> EndpointAnswer
        {
            var body = more
            body["loginId"] = .string(loginID)
            body["origin"] = .string(Self.origin)
            return try await server.call("webauthn/\(call)/start", .object(body), refresh: refresh)
        }

        /// Does what the options ask for, and ends the ceremony.
        mutating func finish(
            _ started: EndpointAnswer, as call: String? = nil, options other: String? = nil, refresh: String? = nil
        ) async throws -> EndpointAnswer {
            let transaction = started.json["transactionId"] ?? .null
            let text = other ?? started.json["options"]?.stringValue ?? "{}"
            let options = try JSONValue(parsing: text.utf8)["publicKey"] ?? .null
            let creates = started.json["create"] == true
            let response =
                creates
                ? try device.register(PublicKeyCredentialCreationOptions(json: options)).json
                : try device.authenticate(PublicKeyCredentialRequestOptions(json: options)).json
            let written = String(decoding: response.serialized, as: UTF8.self)
            return try await server.call(
                "webauthn/\(call ?? (creates ? "signup" : "signin"))/finish",
                ["transactionId": transaction, "response": .string(written)], refresh: refresh)
        }
    }

    @Test func `sign up, sign in, sign up or in, by name and without one`() async throws {
        var app = try await App()
        let started = try await app.start(
            "signup", "bea@example.com", ["user": ["name": "Bea", "email": "bea@example.com"]])
        #expect(started.status == 200 && started.json["create"] == true)
        #expect(try await app.server.account("bea@example.com") == nil, "nobody exists before the proof")
        let session = try await app.finish(started)
        #expect(session.status == 200 && session.json["firstSeen"] == true && session.json["user"]?["webauthn"] == true)
        #expect(session.json["user"]?["verifiedEmail"] == false && session.json["user"]?["name"] == "Bea")
        #expect(session.methods == ["webauthn", "mfa"], "a passkey that verified its user is two factors")
        for call in ["signin", "signup-in"] {
            let again = try await app.finish(try await app.start(call, "BEA@example.com"))
            #expect(again.status == 200 && again.json["firstSeen"] == false)
            #expect(again.json["user"]?["userId"] == session.json["user"]?["userId"])
        }
        let anybody = try await app.start("signin", "")
        #expect(anybody.json["options"]?.stringValue?.contains("\"allowCredentials\":[]") == true)
        #expect(try await app.finish(anybody).json["user"]?["userId"] == session.json["user"]?["userId"])
        #expect(try await app.finish(try await app.start("signup-in", "carl")).json["firstSeen"] == true)
        #expect(try await app.start("signup", "bea@example.com").errorCode == "E062107")
        await app.server.stop()
    }

    @Test func `another passkey needs a session, and the strong factor where there is one`() async throws {
        var app = try await App()
        let session = try await app.server.signUpByCode("bea@example.com")
        #expect(try await app.start("update", "bea@example.com").status == 401)
        let started = try await app.start("update", "bea@example.com", refresh: session.refreshJWT)
        #expect(try await app.finish(started, as: "update").json == [:])
        #expect(try await app.finish(started, as: "update").status != 200, "answered before")
        #expect(try await app.server.message(to: "bea@example.com").kind == .passkeyAdded)
        let strange = try await app.start("update", TestServer.username, refresh: session.refreshJWT)
        #expect(strange.status == 400, "somebody else's name")
        let beside = try await app.start("update", "bea@example.com", refresh: session.refreshJWT)
        #expect(beside.errorCode == "E011003", "a session without the passkey adds no other one")
        let totp = try await app.server.call("totp/update", ["loginId": "bea@example.com"], refresh: session.refreshJWT)
        #expect(totp.errorCode == "E011003", "nor an authenticator")
        let strong = try await app.finish(try await app.start("signin", "bea@example.com"))
        let again = try await app.start("update", "bea@example.com", refresh: strong.refreshJWT)
        #expect(throws: SoftwareAuthenticator.Refusal.excluded) {
            let text = again.json["options"]?.stringValue ?? ""
            let options = try JSONValue(parsing: text.utf8)["publicKey"] ?? .null
            _ = try app.device.register(PublicKeyCredentialCreationOptions(json: options))
        }
        await app.server.stop()
    }

    @Test func `8: a name that nobody has, or that has no passkey, gets the same answer as every other`() async throws {
        var app = try await App()
        _ = try await app.finish(try await app.start("signup", "bea@example.com"))
        var shapes: Set<[String]> = []
        for name in ["bea@example.com", TestServer.username, "nobody@example.com"] {
            let answers = [try await app.start("signin", name), try await app.start("signin", name)]
            let options = try answers.map {
                try JSONValue(parsing: ($0.json["options"]?.stringValue ?? "").utf8)["publicKey"] ?? .null
            }
            #expect(options[0]["allowCredentials"] == options[1]["allowCredentials"])
            #expect(options[0]["allowCredentials"]?.arrayValue?.isEmpty == false && answers[0].status == 200)
            shapes.insert(options[0].objectValue?.keys.sorted() ?? [])
        }
        #expect(shapes.count == 1)
        await app.server.stop()
    }

    @Test func `a transaction is as long for nobody as for somebody, and signing up or in is paid for either way`()
        async throws
    {
        var app = try await App()
        _ = try await app.finish(try await app.start("signup", "bea@example.com"))
        let known = try await app.start("signin", "bea@example.com").json["transactionId"]?.stringValue
        let unknown = try await app.start("signin", "abe@example.com").json["transactionId"]?.stringValue
        #expect(known?.utf8.count == unknown?.utf8.count)
        for _ in 0..<Limits.sendsPerNetworkMax { _ = try await app.start("signup-in", "bea@example.com") }
        #expect(try await app.start("signup-in", "bea@example.com").status == 429)
        #expect(try await app.start("signup-in", "abe@example.com").status == 429)
        await app.server.stop()
    }

    @Test func `93: what a stranger put on an address is gone when its owner proves it`() async throws {
        var stranger = try await App()
        let taken = try await stranger.finish(try await stranger.start("signup", "bea@example.com"))
        #expect(taken.status == 200)
        let owner = try await stranger.server.signInByCode("bea@example.com")
        #expect(owner.status == 200 && owner.json["user"]?["webauthn"] == false)
        let back = try await stranger.start("signin", "")
        #expect(try await stranger.finish(back).status == 401)
        #expect(try await stranger.server.call("refresh", [:], refresh: taken.refreshJWT).status == 401)
        await stranger.server.stop()
    }

    @Test func `a transaction ends with its kind, its answer, its session and its time`() async throws {
        var app = try await App()
        let session = try await app.server.signUpByCode("bea@example.com")
        let update = try await app.start("update", "bea@example.com", refresh: session.refreshJWT)
        #expect(try await app.finish(update, as: "signup").status == 401, "of another kind")
        _ = try await app.server.call("logout", [:], refresh: session.refreshJWT)
        #expect(try await app.finish(update, as: "update").status == 401, "the session that began it is over")

        let first = try await app.start("signup", "carl")
        let second = try await app.start("signup", "dora")
        let swapped = try await app.finish(first, options: second.json["options"]?.stringValue)
        #expect(swapped.status == 401, "the challenge of another transaction")
        app.server.clock.advance(300 + Limits.passkeyAnswerSeconds)
        #expect(try await app.finish(second).status == 401, "too late")
        #expect(try await app.server.account("dora") == nil)
        await app.server.stop()
    }

    @Test func `a passkey without user verification is one factor, and management takes all of them away`() async throws
    {
        var app = try await App()
        app.device.behaviour.isUserVerified = false
        let session = try await app.finish(try await app.start("signup", "bea@example.com"))
        #expect(session.methods == ["webauthn"])
        app.device.behaviour.isUserVerified = true
        let later = try await app.finish(try await app.start("signin", "bea@example.com"))
        #expect(later.methods == ["webauthn"], "whoever found the key may have set its PIN")
        let body: JSONValue = ["loginId": "bea@example.com"]
        #expect(try await app.server.manage("user/passkeys/delete", body).status == 200)
        #expect(try await app.finish(try await app.start("signin", "")).status == 401)
        #expect(try await app.server.account("bea@example.com")?.hasPasskey == false)
        let again = try await app.finish(try await app.start("signup", "carl"))
        let listed = try await app.server.manage("user/passkeys/list", ["loginId": "carl"])
        let id = listed.json["passkeys"]?.arrayValue?.first?["credentialId"] ?? .null
        let removal: JSONValue = ["loginId": "carl", "credentialId": id]
        #expect(again.status == 200)
        #expect(try await app.server.manage("user/passkey/delete", removal).status == 200)
        #expect(try await app.server.manage("user/passkey/delete", removal).status == 400)
        await app.server.stop()
    }

    @Test func `an authenticator that came between start and finish is asked for`() async throws {
        var app = try await App()
        let session = try await app.server.signUpByCode("bea@example.com")
        let started = try await app.start("update", "bea@example.com", ["mfa": true], refresh: session.refreshJWT)
        let prover = try await app.server.call(
            "totp/update", ["loginId": "bea@example.com"], refresh: session.refreshJWT)
        let key = try #require(TOTPSecret(typed: Secret(prover.json["key"]?.stringValue ?? "")))
        let code = TOTPCode(key).code(at: app.server.clock.now).exposed()
        _ = try await app.server.call("totp/verify", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(try await app.finish(started, as: "update").errorCode == "E011003")
        #expect(try await app.server.account("bea@example.com")?.hasPasskey == false)
        await app.server.stop()
    }

    @Test func `another passkey can be the second factor of the session that adds it`() async throws {
        var app = try await App()
        let session = try await app.server.signUpByCode("bea@example.com")
        let started = try await app.start("update", "bea@example.com", ["mfa": true], refresh: session.refreshJWT)
        let answer = try await app.finish(started, as: "update")
        let token = answer.json["jwt"]?["sessionJwt"]?.stringValue ?? ""
        #expect(TestServer.claims(Secret(token))["amr"] == ["email", "webauthn", "mfa"])
        await app.server.stop()
    }

    @Test func `a step-up tells nobody whose name there is`() async throws {
        let app = try await App()
        let session = try await app.server.signUpByCode("bea@example.com")
        for name in [TestServer.username, "nobody@example.com"] {
            let answer = try await app.start(
                "signin", name, ["loginOptions": ["stepup": true]], refresh: session.refreshJWT)
            #expect(answer.status == 400 && answer.errorCode == "E011004")
        }
        await app.server.stop()
    }

    @Test func `a page that is nobody's gets no ceremony`() async throws {
        let app = try await App()
        let answer = try await app.server.call(
            "webauthn/signin/start", ["loginId": "bea", "origin": "https://evil.example"])
        #expect(answer.status == 400 && answer.errorCode == "E011003")
        await app.server.stop()
    }
}
