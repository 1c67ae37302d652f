import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Callbacks, RFC 6749 §4.1.2 and RFC 9207")
struct CallbackTests {
    struct Bend: Sendable, CustomTestStringConvertible {
        let name: String
        let code: AuthError.Code
        let bend: @Sendable (String) throws -> String
        var testDescription: String { name }
    }

    static func parameters(_ url: String, _ change: (inout [String: String]) -> Void) throws -> String {
        var values = Dictionary(uniqueKeysWithValues: try AuthorizeTests.query(url).all.map { ($0.name, $0.value) })
        change(&values)
        var form = FormParameters()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return World.redirectURI + "?" + form.encoded
    }

    static func refusal(_ error: String) -> @Sendable (String) throws -> String {
        { url in
            try parameters(url) {
                $0["code"] = nil
                $0["error"] = error
            }
        }
    }

    static let bends = [
        Bend(name: "wrong state", code: .callbackMismatch) { try parameters($0) { $0["state"] = "x" } },
        Bend(name: "no state", code: .callbackMismatch) { try parameters($0) { $0["state"] = nil } },
        Bend(name: "state twice", code: .callbackMismatch) { $0 + "&state=x" },
        Bend(name: "code twice", code: .callbackMismatch) { $0 + "&code=x" },
        Bend(name: "wrong iss (mix-up)", code: .callbackMismatch) {
            try parameters($0) { $0["iss"] = "https://evil.example.com" }
        },
        Bend(name: "wrong iss on an error", code: .callbackMismatch) {
            try parameters(try refusal("access_denied")($0)) { $0["iss"] = "https://evil.example.com" }
        },
        Bend(name: "another redirect URI", code: .callbackMismatch) { "myapp://other" + $0.dropFirst(16) },
        Bend(name: "a longer path", code: .callbackMismatch) { "myapp://callback/x" + $0.dropFirst(16) },
        Bend(name: "neither code nor error", code: .callbackMismatch) { try parameters($0) { $0["code"] = nil } },
        Bend(name: "in the fragment", code: .callbackMismatch) { World.redirectURI + "#" + $0.dropFirst(17) },
        Bend(name: "bad escapes", code: .callbackMismatch) { $0 + "&x=%zz" },
        Bend(name: "too long", code: .callbackMismatch) { $0 + "&x=" + String(repeating: "a", count: 40_000) },
        Bend(name: "another code", code: .refused) { try parameters($0) { $0["code"] = "stolen" } },
        Bend(name: "access_denied", code: .cancelled, bend: refusal("access_denied")),
        Bend(name: "cancel", code: .cancelled, bend: refusal("cancel")),
        Bend(name: "cancelled at Apple", code: .cancelled, bend: refusal("user_cancelled_authorize")),
        Bend(name: "cancelled at LinkedIn", code: .cancelled, bend: refusal("user_cancelled_login")),
        Bend(name: "login_required", code: .interactionRequired, bend: refusal("login_required")),
        Bend(name: "temporarily_unavailable", code: .unavailable, bend: refusal("temporarily_unavailable")),
        Bend(name: "invalid_scope", code: .refused, bend: refusal("invalid_scope")),
    ]

    @Test(arguments: bends)
    func `a callback that is not the right one signs nobody in`(_ bend: Bend) async throws {
        let world = try World()
        let auth = world.container(bend: bend.bend)
        await #expect(throws: AuthError(bend.code, "")) { try await auth.authorize(redirectURI: World.redirectURI) }
        #expect(try await auth.start() == .signedOut)
        #expect(await world.store.writes == 0)
    }

    @Test func `a missing iss counts when the service promised one`() async throws {
        let world = try World()
        let strip: @Sendable (String) throws -> String = { try Self.parameters($0) { $0["iss"] = nil } }
        _ = try await world.container("lenient", bend: strip).authorize(redirectURI: World.redirectURI)
        await world.service.set { $0.metadata["authorization_response_iss_parameter_supported"] = true }
        let strict = world.container("strict", bend: strip)
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await strict.authorize(redirectURI: World.redirectURI)
        }
    }

    @Test func `what the service says of a refusal is kept, without control characters`() async throws {
        let world = try World()
        let auth = world.container {
            try Self.parameters($0) {
                $0["code"] = nil
                $0["error"] = "invalid_scope"
                $0["error_description"] = "no\r\nSet-Cookie: x"
            }
        }
        let error = await #expect(throws: AuthError.self) { try await auth.authorize(redirectURI: World.redirectURI) }
        #expect(error?.server?.code == "invalid_scope")
        #expect(error?.server?.description == "noSet-Cookie: x")
    }

    @Test func `two sign-ins under way do not disturb each other, and each callback counts once`() async throws {
        let world = try World()
        let auth = world.container()
        let options = SignInOptions(redirectURI: World.redirectURI)
        let first = try await world.service.follow(try await auth.startAuthorization(options))
        let second = try await world.service.follow(try await auth.startAuthorization(options))
        try await auth.finishAuthorization(callbackURL: second)
        try await auth.finishAuthorization(callbackURL: first)
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await auth.finishAuthorization(callbackURL: first)
        }
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a callback after ten minutes is too late`() async throws {
        let world = try World()
        let auth = world.container()
        let options = SignInOptions(redirectURI: World.redirectURI)
        let intime = try await world.service.follow(try await auth.startAuthorization(options))
        let late = try await world.service.follow(try await auth.startAuthorization(options))
        world.clock.advance(599)
        try await auth.finishAuthorization(callbackURL: intime)
        world.clock.advance(1)
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await auth.finishAuthorization(callbackURL: late)
        }
    }
}
