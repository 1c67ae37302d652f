import Crypto
import Foundation
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization
import Testing

@testable import Web

@Suite("Sessions that come from other issuers")
struct MigrationTests {
    static let old = ForeignIssuer()

    private func exchange(_ token: String, _ server: TestServer) async throws -> EndpointAnswer {
        try await server.call("refresh", ["externalToken": .string(token)])
    }

    @Test(arguments: MigrationSource.Subject.allCases)
    func `a token is exchanged for a session of our own, once`(_ subject: MigrationSource.Subject) async throws {
        let server = try await TestServer.start(migration: [try Self.old.source(subject)])
        let extras: [[String: JSONValue?]] = [[:], ["jti": "t-1"]]
        for (index, extra) in extras.enumerated() {
            server.clock.advance(1)
            let token = Self.old.token(ForeignIssuer.claims(server.clock.now, extra))
            let answer = try await exchange(token, server)
            #expect(answer.status == 200 && answer.json["firstSeen"] == false && answer.methods == ["fed"], "\(index)")
            #expect(answer.json["user"]?["userId"] == .string(TestServer.subject.rawValue))
            #expect(try await server.call("refresh", [:], refresh: answer.refreshJWT).status == 200)
            let again = try await exchange(token, server)
            #expect(again.status == 400 && again.errorCode == "E011003" && again.refreshJWT == nil)
            #expect(again.json["errorMessage"]?.stringValue?.contains("before") == true)
        }
        // The same name once more is the same token, however it is signed.
        let named = Self.old.token(ForeignIssuer.claims(server.clock.now, ["jti": "t-1", "nonce": "other"]))
        #expect(try await exchange(named, server).status == 400)
        // Until it is over: the row that remembers it lasts as long.
        let late = Self.old.token(ForeignIssuer.claims(server.clock.now))
        #expect(try await exchange(late, server).status == 200)
        server.clock.advance(3_629)
        #expect(try await exchange(late, server).json["errorMessage"]?.stringValue?.contains("before") == true)
        server.clock.advance(1)
        #expect(try await exchange(late, server).json["errorMessage"]?.stringValue?.contains("expired") == true)
        await server.stop()
    }

    @Test func `86: sixteen exchanges of one token in the same moment, one session`() async throws {
        let server = try await TestServer.start(migration: [try Self.old.source()])
        let token = Self.old.token(ForeignIssuer.claims(server.clock.now))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await exchange(token, server).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 15)
        await server.stop()
    }

    @Test func `a signature that was bent into another good one is the same token`() async throws {
        let server = try await TestServer.start(migration: [try Self.old.source()])
        let token = Self.old.token(ForeignIssuer.claims(server.clock.now))
        let parts = token.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        // Of ECDSA, (r, n - s) is as good as (r, s).
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var bent = signature
        var borrow = 0
        for index in stride(from: 31, through: 0, by: -1) {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            bent[32 + index] = UInt8(truncatingIfNeeded: difference & 0xFF)
        }
        let twin = "\(parts[0]).\(parts[1]).\(Base64URL.encode(bent))"
        let unverified = try UnverifiedJWS(twin)
        let key = try #require(try Self.old.set.candidates(for: unverified.header).first)
        #expect(twin != token && (try? unverified.verify(with: key)) != nil)
        #expect(try await exchange(token, server).status == 200)
        #expect(try await exchange(twin, server).status == 400)
        await server.stop()
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        var claims: [String: JSONValue?] = [:]
        var type: String? = "JWT"
        var seconds: [String: Int64] = [:]
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "another issuer", claims: ["iss": "https://evil.example.com"]),
        Refusal(name: "the issuer with a slash", claims: ["iss": .string(ForeignIssuer.issuer + "/")]),
        Refusal(name: "no issuer", claims: ["iss": nil]),
        Refusal(name: "67: for another app", claims: ["aud": "other"]),
        Refusal(name: "67: for nobody", claims: ["aud": nil]),
        Refusal(name: "67: for a list with a number", claims: ["aud": ["app", 1]]),
        Refusal(name: "expired", seconds: ["exp": -30]), Refusal(name: "59: no exp", claims: ["exp": nil]),
        Refusal(name: "59: exp is a word", claims: ["exp": "tomorrow"]),
        Refusal(name: "59: exp is huge", claims: ["exp": .number(1e300)]),
        Refusal(name: "59: issued in the future", seconds: ["iat": 31]),
        Refusal(name: "59: not good yet", seconds: ["nbf": 31]),
        Refusal(name: "59: nbf is a word", claims: ["nbf": "now"]),
        Refusal(name: "58: a logout token by its type", type: "logout+jwt"),
        Refusal(name: "58: a logout token by its claims", claims: ["events": [:]]),
        Refusal(name: "58: a proof", type: "dpop+jwt"),
        Refusal(name: "somebody unknown", claims: ["email": "nobody@example.com"]),
        Refusal(name: "93: an address that the issuer did not verify", claims: ["email_verified": false]),
        Refusal(name: "93: an address of which it says nothing", claims: ["email_verified": nil]),
        Refusal(name: "59: verified as a word", claims: ["email_verified": "true"]),
        Refusal(name: "no address", claims: ["email": nil]),
        Refusal(name: "a name that is no address", claims: ["email": "andy"]),
    ]

    @Test(arguments: refusals)
    func `a token that is not what it should be opens nothing`(_ refusal: Refusal) async throws {
        let server = try await TestServer.start(migration: [try Self.old.source()])
        var changes = refusal.claims
        for (name, offset) in refusal.seconds { changes[name] = .integer(server.clock.now.rawValue + offset) }
        let answer = try await exchange(
            Self.old.token(ForeignIssuer.claims(server.clock.now, changes), type: refusal.type), server)
        #expect(answer.status == 400 && answer.errorCode == "E011003" && answer.refreshJWT == nil)
        #expect(!answer.body.contains("example.com"), "nothing of the token is repeated")
        await server.stop()
    }

    @Test func `52 to 55: forged tokens open nothing, and neither do those of an issuer that nobody named`()
        async throws
    {
        let server = try await TestServer.start(migration: [try Self.old.source()])
        let claims = ForeignIssuer.claims(server.clock.now)
        let good = Self.old.token(claims).split(separator: ".").map(String.init)
        let other = Self.old.token(ForeignIssuer.claims(server.clock.now, ["sub": "x"])).split(separator: ".")
        let thief = ForeignIssuer(keyID: "old-1")
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        for token in [
            "\(none).\(good[1]).", "\(none).\(good[1]).\(good[2])", "\(good[0]).\(other[1]).\(good[2])",
            "\(good[0]).\(good[1]).", thief.token(claims), ForeignIssuer(keyID: "new").token(claims),
            Self.old.token(claims, header: ["alg": "RS256"]), Self.old.token(claims, header: ["alg": "HS256"]),
            Self.old.token(claims, header: ["crit": ["exp"]]), "a.b.c", "not a token",
        ] {
            #expect(try await exchange(token, server).status == 400, "\(token.prefix(40))")
        }
        let plain = try await TestServer.start()
        let answer = try await exchange(Self.old.token(ForeignIssuer.claims(plain.clock.now)), plain)
        #expect(answer.status == 400 && answer.errorCode == "E011003")
        #expect(try await exchange(Self.old.token(claims), server).status == 200, "nothing of this spent the good one")
        await plain.stop()
        await server.stop()
    }

    @Test func `93: an address that was only claimed here, and somebody who is locked out, get no session`()
        async throws
    {
        let server = try await TestServer.start(migration: [try Self.old.source()])
        let squatter = try await server.call(
            "password/signup", ["loginId": "bea@example.com", "password": "strangers-own-secret"])
        #expect(squatter.status == 200)
        let claims: [String: JSONValue?] = ["email": "bea@example.com", "sub": "bea"]
        #expect(
            try await exchange(Self.old.token(ForeignIssuer.claims(server.clock.now, claims)), server).status == 400)
        let name = JSONValue.string(TestServer.username)
        _ = try await server.manage("user/update/status", ["loginId": name, "status": "disabled"])
        let token = Self.old.token(ForeignIssuer.claims(server.clock.now))
        #expect(try await exchange(token, server).status == 403)
        _ = try await server.manage("user/update/status", ["loginId": name, "status": "enabled"])
        #expect(try await exchange(token, server).status == 400, "who was locked out had no session there either")
        server.clock.advance(1)
        let later = Self.old.token(ForeignIssuer.claims(server.clock.now))
        #expect(try await exchange(later, server).status == 200)
        await server.stop()
    }

    @Test func `whoever is named by sub is found by that alone`() async throws {
        let server = try await TestServer.start(migration: [try Self.old.source(.sub)])
        let stranger = ForeignIssuer.claims(server.clock.now, ["sub": "somebody-else"])
        #expect(try await exchange(Self.old.token(stranger), server).status == 400)
        let quiet = ForeignIssuer.claims(server.clock.now, ["email": nil, "email_verified": nil])
        #expect(try await exchange(Self.old.token(quiet), server).status == 200)
        await server.stop()
    }

    /// An issuer whose keys change, and that is away at times.
    private final class Publisher: Sendable {
        let state: Mutex<(set: JSONWebKeySet?, asked: Int)>

        init(_ set: JSONWebKeySet?) { state = Mutex((set, 0)) }

        var asked: Int { state.withLock { $0.asked } }

        func publish(_ set: JSONWebKeySet?) { state.withLock { $0.set = set } }

        func fetch() -> JSONWebKeySet? {
            state.withLock {
                $0.asked += 1
                return $0.set
            }
        }
    }

    @Test func `keys are fetched when they are needed, kept, and not fetched again for invented names`() async throws {
        let publisher = Publisher(nil)
        let keys = RemoteKeys { publisher.fetch() }
        let server = try await TestServer.start(migration: [try Self.old.source(keys: keys)])
        func exchange(by issuer: ForeignIssuer = Self.old) async throws -> EndpointAnswer {
            let claims = ForeignIssuer.claims(
                server.clock.now, ["jti": .string(Ambient.live.randomToken(byteCount: 8))])
            return try await self.exchange(issuer.token(claims), server)
        }
        #expect(try await exchange().status == 503, "nobody can tell")
        publisher.publish(try Self.old.set)
        #expect(try await exchange().status == 503 && publisher.asked == 1, "it is not asked again at once")
        server.clock.advance(30)
        #expect(try await exchange().status == 200 && publisher.asked == 2)
        for number in 0..<5 {
            #expect(try await exchange(by: ForeignIssuer(keyID: "invented-\(number)")).status == 400)
        }
        #expect(publisher.asked == 2)
        let next = ForeignIssuer(keyID: "old-2")
        publisher.publish(JSONWebKeySet(keys: try Self.old.set.keys + next.set.keys))
        server.clock.advance(30)
        #expect(try await exchange(by: next).status == 200 && publisher.asked == 3, "a new key is found")
        publisher.publish(nil)
        server.clock.advance(3_600)
        #expect(try await exchange().status == 200 && publisher.asked == 4, "known keys serve while it is away")
        server.clock.advance(86_400)
        #expect(try await exchange().status == 503)
        await server.stop()
    }

    @Test func `sixteen that wait for keys cost one fetch`() async throws {
        let publisher = Publisher(try Self.old.set)
        let keys = RemoteKeys {
            try? await Task.sleep(for: .milliseconds(50))
            return publisher.fetch()
        }
        let header = try UnverifiedJWS(Self.old.token(ForeignIssuer.claims(VirtualClock().now))).header
        let now = VirtualClock().now
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await keys.candidates(for: header, at: now).count } }
            for try await count in group { #expect(count == 1) }
        }
        #expect(publisher.asked == 1)
    }
}
