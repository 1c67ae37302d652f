import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Users without an account: the grant")
struct AnonymousGrantTests {
    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `a new key makes a user, and signs the same user in again`(_ algorithm: SignatureAlgorithm) async throws {
        let server = try await AnonymousDevice.server()
        let device = try AnonymousDevice(server, algorithm)
        let first = try await device.signIn(isNew: true)
        #expect(first.status == 200, "\(first.body)")
        let claims = try AnonymousDevice.claims(first)
        #expect(claims[AuthgearNames.isAnonymous] == true && claims[UserClaims.canReauthenticate] == false)
        #expect(claims["amr"]?.stringArrayValue == ["x_anonymous"] && claims["acr"] == "0")
        #expect(first.json["scope"] == "openid offline_access")
        let access = try #require(first.json["access_token"]?.stringValue)
        let info = try await server.get("/oauth2/userinfo", token: access)
        #expect(info.json["sub"] == claims["sub"] && info.json[AuthgearNames.isAnonymous] == true)
        server.clock.advance(100)
        let second = try await device.signIn()
        #expect(try AnonymousDevice.claims(second)["sub"] == claims["sub"])
        // One session for each key; and the same key shown once more is not another user.
        #expect(
            try await server.refresh(first.json["refresh_token"]?.stringValue, AnonymousDevice.app).error
                == "invalid_grant")
        let refreshed = try await server.refresh(second.json["refresh_token"]?.stringValue, AnonymousDevice.app)
        #expect(try AnonymousDevice.claims(refreshed)[AuthgearNames.isAnonymous] == true)
        #expect(try AnonymousDevice.claims(try await device.signIn(isNew: true))["sub"] == claims["sub"])
        #expect(try await server.audited().isSuperset(of: ["user.created", "grant.issued"]))
        await server.stop()
    }

    @Test func `only a client that is registered for it has such users`() async throws {
        let server = try await AnonymousDevice.server()
        let device = try AnonymousDevice(server)
        let jwt = try await device.request(.authenticate, isNew: true)
        #expect(try await device.send(jwt, as: TestClients.tool).error == "unauthorized_client")
        #expect(try await device.send(jwt).status == 200)
        let discovery = try await server.get("/.well-known/openid-configuration")
        #expect(
            discovery.json["grant_types_supported"]?.stringArrayValue?.contains(GrantType.anonymousRequest.rawValue)
                == true)
        await server.stop()
    }

    @Test func `G-1: a request that the key did not sign makes no user, and signs no user in`() async throws {
        let server = try await AnonymousDevice.server()
        let device = try AnonymousDevice(server)
        let thief = try SigningKey.generate(.es256)
        let forged = try await device.request(.authenticate, isNew: true, signedBy: thief)
        #expect(try await device.send(forged).saysInvalidCredentials)
        #expect(try await device.signIn().saysInvalidCredentials, "an unknown key that is not shown")
        let user = try await device.signUp()
        #expect(
            try await device.send(try await device.request(.authenticate, signedBy: thief)).saysInvalidCredentials)
        // Another key under the name of this one.
        let other = try await device.request(.authenticate, signedBy: thief, shows: thief.publicKey)
        #expect(try await device.send(other).saysInvalidCredentials)
        let foreign = try await device.request(.authenticate)
        #expect(try await device.send(foreign, as: AnonymousDevice.other).saysInvalidCredentials)
        #expect(try await device.isAnonymous(user) == true)
        await server.stop()
    }

    @Test func `G-2: a challenge counts once, for its own purpose and time`() async throws {
        let server = try await AnonymousDevice.server()
        let device = try AnonymousDevice(server)
        let jwt = try await device.request(.authenticate, isNew: true)
        #expect(try await device.send(jwt).status == 200)
        #expect(try await device.send(jwt).saysInvalidCredentials)
        let biometric = try await device.challenge("biometric_request")
        #expect(try await device.send(try await device.request(.authenticate, biometric)).saysInvalidCredentials)
        #expect(try await device.send(try await device.request(.authenticate, "made up")).saysInvalidCredentials)
        let type = try await device.request(.authenticate, type: BiometricNames.requestType)
        #expect(try await device.send(type).saysInvalidCredentials)
        let promotion = try await device.send(try await device.request(.promote))
        #expect(promotion.error == "invalid_request")
        let late = try await device.request(.authenticate)
        server.clock.advance(Limits.challengeSeconds + 1)
        #expect(try await device.send(late).saysInvalidCredentials)
        await server.stop()
    }

    @Test func `G-3: one network makes so many users and no more`() async throws {
        let server = try await AnonymousDevice.server()
        for _ in 0..<Limits.anonymousSignUpsOfNetworkMax {
            #expect(try await Self.signUp(server).status == 200)
        }
        #expect(try await Self.signUp(server).status == 429)
        let device = try AnonymousDevice(server)
        #expect(try await device.signIn(isNew: true).error == "temporarily_unavailable")
        server.clock.advance(Limits.anonymousWindowSeconds)
        #expect(try await device.signIn(isNew: true).status == 200)
        await server.stop()
    }

    @Test func `pages without keys have users by their session, and those who come back keep theirs`() async throws {
        let server = try await AnonymousDevice.server()
        let first = try await Self.signUp(server)
        #expect(first.status == 200 && first.json["result"]?["id_token"] == nil, "\(first.body)")
        let access = try #require(first.json["result"]?["access_token"]?.stringValue)
        let sub = try await server.get("/oauth2/userinfo", token: access).json["sub"]
        let refresh = try #require(first.json["result"]?["refresh_token"]?.stringValue)
        let again = try await Self.signUp(server, ["refresh_token": .string(refresh)])
        let second = try #require(again.json["result"]?["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", token: second).json["sub"] == sub)
        let refusals: [([String: JSONValue], Int)] = [
            (["session_type": "cookie"], 400), (["session_type": "other"], 400), (["client_id": "unknown"], 400),
            (["client_id": "tool"], 403), (["client_id": "web"], 403), (["refresh_token": "made up"], 403),
            (["client_id": "reader", "refresh_token": .string(refresh)], 403),
        ]
        for (members, status) in refusals {
            let answer = try await Self.signUp(server, members)
            #expect(answer.status == status && answer.json["error"]?["reason"] != nil, "\(members) \(answer.body)")
        }
        await server.stop()
    }

    @Test func `management and search say that a user has no account`() async throws {
        let server = try await AnonymousDevice.server()
        let user = try await AnonymousDevice(server).signUp()
        let answer = try await server.get(
            "/v1/mgmt/user?userId=\(user.rawValue)", token: "test:\(TestServer.managementKey)")
        #expect(answer.json["user"]?["anonymous"] == true, "\(answer.body)")
        await server.stop()
    }

    @Test func `an app that wants two factors has no users without any`() async throws {
        let strict = TestClients.make("strict", method: "none", secret: nil, firstParty: true, native: true) {
            $0.grantTypes = AnonymousDevice.app.metadata.grantTypes
            $0.defaultACRValues = [AuthenticationFacts.severalFactorsClass]
        }
        let server = try await TestServer.start(clients: [strict])
        let device = try AnonymousDevice(server)
        let jwt = try await device.request(.authenticate, isNew: true)
        #expect(try await device.send(jwt, as: strict).error == "interaction_required")
        await server.stop()
    }

    /// Asks for a user without a key.
    static func signUp(
        _ server: TestServer, _ changes: [String: JSONValue] = [:]
    ) async throws -> EndpointAnswer {
        let body: [String: JSONValue] = ["client_id": "game", "session_type": "refresh_token"]
        return try await server.send(
            "POST", "/api/anonymous_user/signup", headers: [("Content-Type", "application/json")],
            body: String(
                decoding: JSONValue.object(body.merging(changes) { _, new in new }).serialized, as: UTF8.self))
    }
}
