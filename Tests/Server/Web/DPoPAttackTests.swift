import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Bound tokens under attack, RFC 9449")
struct DPoPAttackTests {
    private static let userInfo = "/oauth2/userinfo"

    @Test func `tokens of a request with a proof are bound to its key`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let tokens = try await prover.tokens(TestClients.tool)
        #expect(tokens.tokenType == "DPoP")
        #expect(tokens.refreshTokenConfirmation?.keyThumbprint == (try prover.thumbprint))
        let proof = try prover.proof(method: "GET", path: Self.userInfo, accessToken: tokens.accessToken)
        #expect(try await prover.userInfo(tokens.accessToken, proof).status == 200)
        await server.stop()
    }

    @Test func `a client may bind its refresh token alone`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let tokens = try await prover.tokens(TestClients.tool, wantsBearer: true)
        #expect(tokens.tokenType == "Bearer")
        #expect(tokens.refreshTokenConfirmation?.keyThumbprint == (try prover.thumbprint))
        #expect(try await server.get(Self.userInfo, token: tokens.accessToken).status == 200)
        let answer = try await prover.refresh(tokens.refreshToken, TestClients.tool, prover.proof())
        #expect(answer.json["token_type"] == "Bearer")
        #expect(try await prover.refresh(tokens.refreshToken, TestClients.tool, nil).error == "invalid_grant")
        await server.stop()
    }

    @Test func `a refresh that somebody got hold of is not worth more than it was`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let tokens = try await prover.tokens(TestClients.tool)
        var form = TokenRequest.refreshToken(Secret(tokens.refreshToken ?? "")).parameters
        form.append("dpop_bound_access_tokens", "false")
        let answer = try await server.post(
            "/oauth2/token", form, as: TestClients.tool, headers: [("DPoP", try prover.proof())])
        #expect(answer.json["token_type"] == "DPoP")
        await server.stop()
    }

    @Test func `a server whose clock is set back goes on taking proofs`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let token = try await prover.tokens(TestClients.tool).refreshToken
        server.clock.jump(-3_600)
        #expect(try await prover.refresh(token, TestClients.tool, prover.proof()).status == 200)
        server.clock.jump(7_200)
        #expect(try await prover.refresh(token, TestClients.tool, prover.proof()).status == 200)
        await server.stop()
    }

    @Test func `attack 27: a code named for a key is redeemed with that key, and not consumed by another`() async throws
    {
        let server = try await TestServer.start()
        let (prover, thief) = (Prover(server), Prover(server))
        let pkce = PKCE(ambient: .live)
        let thumbprint = try prover.thumbprint
        let response = try await server.signIn(TestClients.tool, proof: pkce) { $0.dpopKeyThumbprint = thumbprint }
        guard case .code(let code) = response.outcome else { throw TestFailure("refused") }
        for proof in [try thief.proof(), nil] {
            #expect(try await thief.redeem(code, TestClients.tool, pkce, proof).error == "invalid_grant")
        }
        #expect(try await prover.redeem(code, TestClients.tool, pkce, prover.proof()).status == 200)
        await server.stop()
    }

    @Test func `attack 50: a bound refresh token is worth nothing without its key, and stays good with it`()
        async throws
    {
        let server = try await TestServer.start()
        let (prover, thief) = (Prover(server), Prover(server))
        let token = try await prover.tokens(TestClients.tool).refreshToken
        #expect(try await thief.refresh(token, TestClients.tool, nil).error == "invalid_grant")
        #expect(try await thief.refresh(token, TestClients.tool, thief.proof()).error == "invalid_grant")
        for _ in 0..<3 {
            server.clock.advance(86_400)
            let answer = try await prover.refresh(token, TestClients.tool, prover.proof())
            #expect(answer.status == 200)
            #expect(answer.json["refresh_token"]?.stringValue == token, "a bound token does not rotate")
        }
        _ = try await server.services.auditLog.flush()
        let events = try await server.services.stores.audit.newest(limit: 100)
        let told = events.filter { $0.kind == .refreshWrongKey }
        #expect(told.count == 2, "the first of a minute, and how many came after it")
        #expect(told.compactMap(\.changes).flatMap(\.list).compactMap(\.after) == ["1"])
        #expect(server.services.refreshReports.counters.values.wrongKey == 2)
        await server.stop()
    }

    @Test func `attack 63: each thing that is wrong with a proof is refused, and nothing is spent`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let token = try await prover.tokens(TestClients.tool).refreshToken
        let good = try prover.proof()
        let parts = good.split(separator: ".")
        let wrong: [(String, String)] = [
            ("not a proof", "x"), ("unsigned", "\(parts[0]).\(parts[1])."),
            ("damaged", good.dropLast(2) + (good.hasSuffix("AA") ? "BB" : "AA")),
            ("another method", try prover.proof(method: "GET")),
            ("another endpoint", try prover.proof(path: "/oauth2/revoke")),
            ("another server", try prover.proof(url: "https://evil.example/oauth2/token")),
            ("an hour old", try prover.proof(secondsOff: -3_600)),
            ("an hour ahead", try prover.proof(secondsOff: 3_600)),
            ("too long", String(repeating: "a", count: 5_000)),
        ]
        for (name, proof) in wrong {
            let answer = try await prover.refresh(token, TestClients.tool, proof)
            #expect(answer.status == 400 && answer.error == "invalid_dpop_proof", "\(name): \(answer.body)")
            #expect(answer.headers["dpop-nonce"] != nil, "\(name)")
        }
        let twice = try await server.post(
            "/oauth2/token", TokenRequest.refreshToken(Secret(token ?? "")).parameters, as: TestClients.tool,
            headers: [("DPoP", good), ("DPoP", try prover.proof())])
        #expect(twice.error == "invalid_dpop_proof")
        #expect(try await prover.refresh(token, TestClients.tool, good).status == 200)
        await server.stop()
    }

    @Test func `attack 63: a nonce that is not ours is answered with one that is`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let token = try await prover.tokens(TestClients.tool).refreshToken
        let foreign = try await prover.refresh(token, TestClients.tool, prover.proof(nonce: "foreign"))
        #expect(foreign.error == "use_dpop_nonce")
        let nonce = try #require(foreign.headers["dpop-nonce"])
        #expect(try await prover.refresh(token, TestClients.tool, prover.proof(nonce: nonce)).status == 200)
        server.clock.advance(301)
        let old = try await prover.refresh(token, TestClients.tool, prover.proof(nonce: nonce))
        #expect(old.error == "use_dpop_nonce")
        await server.stop()
    }

    @Test func `attack 64: of a hundred uses of one proof at once, one succeeds`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let token = try await prover.tokens(TestClients.tool).refreshToken
        let proof = try prover.proof()
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await prover.refresh(token, TestClients.tool, proof).error ?? "none" }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["none": 1, "invalid_dpop_proof": 99])
        await server.stop()
    }

    @Test func `attack 65: a bound token shown as a bearer's is a copy`() async throws {
        let server = try await TestServer.start()
        let (prover, thief) = (Prover(server), Prover(server))
        let token = try await prover.tokens(TestClients.tool).accessToken
        let proof = { (prover: Prover) in try prover.proof(method: "GET", path: Self.userInfo, accessToken: token) }
        let attempts = [
            try await prover.userInfo(token, scheme: "Bearer", nil),
            try await prover.userInfo(token, scheme: "Bearer", proof(prover)),
            try await prover.userInfo(token, nil),
            try await thief.userInfo(token, proof(thief)),
            try await prover.userInfo(token, prover.proof(method: "GET", path: Self.userInfo)),
            try await prover.userInfo(token, prover.proof(method: "GET", path: Self.userInfo, accessToken: "another")),
        ]
        for answer in attempts { #expect(answer.status == 401, "\(answer.body)") }
        let plain = try await server.tokens(TestClients.tool).accessToken
        let dressed = try prover.proof(method: "GET", path: Self.userInfo, accessToken: plain)
        #expect(try await prover.userInfo(plain, dressed).status == 401)
        #expect(try await prover.userInfo(token, proof(prover)).status == 200)
        await server.stop()
    }

    @Test func `what a client registered for is demanded`() async throws {
        let strict = TestClients.make("strict", method: "none", secret: nil, firstParty: true, native: true) {
            $0.dpopBoundAccessTokens = true
        }
        let server = try await TestServer.start(clients: [strict])
        let prover = Prover(server)
        let tokens = try await prover.tokens(strict)
        #expect(try await prover.refresh(tokens.refreshToken, strict, nil).error == "invalid_dpop_proof")
        var form = TokenRequest.refreshToken(Secret(tokens.refreshToken ?? "")).parameters
        form.append("dpop_bound_access_tokens", "false")
        let answer = try await server.post("/oauth2/token", form, as: strict, headers: [("DPoP", try prover.proof())])
        #expect(answer.json["token_type"] == "DPoP", "a registration is not declined by a parameter")
        await server.stop()
    }

    @Test func `introspection tells what a token is bound to`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let tokens = try await prover.tokens(TestClients.web)
        #expect(tokens.refreshTokenConfirmation == nil, "a client with a secret is bound by that")
        let answer = try await server.post(
            "/oauth2/introspect", FormParameters(["token": tokens.accessToken]), as: TestClients.web)
        #expect(answer.json["token_type"] == "DPoP")
        #expect(answer.json["cnf"]?["jkt"]?.stringValue == (try prover.thumbprint))
        await server.stop()
    }
}
