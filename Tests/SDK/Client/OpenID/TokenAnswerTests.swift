import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Token answers as providers write them, RFC 6749 §5.1")
struct TokenAnswerTests {
    private func grant(_ members: [String: JSONValue]) throws -> TokenGrant {
        let usual: [String: JSONValue] = ["access_token": "a", "token_type": "Bearer"]
        return try TokenGrant(.object(usual.merging(members) { $1 }), key: nil, isPublicClient: true)
    }

    @Test(
        arguments: [
            (3_600, 3_600), ("3600", 3_600), ("3600.0", 3_600), (.number(3_599.9), 3_599), (0, 0), ("0", 0),
            ("", nil), (-1, nil), ("-1", nil), (.null, nil), ([], nil), (true, nil), ("soon", nil), ("0x10", nil),
            (.number(1e30), Limits.tokenLifetimeMaxSeconds), (.integer(.max), Limits.tokenLifetimeMaxSeconds),
            ("99999999999999999999", nil),
        ] as [(JSONValue, Int64?)])
    func `a lifetime is read in every form that servers have, and is absent in any other`(
        _ value: JSONValue, _ seconds: Int64?
    ) throws {
        #expect(try grant(["expires_in": value]).expiresInSeconds == seconds)
    }

    @Test(
        arguments: [
            ("a token", "a token"), (" ~", " ~"), ("a\"b\\c", "a\"b\\c"), ("", nil), (.null, nil), (7, nil),
            ("a\r\nb", nil), ("é", nil),
        ] as [(JSONValue, String?)])
    func `a refresh token may have every character of RFC 6749 A17, the space among them`(
        _ value: JSONValue, _ token: String?
    ) throws {
        #expect(try grant(["refresh_token": value]).refreshToken == token)
    }

    @Test func `a refresh token with a space renews the session, and the log is told of one that cannot`() async throws
    {
        let (world, lines) = (try World(), Locked<[String]>([]))
        let auth = Keyturn(
            .openID(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .memory,
            browser: FakeBrowser(service: world.service), transport: world.service, ambient: world.clock.ambient,
            logger: KeyturnLogger { level, text in lines.withLock { $0.append("\(level) \(text)") } })
        try await auth.authorize(redirectURI: World.redirectURI)
        for (access, token) in [("x", "a b"), ("y", "a\tb")] {
            let answer: JSONValue = [
                "access_token": .string(access), "token_type": "Bearer", "expires_in": 600,
                "refresh_token": .string(token),
            ]
            await world.service.fail("/token", .answer(FakeService.json(answer)))
            try await auth.forceRefresh()
        }
        await world.service.fail("/token", .answer(FakeService.json(["access_token": "z", "token_type": "bearer"])))
        try await auth.forceRefresh()
        let body = String(decoding: await world.service.requests.last?.body ?? [], as: UTF8.self)
        #expect(try FormParameters(parsing: body).one("refresh_token") == "a b")
        #expect(lines.withLock { $0 }.count { $0.hasPrefix("error token answer: its refresh_token is not used") } == 1)
    }

    @Test func `a scope or an ID token that cannot be read is absent, and a large ID token is not`() throws {
        let large = String(repeating: "a", count: 200_000)
        let grant = try grant(["scope": "a\u{7}", "id_token": .string(large), "refresh_token": ["x"]])
        #expect(grant.scope == nil && grant.idToken == large && grant.refreshToken == nil)
        let endless = String(repeating: "a", count: Limits.tokenMaxBytes + 1)
        #expect(try self.grant(["refresh_token": .string(endless)]).refreshToken == nil)
        #expect(try self.grant(["scope": ["openid"], "id_token": 1]).idToken == nil)
    }

    @Test(
        arguments: [
            (["access_token": .null], "access_token"), (["access_token": "a b"], "access_token"),
            (["token_type": .null], "token_type"), (["token_type": "mac"], "token_type"),
            (["token_type": "DPoP"], "token_type"),
        ] as [([String: JSONValue], String)])
    func `what is needed is refused by its name`(_ members: [String: JSONValue], _ name: String) {
        let error = #expect(throws: AuthError(.protocolViolation, "")) { try grant(members) }
        #expect(error?.detail.contains(name) == true)
    }
}
