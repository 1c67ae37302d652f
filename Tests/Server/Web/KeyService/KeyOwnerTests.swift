import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Keys that somebody owns, changed and removed")
struct KeyOwnerTests {
    @Test func `another secret opens the same key, and the old one does not`() async throws {
        let server = try await TestServer.start()
        let key = try await server.makeKey()
        func change(_ secret: String, _ next: String) async throws -> EndpointAnswer {
            try await server.keyService(
                "changesecret",
                ["keyid": .string(key.keyID), "secret": .string(secret), "newsecret": .string(next)])
        }
        #expect(try await change("0000", "5678").remaining == 2)
        let changed = try await change("1234", "5678")
        #expect(changed.status == 200 && changed.dataKey == key.key.exposed())
        #expect(changed.json["longsecret"]?.stringValue == key.longSecret?.exposed())
        #expect(try await server.unlock(key.keyID, "5678").dataKey == key.key.exposed())
        #expect(try await server.unlock(key.keyID, longSecret: key.longSecret).dataKey == key.key.exposed())
        #expect(try await server.unlock(key.keyID, "1234").remaining == 2)
        #expect(try await server.auditCount(.dataKeySecretChanged) == 1)
        await server.stop()
    }

    @Test func `a key is removed by either secret, and a wrong one counts`() async throws {
        let server = try await TestServer.start()
        let (one, other) = (try await server.makeKey(), try await server.makeKey())
        let id: JSONValue = .string(one.keyID)
        #expect(try await server.keyService("deletekey", ["keyid": id, "secret": "0000"]).remaining == 2)
        #expect(try await server.unlock(one.keyID, "0000").remaining == 1)
        let removed = try await server.keyService("deletekey", ["keyid": id, "secret": "1234"])
        #expect(removed.status == 204 && removed.body.isEmpty)
        #expect(try await server.unlock(one.keyID, "1234").status == 404)
        let body: JSONValue = [
            "keyid": .string(other.keyID), "longsecret": .string(other.longSecret?.exposed() ?? ""),
        ]
        #expect(try await server.keyService("deletekey", body).status == 204)
        #expect(try await server.keyService("deletekey", body).status == 404)
        #expect(try await server.auditCount(.dataKeyDeleted) == 2)
        await server.stop()
    }

    @Test func `an owner sees their keys and removes them, locked or not`() async throws {
        let server = try await TestServer.start()
        let token = try await server.accessToken()
        let key = try await server.makeKey(token: token)
        server.clock.advance(1)
        let used = try await server.makeKey(token: token)
        _ = try await server.makeKey()
        _ = try await server.makeKey(realm: "bank", token: token)
        for _ in 0..<3 { _ = try await server.unlock(key.keyID, "0000") }
        _ = try await server.unlock(used.keyID, "1234")
        let listed = try await server.get("/keyservice/v1/keys", token: token)
        let entries = (listed.json["keys"]?.arrayValue ?? []).compactMap(KeyServiceEntry.init(json:))
        let now = server.clock.now
        #expect(
            entries == [
                KeyServiceEntry(
                    keyID: used.keyID, createdAt: now, usedAt: now, isLocked: false, remainingAttempts: 3),
                KeyServiceEntry(
                    keyID: key.keyID, createdAt: now - 1, usedAt: nil, isLocked: true, remainingAttempts: 0),
            ])
        let inRealm = try await server.get("/auth/realms/bank/keyservice/v1/keys", token: token)
        #expect(inRealm.json["keys"]?.arrayValue?.count == 1)
        func remove(_ id: String, realm: String? = nil) async throws -> Int {
            try await server.send(
                "DELETE", TestServer.keyServicePath("keys/\(id)", realm: realm),
                headers: [("Authorization", "Bearer \(token)")], body: nil
            ).status
        }
        #expect(try await remove(key.keyID, realm: "bank") == 404)
        #expect(try await remove(key.keyID) == 204)
        #expect(try await remove(key.keyID) == 404)
        #expect(try await remove(try await server.makeKey().keyID) == 404, "nobody's")
        #expect(try await server.unlock(key.keyID, "1234").status == 404)
        await server.stop()
    }

    @Test func `without a good access token nothing is listed, removed or made somebody's`() async throws {
        let server = try await TestServer.start()
        let token = try await server.accessToken()
        let key = try await server.makeKey(token: token)
        for bad in [nil, "garbage", String(token.dropLast(4)) + "AAAA"] {
            let answer = try await server.get("/keyservice/v1/keys", token: bad)
            #expect(answer.status == 401 && answer.error == "invalid_token")
            #expect(answer.headers["www-authenticate"]?.contains("Bearer") == true)
        }
        #expect(try await server.keyService("createkey", ["secret": "1234"], token: "garbage").status == 401)
        let basic = try await server.send(
            "POST", "/keyservice/v1/createkey",
            headers: [("Content-Type", "application/json"), ("Authorization", "Basic YTpi")],
            body: #"{"secret":"1234"}"#)
        #expect(basic.status == 401)
        // A client's own token is nobody's.
        let form = FormParameters(["grant_type": "client_credentials"])
        let own = try await server.post("/oauth2/token", form, as: TestClients.portal)
        let clients = own.json["access_token"]?.stringValue
        #expect(clients != nil)
        #expect(try await server.get("/keyservice/v1/keys", token: clients).status == 401)
        // 51: as soon as the sign-in is over, its access token opens nothing here.
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(try await server.get("/keyservice/v1/keys", token: token).status == 401)
        #expect(try await server.unlock(key.keyID, "1234").status == 200, "a PIN comes before any sign-in")
        await server.stop()
    }

    @Test func `somebody else's app sees the keys that it made, and no others`() async throws {
        let server = try await TestServer.start()
        let own = try await server.accessToken()
        let foreign = try await server.accessToken(TestClients.web)
        let key = try await server.makeKey(token: own)
        let theirs = try await server.makeKey(token: foreign)
        func listed(_ token: String) async throws -> Set<String> {
            let json = try await server.get("/keyservice/v1/keys", token: token).json
            return Set((json["keys"]?.arrayValue ?? []).compactMap { $0["keyid"]?.stringValue })
        }
        #expect(try await listed(own) == [key.keyID, theirs.keyID])
        #expect(try await listed(foreign) == [theirs.keyID])
        let path = TestServer.keyServicePath("keys/\(key.keyID)")
        let removed = try await server.send(
            "DELETE", path, headers: [("Authorization", "Bearer \(foreign)")], body: nil)
        #expect(removed.status == 404)
        await server.stop()
    }

    @Test func `63, 65: a bound access token wants its proof here as well`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let token = try await prover.tokens(TestClients.tool).accessToken
        let path = "/keyservice/v1/keys"
        func list(_ scheme: String, _ proof: String?) async throws -> Int {
            let headers = [("Authorization", "\(scheme) \(token)")] + (proof.map { [("DPoP", $0)] } ?? [])
            return try await server.send("GET", path, headers: headers, body: nil).status
        }
        #expect(try await list("Bearer", nil) == 401)
        #expect(try await list("DPoP", nil) == 401)
        #expect(
            try await list("DPoP", prover.proof(method: "GET", path: "/oauth2/userinfo", accessToken: token)) == 401)
        let proof = try prover.proof(method: "GET", path: path, accessToken: token)
        #expect(try await list("DPoP", proof) == 200)
        #expect(try await list("DPoP", proof) == 401, "a proof is good once")
        await server.stop()
    }

    @Test func `who makes keys without end is stopped, each network and each person for themselves`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let body: JSONValue = ["secret": "1234"]
        for _ in 0..<Limits.keysMadePerNetworkMax {
            #expect(try await server.keyService("createkey", body, network: "192.0.2.1").status == 200)
        }
        let refused = try await server.keyService("createkey", body, network: "192.0.2.1")
        #expect(refused.status == 429 && refused.error == "too_many_requests")
        #expect(refused.headers["retry-after"].flatMap(Int.init).map { (1...3_600).contains($0) } == true)
        #expect(try await server.keyService("createkey", body, network: "192.0.2.2").status == 200)
        let token = try await server.accessToken()
        for _ in 0..<Limits.keysMadePerUserMax {
            #expect(try await server.keyService("createkey", body, token: token, network: "192.0.2.1").status == 200)
        }
        #expect(try await server.keyService("createkey", body, token: token, network: "192.0.2.3").status == 429)
        await server.stop()
    }
}
