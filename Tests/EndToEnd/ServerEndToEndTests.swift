import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Synchronization
import Testing

@Suite("End to end: what the server promises its operator")
struct ServerEndToEndTests {
    /// Statements since the last look.
    final class Counter: Sendable {
        private let statements = Mutex<[String]>([])

        func add(_ statement: String) { statements.withLock { $0.append(statement) } }

        func take() -> [String] {
            statements.withLock { statements in
                defer { statements = [] }
                return statements
            }
        }
    }

    @Test func `every operation costs as few statements as it can`() async throws {
        let counter = Counter()
        let server = try await TestServer.start(onStatement: { counter.add($0) })
        let proof = PKCE(ambient: .live)
        let response = try await server.signIn(TestClients.web, proof: proof)
        guard case .code(let code) = response.outcome else { throw TestFailure("no code") }
        _ = counter.take()
        let redeemed = try await server.redeem(code, TestClients.web, proof: proof)
        #expect(counter.take().count == 1, "code redemption: at most two, in one transaction")
        let access = redeemed.json["access_token"]?.stringValue
        let refreshed = try await server.refresh(redeemed.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(refreshed.status == 200)
        #expect(counter.take().count == 1, "refresh: one")
        _ = try await server.post("/oauth2/introspect", FormParameters(["token": access]), as: TestClients.web)
        #expect(counter.take().count == 1, "introspection: one at most")
        _ = try await server.get("/oauth2/userinfo", token: access)
        #expect(counter.take().count == 1, "UserInfo: one at most")
        let form = FormParameters(["grant_type": "client_credentials"])
        #expect(try await server.post("/oauth2/token", form, as: TestClients.web).status == 200)
        #expect(counter.take().isEmpty, "client credentials: none")
        _ = try await server.refresh("garbage", TestClients.web)
        #expect(counter.take().isEmpty, "garbage is refused without a query")
        await server.stop()
    }

    @Test func `the next key is published before it signs, and an old one stays until its tokens are over`()
        async throws
    {
        let server = try await TestServer.start()
        let upkeep = Upkeep(server.services) { _ in }
        let keys = { () async throws -> Set<String> in
            let json = try await server.get("/oauth2/jwks").json
            return Set((json["keys"]?.arrayValue ?? []).compactMap { $0["kid"]?.stringValue })
        }
        let signer = { () async throws -> String in
            let form = FormParameters(["grant_type": "client_credentials"])
            let token = try await server.post("/oauth2/token", form, as: TestClients.web).json["access_token"]?
                .stringValue
            let header = try JSONValue(
                parsing: try #require(Base64URL.decode(token?.split(separator: ".").first ?? "")))
            return try #require(header["kid"]?.stringValue)
        }
        let first = try await keys()
        let old = try await signer()
        #expect(first.count == 2)
        server.clock.advance(Limits.keySigningSeconds - Limits.keyLeadSeconds)
        await upkeep.maintainKeys()
        let announced = try await keys()
        #expect(announced.count == 4 && announced.isSuperset(of: first))
        #expect(try await signer() == old, "published at least a day ahead, not yet signing")
        #expect(Limits.keyLeadSeconds >= 86_400)
        server.clock.advance(Limits.keyLeadSeconds)
        let new = try await signer()
        #expect(new != old && announced.contains(new))
        #expect(try await keys().contains(old), "tokens of the old key are still about")
        // The longest of them are refresh tokens of the methods, which clients check themselves.
        server.clock.advance(server.services.project.idleSeconds + Limits.clockSkewSeconds)
        await upkeep.maintainKeys()
        #expect(try await !keys().contains(old))
        await server.stop()
    }

    @Test func `a key that somebody else may have is gone at once`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web)
        let rotation = KeyRotation(
            store: server.services.stores.keys, secrets: server.secrets, tokenSecondsMax: 3_600,
            ambient: server.clock.ambient)
        for key in try await rotation.current() where key.algorithm == "ES256" {
            #expect(try await rotation.drop(key.keyID) != nil, "another one takes its place")
        }
        try await server.services.keys.reload()
        server.services.accessTokens.forgetAll()
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        #expect(try await server.refresh(tokens.refreshToken, TestClients.web).status == 200)
        await server.stop()
    }

    @Test func `what is over is removed, and nothing else`() async throws {
        let server = try await TestServer.start()
        _ = try await server.tokens(TestClients.web)
        let kept = try await server.tokens(TestClients.web)
        server.clock.advance(Limits.browserSessionSeconds)
        let renewed = try await server.refresh(kept.refreshToken, TestClients.web)
        #expect(renewed.status == 200)
        server.clock.advance(2_592_000 - Limits.browserSessionSeconds + 86_400)
        let removed = try await server.services.stores.maintenance.removeExpired(limit: 100, at: server.clock.now)
        #expect(removed >= 2, "two browser sessions, and the grant that was never used again")
        let left = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        #expect(left.count == 1)
        await server.stop()
    }
}
