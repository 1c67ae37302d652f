import ArgumentParser
import Keyturn
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Client commands")
struct ClientCommandTests {
    @Test(arguments: [
        (AuthError.Code.unavailable, Int32(3)), (.signedOut, 2), (.sessionEnded, 2), (.tokenExpired, 2),
        (.cancelled, 2), (.refused, 2), (.misconfigured, 2), (.unsupported, 2),
        (.interactionRequired, 2), (.storeUnavailable, 1),
        (.protocolViolation, 1), (.tokenSignature, 1),
    ])
    func `every error has its exit code and a whole sentence`(_ code: AuthError.Code, _ exitCode: Int32) {
        let failure = ClientFailure.failure(for: AuthError(code, "the detail"))
        #expect(failure.code == exitCode)
        #expect(failure.sentence.hasSuffix("."))
    }

    @Test func `the service's own words are passed on`() {
        let answer = AuthError.ServerAnswer(status: 400, code: "invalid_target", description: "no such API")
        let failure = ClientFailure.failure(for: AuthError(.refused, "detail", server: answer))
        #expect(failure.sentence == "the service refuses: invalid_target: no such API.")
    }

    @Test(arguments: ["abc", "abc\n", "  abc \r\n"])
    func `a token is read from standard input, whatever surrounds it`(_ input: String) throws {
        #expect(try VerifyCommand.token(Array(input.utf8)) == "abc")
    }

    @Test(arguments: ["", "\n", "a b", "a\nb"])
    func `no token, or more than one, is refused`(_ input: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try VerifyCommand.token(Array(input.utf8)) }
        #expect(failure.code == 2)
    }

    static func token(audience: JSONValue) -> String {
        let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
        return header + "." + Base64URL.encode(JSONValue.object(["aud": audience]).serialized) + ".AAAA"
    }

    @Test func `a token for somebody else is noticed before it is used`() {
        #expect(TokenCommand.missing(["a"], in: Self.token(audience: "a")).isEmpty)
        #expect(TokenCommand.missing(["a", "b"], in: Self.token(audience: ["b", "a", "c"])).isEmpty)
        #expect(TokenCommand.missing(["a", "b"], in: Self.token(audience: "a")) == ["b"])
        #expect(TokenCommand.missing(["a"], in: Self.token(audience: [])) == ["a"])
        #expect(TokenCommand.missing([], in: Self.token(audience: "a")).isEmpty)
        #expect(TokenCommand.missing(["a"], in: "opaque").isEmpty)
    }

    @Test func `a name cannot move the cursor`() {
        let text = WhoamiCommand.text(
            ["sub": "1", "name": "A\u{1B}[2Jnn\na\u{202E}", "email": "a@example.com"], issuer: "https://id")
        #expect(text == "a@example.com\nname     A[2Jnna\nsubject  1\nissuer   https://id\n")
    }

    @Test func `a code for another device goes without a browser on this one`() async throws {
        #expect(LoginCommand.helpMessage().contains("--device"))
        for other in [["--no-browser"], ["--fresh"], ["--method", "otp"]] {
            let command = try LoginCommand.parse(["--issuer", "https://id.example.com", "--device"] + other)
            let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
            #expect(failure?.code == 2 && failure?.sentence.contains("--device goes without") == true)
        }
    }

    @Test(arguments: [["--min-ttl", "-1"], ["--min-ttl", "86401"], ["--min-ttl", "soon"]])
    func `a lifetime that makes no sense is refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try TokenCommand.parse(arguments) }
    }
}
