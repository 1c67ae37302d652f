import Authority
import Account
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("Console: signing keys")
struct ConsoleKeyTests {
    private func keys(_ server: TestServer) async throws -> [StoredKey] {
        try await server.services.managedSigningKeys.all()
    }

    private func published(_ server: TestServer) async throws -> Set<String> {
        let answer = try await server.get("/oauth2/jwks")
        return Set(answer.json["keys"]?.arrayValue?.compactMap { $0["kid"]?.stringValue } ?? [])
    }

    @Test func `every key has its bar and its row, and a rotation adds one that waits`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.operator)
        let page = try await browser.open("/admin/keys")
        #expect(
            page.status == 200 && page.body.contains("class=\"signing\"") && page.body.contains("class=\"present\""))
        for key in try await keys(server) { #expect(page.body.contains(key.keyID)) }
        let done = try await server.send(page, in: browser, ["action": "rotate", "algorithm": "ES256"])
        #expect(done.hasNotice && done.url.hasSuffix("done=rotated"))
        let added = try #require(try await keys(server).last)
        #expect(added.state(at: server.clock.now) == .next)
        #expect(try await published(server).contains(added.keyID), "at once")
        let again = try await server.send(page, in: browser, ["action": "rotate", "algorithm": "ES256"])
        #expect(again.url.hasSuffix("done=underway"))
        let events = try await server.events(.signingKeyAdded).filter { $0.actor == TestServer.subject.rawValue }
        #expect(events.map(\.target) == [added.keyID] && events.map(\.reason) == ["ES256"])
        #expect(try await server.events(.signingKeyRetired).allSatisfy { $0.actor == TestServer.subject.rawValue })
        let unknown = try await server.send(page, in: browser, ["action": "rotate", "algorithm": "none"])
        #expect(unknown.status == 422 && unknown.hasProblem)
        await server.stop()
    }

    @Test func `a dropped key is out at once, and another one signs`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web)
        let browser = try await server.operatorsBrowser(.operator)
        let page = try await browser.open("/admin/keys")
        let key = try #require(try await keys(server).first { $0.algorithm == "ES256" })
        let unsure = try await server.send(
            page, in: browser, ["action": "drop", "kid": key.keyID, "confirmation": "x"])
        #expect(unsure.status == 422 && unsure.hasProblem)
        #expect(try await published(server).contains(key.keyID))
        let done = try await server.send(
            page, in: browser, ["action": "drop", "kid": key.keyID, "confirmation": key.keyID])
        #expect(done.hasNotice)
        #expect(try await !published(server).contains(key.keyID))
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        #expect(
            try await keys(server).contains { $0.algorithm == "ES256" && $0.state(at: server.clock.now) == .signing })
        #expect(try await server.wasRecorded(.signingKeyDropped))
        let gone = try await server.send(page, in: browser, ["action": "drop", "kid": "x", "confirmation": "x"])
        #expect(gone.status == 422)
        await server.stop()
    }

    @Test func `lower roles see keys and change none`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.support)
        let page = try await browser.open("/admin/keys")
        #expect(page.status == 200 && !page.body.contains("<form"))
        var form = FormParameters()
        form.append("action", "rotate")
        #expect(try await browser.post("/admin/keys", form).status == 403)
        await server.stop()
    }

    @Test func `management lists, rotates and drops keys`() async throws {
        let server = try await TestServer.start()
        let rotated = try await server.manage("signing-key/rotate", ["alg": "ES256"])
        let kid = try #require(rotated.json["key"]?["kid"]?.stringValue)
        #expect(rotated.json["key"]?["state"] == "next")
        #expect(try await server.manage("signing-key/rotate", ["alg": "ES256"]).json["key"] == .null)
        #expect(try await server.manage("signing-key/rotate", ["alg": "HS256"]).status == 400)
        let all = try await server.manage("signing-key/all", nil, method: "GET")
        #expect(all.json["keys"]?.arrayValue?.contains { $0["kid"]?.stringValue == kid } == true)
        #expect(try await server.manage("signing-key/drop", ["kid": .string(kid)]).status == 200)
        #expect(try await server.manage("signing-key/drop", ["kid": .string(kid)]).status == 400)
        #expect(try await !published(server).contains(kid))
        await server.stop()
    }
}
