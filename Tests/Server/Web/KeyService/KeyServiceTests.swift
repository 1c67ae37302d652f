import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("The key service on the wire")
struct KeyServiceTests {
    @Test func `server test 19: both secrets give the same key, of 32 bytes in standard base64`() async throws {
        let server = try await TestServer.start()
        let key = try await server.makeKey()
        #expect(Data(base64Encoded: key.key.exposed())?.count == 32)
        #expect(key.longSecret.flatMap { Data(base64Encoded: $0.exposed()) }?.count == 32)
        for answer in [
            try await server.unlock(key.keyID, "1234"), try await server.unlock(key.keyID, longSecret: key.longSecret),
        ] {
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.json["keyid"]?.stringValue == key.keyID)
            #expect(answer.dataKey == key.key.exposed())
            #expect(answer.json["longsecret"]?.stringValue == key.longSecret?.exposed())
        }
        let other = try await server.makeKey()
        #expect(other.keyID != key.keyID && other.key != key.key && other.longSecret != key.longSecret)
        await server.stop()
    }

    @Test func `server test 17: the third wrong one locks, and neither secret opens the key after that`() async throws {
        let server = try await TestServer.start()
        let key = try await server.makeKey()
        for (status, left) in [(401, 2), (401, 1), (403, 0), (403, 0)] as [(Int, Int64)] {
            let answer = try await server.unlock(key.keyID, "4321")
            #expect(answer.status == status && answer.remaining == left)
            #expect(answer.error == (status == 401 ? "wrong_secret" : "key_locked"))
        }
        #expect(try await server.unlock(key.keyID, "1234").status == 403)
        #expect(try await server.unlock(key.keyID, longSecret: key.longSecret).status == 403)
        for endpoint in ["changesecret", "deletekey"] {
            let body: JSONValue = ["keyid": .string(key.keyID), "secret": "1234", "newsecret": "5678"]
            #expect(try await server.keyService(endpoint, body).status == 403)
        }
        server.clock.advance(400 * 86_400)
        #expect(try await server.unlock(key.keyID, "1234").status == 403, "no time opens it again")
        #expect(try await server.auditCount(.dataKeyLocked) == 1)
        await server.stop()
    }

    @Test func `server test 18: a right one counts back to nothing; a right long secret does not`() async throws {
        let server = try await TestServer.start()
        let key = try await server.makeKey()
        for _ in 0..<3 {
            #expect(try await server.unlock(key.keyID, "0000").remaining == 2)
            #expect(try await server.unlock(key.keyID, "0000").remaining == 1)
            #expect(try await server.unlock(key.keyID, "1234").status == 200)
        }
        #expect(try await server.unlock(key.keyID, "0000").remaining == 2)
        #expect(try await server.unlock(key.keyID, longSecret: key.longSecret).status == 200)
        #expect(try await server.unlock(key.keyID, "0000").remaining == 1)
        await server.stop()
    }

    @Test func `server test 16: three wrong ones at once are three attempts, and of a hundred no more`() async throws {
        let server = try await TestServer.start()
        for count in [3, 100] {
            let key = try await server.makeKey()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<count {
                    group.addTask { try await server.unlock(key.keyID, "wrong \(number)").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 401 } == 2, "\(statuses)")
            #expect(statuses.allSatisfy { [401, 403, 503].contains($0) } && statuses.contains(403))
            #expect(try await server.unlock(key.keyID, "1234").status == 403)
        }
        await server.stop()
    }

    @Test func `server test 20: members are texts, strangers among them are ignored, and there are bounds`()
        async throws
    {
        let server = try await TestServer.start()
        let longest = String(repeating: "x", count: Limits.keySecretBytesMax)
        let key = try await server.makeKey(longest)
        #expect(try await server.unlock(key.keyID, longest).status == 200)
        let id: JSONValue = .string(key.keyID)
        let wrong: [(String, JSONValue)] = [
            ("createkey", ["secret": .string(longest + "x")]), ("createkey", ["secret": ""]), ("createkey", [:]),
            ("createkey", ["secret": 1234]), ("createkey", ["secret": ["1234"]]), ("createkey", [["secret": "1234"]]),
            ("createkey", "1234"), ("key", ["keyid": id]), ("key", ["secret": "1234"]),
            ("key", ["keyid": id, "secret": ""]),
            ("key", ["keyid": id, "secret": "1234", "longsecret": "x"]), ("key", ["keyid": id, "longsecret": ""]),
            ("key", ["keyid": "", "secret": "1234"]), ("key", ["keyid": 7, "secret": "1234"]),
            ("changesecret", ["keyid": id, "secret": .string(longest)]),
            ("changesecret", ["keyid": id, "secret": .string(longest), "newsecret": ""]),
        ]
        for (endpoint, body) in wrong {
            let answer = try await server.keyService(endpoint, body)
            #expect(answer.status == 400 && answer.error == "invalid_request", "\(endpoint) \(body)")
        }
        // 115
        #expect(try await server.keyService("createkey", .string(String(repeating: "x", count: 20_000))).status == 413)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let nested = try await server.send(
            "POST", "/keyservice/v1/createkey", headers: [("Content-Type", "application/json")],
            body: #"{"secret":"1234","x":\#(deep)}"#)
        #expect(nested.status == 400)
        let plain = try await server.send(
            "POST", "/keyservice/v1/createkey", headers: [("Content-Type", "text/plain")], body: #"{"secret":"1234"}"#)
        #expect(plain.status == 415 && plain.error == "invalid_request")
        let twice = try await server.send(
            "POST", "/keyservice/v1/key", headers: [("Content-Type", "application/json")],
            body: #"{"keyid":"\#(key.keyID)","secret":"no","secret":"\#(longest)"}"#)
        #expect(twice.status == 400)
        let strange: JSONValue = [
            "secret": .string(longest), "keyid": id, "device": ["model": "x", "list": [1, 2]], "version": 1,
            "longsecret": .null,
        ]
        #expect(try await server.keyService("key", strange).status == 200)
        // Nothing of all that was an attempt.
        #expect(try await server.unlock(key.keyID, "no").remaining == 2)
        await server.stop()
    }

    @Test func `server test 20: a secret in other characters of the same meaning is the same`() async throws {
        let server = try await TestServer.start()
        let key = try await server.makeKey("Jose\u{301} 1234")
        #expect(try await server.unlock(key.keyID, "Jos\u{e9} 1234").status == 200)
        #expect(try await server.unlock(key.keyID, "Jose 1234").status == 401)
        await server.stop()
    }

    @Test func `server test 21: a key exists under the realm that it was made in, and nowhere else`() async throws {
        let server = try await TestServer.start()
        let places: [String?] = [nil, "bank", "Bank", "bank.2"]
        for place in places {
            let key = try await server.makeKey(realm: place)
            for other in places {
                let status = try await server.unlock(key.keyID, "1234", realm: other).status
                #expect(status == (place == other ? 200 : 404))
                let long = try await server.unlock(key.keyID, longSecret: key.longSecret, realm: other)
                #expect(long.status == (place == other ? 200 : 404))
            }
        }
        for realm in ["", ".", "..", "a%2Fb", "a%00", "b\u{e4}", String(repeating: "x", count: 65)] {
            let escaped = realm.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.union(["%"])) ?? ""
            #expect(
                try await server.keyService("createkey", ["secret": "1234"], realm: escaped).status == 404, "\(realm)")
        }
        await server.stop()
    }

    @Test func `server test 21: the operator may name the realms that there are`() async throws {
        let server = try await TestServer.start(keyService: KeyServiceSettings(realms: ["bank"]))
        _ = try await server.makeKey(realm: "bank")
        _ = try await server.makeKey()
        let refused = try await server.keyService("createkey", ["secret": "1234"], realm: "other")
        #expect(refused.status == 404 && refused.error == "unknown_key")
        #expect(try await server.get("/auth/realms/bank/.well-known/openid-configuration").status == 200)
        #expect(try await server.get("/auth/realms/other/.well-known/openid-configuration").status == 404)
        await server.stop()
    }

    @Test func `a server without a key service says so, and never that a key is gone`() async throws {
        let server = try await TestServer.start(keyService: nil)
        for path in ["createkey", "key", "changesecret", "deletekey"] {
            let answer = try await server.keyService(path, ["secret": "1234"])
            #expect(answer.status == 503 && answer.error == "temporarily_unavailable", "\(path)")
        }
        let refused = try await server.send(
            "POST", "/keyservice/v1/key", headers: [("Content-Type", "application/json")], body: "{}")
        #expect(refused.body.contains("key_service.enabled"))
        #expect(try await server.get("/auth/realms/bank/.well-known/openid-configuration").status == 404)
        await server.stop()
    }

    @Test func `server test 22: a repeated wish is the same key, for a day and for the same secret`() async throws {
        let server = try await TestServer.start()
        let name = "8e03978e-40d5-43e9-bc93-6894a57f9324"
        let key = try await server.makeKey(name: name)
        let again = try await server.makeKey(name: name)
        #expect(again.keyID == key.keyID && again.key == key.key && again.longSecret == key.longSecret)
        // A name is no way around the count of wrong secrets.
        for left in [2, 1] as [Int64] {
            let answer = try await server.keyService("createkey", ["secret": "0000"], name: name)
            #expect(answer.status == 401 && answer.remaining == left && answer.dataKey == nil)
        }
        #expect(try await server.keyService("createkey", ["secret": "0001"], name: name).status == 403)
        #expect(try await server.unlock(key.keyID, "1234").status == 403)
        // Another realm's request of that name, and another name, are other wishes.
        #expect(try await server.makeKey(realm: "bank", name: name).keyID != key.keyID)
        #expect(try await server.makeKey(name: name + "5").keyID != key.keyID)
        server.clock.advance(Limits.idempotencySeconds)
        #expect(try await server.makeKey(name: name).keyID != key.keyID)
        for name in ["1", "fifteen-letters", "with a blank in it", String(repeating: "x", count: 256)] {
            let answer = try await server.keyService("createkey", ["secret": "1234"], name: name)
            #expect(answer.status == 400, "whoever counts has the names of others: \(name)")
        }
        await server.stop()
    }

    @Test func `unknown keys do not exist, and say nothing else`() async throws {
        let server = try await TestServer.start()
        let made = Ambient.live.randomToken(byteCount: 16)
        for id in [made, "168dfa8a-a613-488d-876c-1864122469cf", "' OR 1=1 --", String(repeating: "x", count: 3_000)] {
            let answer = try await server.unlock(id, "1234")
            #expect(answer.status == 404 && answer.error == "unknown_key")
            #expect(try await server.unlock(id, longSecret: Secret("x")).status == 404)
        }
        #expect(try await server.get("/keyservice/v1/key").status == 405)
        let nothing = try await server.get("/keyservice/v1/nothing")
        #expect(nothing.status == 404 && nothing.headers["content-type"] == "application/json")
        await server.stop()
    }
}
