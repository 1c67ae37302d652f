import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@testable import Delivery

@Suite("Clients in ping mode, OpenID Connect CIBA Core §10.2")
struct PingModeTests {
    private static func pager(_ endpoint: String, isAllowed: Bool = false) -> Client {
        let client = TestClients.make(
            "pager", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
        ) {
            $0.grantTypes = ["authorization_code", GrantType.ciba.rawValue]
            $0.backchannelTokenDeliveryMode = "ping"
            $0.backchannelClientNotificationEndpoint = endpoint
        }
        return Client(
            id: client.id, metadata: client.metadata, secretDigests: client.secretDigests, isFirstParty: true,
            allowsPrivateLogoutAddress: isAllowed)
    }

    private static func ask(_ server: TestServer, _ client: Client, token: String?) async throws -> EndpointAnswer {
        var form = FormParameters()
        form.append("scope", "openid")
        form.append("login_hint", TestServer.username)
        form.append("client_notification_token", token)
        return try await server.post("/oauth2/bc-authorize", form, as: client)
    }

    /// A notice of a refused request.
    private static func refused(_ client: Client) async throws -> (TestServer, authReqID: String) {
        let server = try await TestServer.start(clients: [client])
        let answer = try await ask(server, client, token: "token-token-token-token")
        let id = try #require(answer.json["auth_req_id"]?.stringValue)
        let decision = try await server.services.stores.backchannel.deny(
            SecretDigest(of: Secret(id)), of: TestServer.subject, withOthers: false, at: server.clock.now)
        #expect(decision == .made)
        return (server, id)
    }

    @Test func `a decision queues one notification with the request and the client's token`() async throws {
        let (server, id) = try await Self.refused(Self.pager("https://pager.example/decided"))
        let notices = server.services.pingNotices
        let waiting = try await notices.store.waiting(limit: 9)
        #expect(waiting.map(\.clientID) == ["pager"])
        let notice = try #require(waiting.first)
        #expect(!String(decoding: notice.sealed, as: UTF8.self).contains(id))
        let post = try #require(notices.post(notice))
        #expect(post.uri == "https://pager.example/decided" && post.token.exposed() == "token-token-token-token")
        #expect(try JSONValue(parsing: post.body) == ["auth_req_id": .string(id)])
        await server.stop()
    }

    @Test(arguments: [nil, "", " ", "a b", "=", "a=b", "ä", String(repeating: "a", count: 1_025)] as [String?])
    func `what is no bearer token of at most 1024 characters is refused`(token: String?) async throws {
        let client = Self.pager("https://pager.example/decided")
        let server = try await TestServer.start(clients: [client])
        let answer = try await Self.ask(server, client, token: token)
        #expect(answer.status == 400 && answer.error == "invalid_request")
        await server.stop()
    }

    @Test(arguments: ["a", "A-._~+/9==", String(repeating: "a", count: 1_024)])
    func `what is one is taken`(token: String) async throws {
        let client = Self.pager("https://pager.example/decided")
        let server = try await TestServer.start(clients: [client])
        #expect(try await Self.ask(server, client, token: token).status == 200)
        await server.stop()
    }

    @Test func `B-10: a private address gets no notification, unless the operator allows the client one`()
        async throws
    {
        for isAllowed in [false, true] {
            let (server, _) = try await Self.refused(Self.pager("http://127.0.0.1:9/decided", isAllowed: isAllowed))
            let sender = PingNoticeSender(
                notices: server.services.pingNotices, issuer: "https://id.example.com",
                ambient: server.clock.ambient, report: { _ in })
            #expect(await sender.deliverDue() == 1)
            #expect(sender.counters.values.privateAddress == (isAllowed ? 0 : 1))
            #expect(sender.counters.values.postponed == (isAllowed ? 1 : 0), "nothing listens there")
            await server.stop()
        }
    }

    @Test func `a notification is given up when the request could not be redeemed any more`() async throws {
        let (server, _) = try await Self.refused(Self.pager("http://127.0.0.1:9/decided"))
        let sender = PingNoticeSender(
            notices: server.services.pingNotices, issuer: server.issuer, ambient: server.clock.ambient,
            report: { _ in })
        #expect(await sender.deliverDue() == 1)
        #expect(sender.counters.values.postponed == 1)
        server.clock.advance(Limits.backchannelSeconds + Limits.deviceRepeatSeconds)
        #expect(await sender.deliverDue() == 1)
        #expect(sender.counters.values.expired == 1)
        #expect(try await server.services.pingNotices.store.waiting(limit: 9).isEmpty)
        await server.stop()
    }

    @Test(arguments: [
        (200, DeliveryOutcome.sent), (204, .sent), (302, .permanent(reason: "status 302")),
        (401, .permanent(reason: "status 401")), (500, .temporary(reason: "status 500")),
    ])
    func `redirects and refusals are final`(status: Int, outcome: DeliveryOutcome) {
        #expect(PingNoticeSender.outcome(status) == outcome)
    }
}
