import Foundation
import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Keyturn {
    static let api = FakeService.issuer + "/api"

    /// The status of a request to the API.
    func fetchAPI(_ change: (inout URLRequest) -> Void = { _ in }) async throws -> Int {
        var request = URLRequest(url: try #require(URL(string: Self.api)))
        change(&request)
        return try await fetch(request).1.statusCode
    }
}

@Suite("Requests with the session's token, RFC 6750")
struct FetchTests {
    static func authorizations(_ world: World, _ path: String = "/api") async -> [String] {
        await world.service.requests.filter { $0.url.hasSuffix(path) }
            .map { $0.headers.filter { $0.name == "Authorization" }.map(\.value).joined(separator: "|") }
    }

    @Test func `the token is added, and replaces another`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let token = try await auth.accessToken()
        let status = try await auth.fetchAPI { $0.setValue("Basic x", forHTTPHeaderField: "authorization") }
        #expect(status == 200)
        #expect(await Self.authorizations(world) == ["Bearer " + token])
    }

    @Test func `method, headers and body arrive as they are`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        _ = try await auth.fetchAPI {
            $0.httpMethod = "PUT"
            $0.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            $0.httpBody = Data("body".utf8)
        }
        let sent = try #require(await world.service.requests.last)
        #expect(sent.method == "PUT")
        #expect(sent.headers.contains { $0.name == "Content-Type" && $0.value == "text/plain" })
        #expect(sent.body == Array("body".utf8))
    }

    private static let demand = HTTPResponse(
        status: 401,
        headers: [
            (
                "WWW-Authenticate",
                #"Basic realm="a, b=\"c\"", Bearer error="insufficient_user_authentication", acr_values="strong weak", max_age=60"#
            )
        ])

    @Test func `a demand for a fresher sign-in is answered once, with a token of that sign-in`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let url = try #require(URL(string: Keyturn.api))
        await world.service.fail("/api", .answer(Self.demand))
        world.clock.advance(30)
        var asked: [StepUpChallenge] = []
        let answer = try await auth.fetch(URLRequest(url: url)) { challenge in
            asked.append(challenge)
            try await auth.reauthenticate(challenge.options(redirectURI: World.redirectURI))
        }
        #expect(answer.1.statusCode == 200)
        #expect(asked.count == 1 && asked[0].acrValues == ["strong", "weak"] && asked[0].maxAgeSeconds == 60)
        let options = asked[0].options(redirectURI: "a:/b")
        #expect(options.acrValues == ["strong", "weak"] && options.maxAgeSeconds == 60)
        #expect(Set(await Self.authorizations(world)).count == 2)
    }

    @Test func `a second demand, and one that the app does not answer, are the answer`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let url = try #require(URL(string: Keyturn.api))
        for _ in 0..<2 { await world.service.fail("/api", .answer(Self.demand)) }
        #expect(try await auth.fetch(URLRequest(url: url)) { _ in }.1.statusCode == 401)
        await world.service.fail("/api", .answer(Self.demand))
        #expect(try await auth.fetchAPI() == 401)
        await world.service.fail("/api", .answer(Self.demand))
        await #expect(throws: CancellationError.self) {
            try await auth.fetch(URLRequest(url: url)) { _ in throw CancellationError() }
        }
        #expect(await auth.state.isSignedIn)
    }

    @Test(arguments: [
        "", "Bearer", "Bearer error=\"invalid_token\"",
        "Bearer realm=\"error=\\\"insufficient_user_authentication\\\"\"",
        "Bearer error=", "=,=", "Bearer error=\"insufficient_user_authentication",
    ])
    func `nothing else is such a demand, or a crash`(_ header: String) {
        let isCutOff = header.hasSuffix("authentication")
        #expect((StepUpChallenge(header) != nil) == isCutOff)
        #expect(StepUpChallenge(header + String(repeating: " ", count: 5_000)) == nil)
    }

    @Test func `what a demand names is bounded`() {
        let header = "Bearer error=\"insufficient_user_authentication\", max_age=\"-1\", acr_values=\"a a b\""
        let challenge = StepUpChallenge(header)
        #expect(challenge?.acrValues == ["a", "b"] && challenge?.maxAgeSeconds == nil)
        let many = (0..<100).map { "c\($0)" }.joined(separator: " ")
        #expect(
            StepUpChallenge("DPoP error=insufficient_user_authentication, acr_values=\"\(many)\"")?.acrValues.count
                == 16)
    }

    @Test func `a 401 is tried once more with a new token`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetAccessTokens()
        #expect(try await auth.fetchAPI() == 200)
        #expect(Set(await Self.authorizations(world)).count == 2)
    }

    @Test func `a 401 that a new token does not change is returned after one retry`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.fail("/api", .answer(FakeService.unauthorized), .answer(FakeService.unauthorized))
        #expect(try await auth.fetchAPI() == 401)
        #expect(await world.service.count("/api") == 2)
    }

    @Test func `many 401s of one token cause one renewal`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetAccessTokens()
        let before = await world.service.count("/token")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await auth.fetchAPI() } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(await world.service.count("/token") == before + 1)
    }

    @Test func `a demand for a stronger sign-in is not answered with a renewal`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let challenge = HTTPResponse(
            status: 401, headers: [("WWW-Authenticate", #"Bearer error="insufficient_user_authentication""#)])
        await world.service.fail("/api", .answer(challenge))
        let before = await world.service.count("/token")
        #expect(try await auth.fetchAPI() == 401)
        #expect(await world.service.count("/token") == before)
    }

    @Test func `a 401 while the service cannot renew is the answer`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetAccessTokens()
        await world.service.fail("/token", .unreachable)
        #expect(try await auth.fetchAPI() == 401)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a 401 that is the session's end says so`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.fetchAPI() }
    }

    @Test func `nobody signed in sends nothing`() async throws {
        let world = try World()
        await #expect(throws: AuthError(.signedOut, "")) { try await world.container().fetchAPI() }
        #expect(await world.service.count("/api") == 0)
    }

    struct Redirection: Sendable, CustomTestStringConvertible {
        let location: String
        let isFollowed: Bool
        var testDescription: String { location }
    }

    static let redirections = [
        Redirection(location: "/elsewhere", isFollowed: true),
        Redirection(location: FakeService.issuer + "/elsewhere#fragment", isFollowed: true),
        Redirection(location: "https://evil.example.com/elsewhere", isFollowed: false),
        Redirection(location: "//evil.example.com/elsewhere", isFollowed: false),
        Redirection(location: "http://id.example.com/elsewhere", isFollowed: false),
        Redirection(location: "https://id.example.com:8443/elsewhere", isFollowed: false),
        Redirection(location: "https://id.example.com.evil.example/elsewhere", isFollowed: false),
    ]

    @Test(arguments: redirections)
    func `the token follows no redirect to another origin`(_ redirection: Redirection) async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let response = HTTPResponse(status: 302, headers: [("Location", redirection.location)])
        await world.service.fail("/api", .answer(response))
        #expect(try await auth.fetchAPI() == (redirection.isFollowed ? 404 : 302))
        let followed = await world.service.requests.count { $0.url.hasSuffix("/elsewhere") }
        #expect(followed == (redirection.isFollowed ? 1 : 0))
    }

    @Test func `a post is repeated only by a redirect that keeps the method`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        for (status, methods) in [(302, []), (303, ["GET"]), (307, ["POST"])] as [(Int, [String])] {
            let redirect = HTTPResponse(status: status, headers: [("Location", "/\(status)")])
            await world.service.fail("/api", .answer(redirect))
            _ = try await auth.fetchAPI { $0.httpMethod = "POST" }
            let followed = await world.service.requests.filter { $0.url.hasSuffix("/\(status)") }
            #expect(followed.map(\.method) == methods)
        }
    }

    @Test func `redirects in a circle come to an end`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        for _ in 0..<20 {
            await world.service.fail("/api", .answer(HTTPResponse(status: 302, headers: [("Location", "/api")])))
        }
        #expect(try await auth.fetchAPI() == 302)
        #expect(await world.service.count("/api") == 6)
    }

    @Test func `the bridges carry values and errors`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let token = try await auth.accessToken()
        #expect(await Result { try await auth.accessToken() } == .success(token))
        let result = await withCheckedContinuation { continuation in
            auth.perform {
                try await $0.accessToken()
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(result == .success(token))
        try await auth.logout()
        #expect(await Result { try await auth.accessToken() } == .failure(AuthError(.signedOut, "")))
        let foreign: Result<Int, AuthError> = await Result { throw CancellationError() }
        #expect(throws: AuthError(.protocolViolation, "")) { try foreign.get() }
    }
}
