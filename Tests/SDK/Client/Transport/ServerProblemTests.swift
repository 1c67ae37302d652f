import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Refusals in the words of different servers")
struct ServerProblemTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let body: String
        var code = AuthError.Code.refused
        let word: String?
        var words: String?
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(
            name: "RFC 6749", status: 400, body: #"{"error":"invalid_grant","error_description":"gone"}"#,
            word: "invalid_grant", words: "gone"),
        Refusal(name: "Slack", status: 200, body: #"{"ok":false,"error":"invalid_code"}"#, word: "invalid_code"),
        Refusal(
            name: "GitHub", status: 200,
            body: #"{"error":"bad_verification_code","error_description":"The code passed is incorrect or expired."}"#,
            word: "bad_verification_code", words: "The code passed is incorrect or expired."),
        Refusal(
            name: "a 200 that will pass", status: 200, body: #"{"error":"temporarily_unavailable"}"#,
            code: .unavailable, word: "temporarily_unavailable"),
        Refusal(
            name: "Authgear", status: 400, body: #"{"error":{"reason":"InvalidCredentials","message":"no"}}"#,
            word: "InvalidCredentials", words: "no"),
        Refusal(
            name: "Microsoft Graph", status: 403,
            body: #"{"error":{"code":"Authorization_RequestDenied","message":"Insufficient privileges"}}"#,
            word: "Authorization_RequestDenied", words: "Insufficient privileges"),
        Refusal(
            name: "Firebase", status: 400,
            body: #"{"error":{"code":400,"message":"TOKEN_EXPIRED","status":"INVALID_ARGUMENT"}}"#,
            word: "TOKEN_EXPIRED", words: "TOKEN_EXPIRED"),
        Refusal(
            name: "Facebook", status: 400,
            body: #"{"error":{"message":"Error validating access token","type":"OAuthException","code":190}}"#,
            word: "OAuthException", words: "Error validating access token"),
        Refusal(
            name: "Cognito", status: 400,
            body: #"{"__type":"NotAuthorizedException","message":"Refresh Token has been revoked"}"#,
            word: "NotAuthorizedException", words: "Refresh Token has been revoked"),
        Refusal(
            name: "Cognito with the module", status: 400, body: #"{"__type":"com.amazon#UserNotFoundException"}"#,
            word: "UserNotFoundException"),
        Refusal(
            name: "Cognito, too often", status: 400, body: #"{"__type":"TooManyRequestsException"}"#,
            code: .unavailable, word: "TooManyRequestsException"),
        Refusal(
            name: "Okta", status: 401, body: #"{"errorCode":"E0000011","errorSummary":"Invalid token provided"}"#,
            word: "E0000011", words: "Invalid token provided"),
        Refusal(name: "a 401 without words", status: 401, body: "{}", word: nil),
        Refusal(name: "a gateway", status: 400, body: #"{"message":"nope"}"#, code: .protocolViolation, word: nil),
    ]

    @Test(arguments: refusals)
    func `the server's code and words are kept`(_ refusal: Refusal) {
        let response = HTTPResponse(status: refusal.status, body: Array(refusal.body.utf8))
        let error = #expect(throws: AuthError(refusal.code, "")) { try Exchange.answer(response) }
        #expect(
            error?.server
                == AuthError.ServerAnswer(status: refusal.status, code: refusal.word, description: refusal.words))
    }

    @Test(arguments: [
        #"{"access_token":"a","error":"deprecated"}"#, #"{"sub":"u","error":"none"}"#, #"{"error":null}"#,
        #"{"error":""}"#, #"{"error":false,"expires_in":60}"#, #"{"errorCode":"E1"}"#, "\u{FEFF}{}", "",
    ])
    func `what names no error, or holds what was asked for, is an answer`(_ body: String) throws {
        _ = try Exchange.answer(HTTPResponse(status: 200, body: Array(body.utf8)))
    }

    @Test func `a sign-in tells what the service said, with status 200 too`() async throws {
        let world = try World()
        await world.service.fail(
            "/token", .answer(FakeService.json(["ok": false, "error": "invalid_code"])))
        let error = await #expect(throws: AuthError(.refused, "")) {
            try await world.container().authorize(redirectURI: World.redirectURI)
        }
        #expect(error?.server == AuthError.ServerAnswer(status: 200, code: "invalid_code"))
    }
}
