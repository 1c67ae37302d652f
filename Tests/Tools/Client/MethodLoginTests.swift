import ArgumentParser
import Foundation
import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Synchronization
import Testing

@testable import keyturn

@Suite("Client commands: signing in without a browser")
struct MethodLoginTests {
    /// A service that answers by path, each answer once and the last one for ever, and notes what it was asked.
    final class Service: HTTPTransport {
        private let answers: Mutex<[String: [(status: Int, body: JSONValue)]]>
        let asked = Mutex<[(path: String, body: JSONValue)]>([])

        init(_ answers: [String: [(status: Int, body: JSONValue)]]) {
            self.answers = Mutex(answers)
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            let path = URL(string: request.url)?.path ?? ""
            let body = (try? JSONValue(parsing: request.body ?? [])) ?? .null
            asked.withLock { $0.append((path, body)) }
            let answer = answers.withLock { answers -> (status: Int, body: JSONValue)? in
                guard let queue = answers[path], let first = queue.first else { return nil }
                if queue.count > 1 { answers[path] = Array(queue.dropFirst()) }
                return first
            }
            return HTTPResponse(
                status: answer?.status ?? 404, headers: [("Content-Type", "application/json")],
                body: (answer?.body ?? [:]).serialized)
        }

        var paths: [String] { asked.withLock { $0.map(\.path) } }
    }

    /// Somebody who types these lines.
    final class Typist: Sendable {
        private let lines: Mutex<[String]>

        init(_ lines: [String]) { self.lines = Mutex(lines) }

        func next() -> String? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    static func token(_ kind: String) -> String {
        let now = Ambient.live.now().rawValue
        let payload: JSONValue = [
            "iss": "https://id.example.com/P1", "sub": "U1", "iat": .integer(now), "exp": .integer(now + 600),
            "drn": .string(kind),
        ]
        return "e30.\(Base64URL.encode(payload.serialized)).AAAA"
    }

    static let session: (status: Int, body: JSONValue) = {
        var user = UserAnswer(
            userID: "U1", loginIDs: ["a@b.cd"], status: .enabled, createdTime: UnixTime(rawValue: 1_700_000_000))
        user.email = "a@b.cd"
        let answer = SessionAnswer(
            sessionJWT: Secret(token("DS")), refreshJWT: Secret(token("DSR")), firstSeen: true, user: user)
        return (200, answer.json)
    }()
    static let sent: (status: Int, body: JSONValue) = (200, ["maskedEmail": "a*@b.cd"])
    static let wrong: (status: Int, body: JSONValue) = (
        400, ["errorCode": "E061102", "errorDescription": "The code is wrong"]
    )

    private func login(
        _ arguments: [String], _ service: Service, typing lines: [String] = [], atTerminal: Bool = false
    ) async throws -> AuthenticationResponse {
        let options = try MethodOptions.parse(arguments)
        let auth = Keyturn(
            .keyturn(issuer: "https://id.example.com", clientID: "cli", projectID: "P1"), storage: .memory,
            transport: service)
        let typist = Typist(lines)
        let login = MethodLogin(
            auth: auth, options: options, method: try #require(options.method),
            console: MethodConsole(isTerminal: atTerminal, nextLine: { typist.next() }))
        let response = try await login.run()
        #expect(try await !auth.accessToken(minimumSeconds: 0).isEmpty, "the session is kept")
        return response
    }

    @Test func `a code: asked for, sent, read from standard input, verified`() async throws {
        let service = Service(["/v1/auth/otp/signin/email": [Self.sent], "/v1/auth/otp/verify/email": [Self.session]])
        let response = try await login(
            ["--method", "otp", "--login-id", "a@b.cd"], service, typing: [" 123 456 "])
        #expect(response.user.userId == "U1")
        #expect(service.paths == ["/v1/auth/otp/signin/email", "/v1/auth/otp/verify/email"])
        #expect(service.asked.withLock { $0.last?.body["code"] } == "123456")
    }

    @Test func `a phone number gets its code by text message, and an account if that was asked for`() async throws {
        let service = Service([
            "/v1/auth/otp/signup-in/sms": [(200, ["maskedPhone": "+45*78"])], "/v1/auth/otp/verify/sms": [Self.session],
        ])
        _ = try await login(["--method", "otp", "--sign-up"], service, typing: ["+4512345678", "123456"])
        #expect(service.paths.first == "/v1/auth/otp/signup-in/sms")
    }

    @Test func `at a terminal a wrong code can be corrected twice, a program gets the refusal at once`() async throws {
        let answers = ["/v1/auth/totp/verify": [Self.wrong, Self.wrong, Self.session]]
        let arguments = ["--method", "totp", "--login-id", "a@b.cd"]
        _ = try await login(arguments, Service(answers), typing: ["1", "2", "3"], atTerminal: true)
        let error = await #expect(throws: AuthError.self) {
            try await login(arguments, Service(answers), typing: ["1", "2", "3"])
        }
        #expect(error.map { ClientFailure.failure(for: $0).code } == 2)
        let always = Service(["/v1/auth/totp/verify": [Self.wrong]])
        await #expect(throws: AuthError.self) {
            try await login(arguments, always, typing: ["1", "2", "3", "4"], atTerminal: true)
        }
        #expect(always.paths.count == 3)
    }

    @Test func `a password is one line`() async throws {
        let service = Service(["/v1/auth/password/signin": [Self.session]])
        _ = try await login(["--method", "password", "--login-id", "a@b.cd"], service, typing: ["correct horse"])
        #expect(service.asked.withLock { $0.last?.body["password"] } == "correct horse")
    }

    @Test func `a magic link may be pasted as it is`() async throws {
        let service = Service([
            "/v1/auth/magiclink/signin/email": [Self.sent], "/v1/auth/magiclink/verify": [Self.session],
        ])
        _ = try await login(
            ["--method", "magiclink", "--login-id", "a@b.cd"], service,
            typing: ["https://app.example.com/in?x=1&t=abc_-9"])
        #expect(service.asked.withLock { $0.last?.body["token"] } == "abc_-9")
        #expect(MethodLogin.token(in: "abc") == "abc")
    }

    @Test func `an enchanted link is waited for`() async throws {
        let service = Service([
            "/v1/auth/enchantedlink/signin/email": [
                (200, ["linkId": "42", "pendingRef": "ref", "maskedEmail": "a*@b.cd"])
            ],
            "/v1/auth/enchantedlink/pending-session": [
                (401, ["errorCode": "E062503", "errorDescription": "pending"]), Self.session,
            ],
        ])
        let response = try await login(["--method", "enchantedlink", "--login-id", "a@b.cd"], service)
        #expect(response.isFirstAuthentication)
        #expect(service.paths.count == 3)
    }

    @Test func `no answer is a refusal that says what is missing`() async throws {
        let service = Service(["/v1/auth/otp/signin/email": [Self.sent]])
        let failure = await #expect(throws: CommandFailure.self) {
            try await login(["--method", "otp", "--login-id", "a@b.cd"], service)
        }
        #expect(failure?.code == 2)
        #expect(failure?.sentence == "no answer to \"Code\" on standard input.")
    }

    @Test(arguments: [
        ["--login-id", "a@b.cd"], ["--method", "password", "--sign-up"], ["--method", "totp", "--channel", "sms"],
        ["--method", "carrier-pigeon"], ["--method", "otp", "--channel", "fax"],
    ])
    func `options that make no sense together are refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try MethodOptions.parse(arguments) }
    }

    @Test func `without a project the service is asked for it, and one that cannot be reached is named`() async throws {
        let command = try LoginCommand.parse(
            ["--issuer", "http://127.0.0.1:9", "--method", "otp", "--name", "nobody-\(Ambient.live.randomToken())"])
        let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
        #expect(
            failure?.code == 3 && failure?.sentence.contains("http://127.0.0.1:9") == true, "\(failure?.sentence ?? "")"
        )
    }

    @Test func `the project is remembered beside the client`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(Ambient.live.randomToken()).path
        let known = KnownContainers(path: path + "/known.json")
        let choice = ServiceChoice(service: .keyturn, issuer: "https://id", clientID: "cli", projectID: "P1")
        known.remember(choice, as: "default")
        #expect(known.read()["default"] == choice)
        let next = try ServiceChoice(
            service: nil, issuer: nil, clientID: nil, environment: [:], remembered: choice)
        #expect(next.projectID == "P1")
        let variable = try ServiceChoice(
            service: nil, issuer: nil, clientID: nil, environment: ["KEYTURN_PROJECT": "P2"], remembered: choice)
        #expect(variable.projectID == "P2")
    }
}
