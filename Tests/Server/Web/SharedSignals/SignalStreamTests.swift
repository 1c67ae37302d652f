import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@testable import Web

@Suite("Streams of shared signals (Shared Signals Framework 1.0, RFC 8936)")
struct SignalStreamTests {
    private static let revoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
    private static let changed = "https://schemas.openid.net/secevent/caep/event-type/credential-change"
    private static let verification = "https://schemas.openid.net/secevent/ssf/event-type/verification"

    private func start() async throws -> TestServer {
        try await TestServer.start(clients: [
            TestServer.receiver("one"), TestServer.receiver("two"),
            TestServer.receiver("reader", scope: Scope.signalsRead), TestServer.receiver("none", scope: "profile"),
        ])
    }

    private func disable(_ server: TestServer, _ status: String = "disabled") async throws {
        let body: JSONValue = ["loginId": .string(TestServer.username), "status": .string(status)]
        #expect(try await server.manage("user/update/status", body).status == 200)
    }

    @Test func `the metadata names what there is, and that every user's events are sent`() async throws {
        let server = try await start()
        let json = try await server.send("GET", "/.well-known/ssf-configuration", headers: [], body: nil).json
        #expect(json["issuer"] == .string(server.issuer) && json["spec_version"] == "1_0")
        #expect(json["default_subjects"] == "ALL" && json["add_subject_endpoint"] == nil)
        #expect(json["delivery_methods_supported"] == ["urn:ietf:rfc:8935", "urn:ietf:rfc:8936"])
        for (member, path) in [
            ("configuration_endpoint", "stream"), ("status_endpoint", "status"), ("verification_endpoint", "verify"),
        ] { #expect(json[member] == .string("\(server.issuer)/ssf/\(path)")) }
        await server.stop()
    }

    @Test func `a stream is made, read, changed, replaced and removed`() async throws {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        let made = try await one.send(
            "POST", "/ssf/stream",
            [
                "delivery": [
                    "method": "urn:ietf:rfc:8935", "endpoint_url": "http://127.0.0.1:1/x",
                    "authorization_header": "Bearer never-shown",
                ], "events_requested": [.string(Self.revoked), "urn:unknown"], "description": "Ours",
            ])
        #expect(made.status == 201 && !made.body.contains("never-shown"))
        #expect(made.json["events_delivered"] == [.string(Self.revoked)] && made.json["aud"] == "one")
        let id = try #require(made.json["stream_id"]?.stringValue)
        let read = try await one.send("GET", "/ssf/stream?stream_id=\(id)")
        #expect(read.json == made.json)
        let patched = try await one.send(
            "PATCH", "/ssf/stream", ["stream_id": .string(id), "events_requested": [.string(Self.changed)]])
        #expect(patched.status == 200 && patched.json["events_delivered"] == [.string(Self.changed)])
        #expect(patched.json["description"] == "Ours" && patched.json["delivery"] == made.json["delivery"])
        let wrong = try await one.send("PATCH", "/ssf/stream", ["stream_id": .string(id), "aud": "two"])
        #expect(wrong.status == 400 && wrong.json["err"] == "invalid_request")
        let kept = try #require(try await server.services.stores.signalStreams.stream(id, of: "one")?.push)
        #expect(kept.authorization != nil)
        let again = try await one.send("PUT", "/ssf/stream", patched.json)
        #expect(again.json == patched.json, "what was shown can be sent back")
        #expect(try await server.services.stores.signalStreams.stream(id, of: "one")?.push == kept)
        let moved: JSONValue = ["method": "urn:ietf:rfc:8935", "endpoint_url": "http://127.0.0.1:1/y"]
        _ = try await one.send("PATCH", "/ssf/stream", ["stream_id": .string(id), "delivery": moved])
        let elsewhere = try await server.services.stores.signalStreams.stream(id, of: "one")?.push
        #expect(elsewhere?.address == "http://127.0.0.1:1/y" && elsewhere?.authorization == nil)
        let replaced = try await one.send("PUT", "/ssf/stream", ["stream_id": .string(id)])
        #expect(replaced.json["delivery"]?["endpoint_url"] == .string("\(server.issuer)/ssf/poll/\(id)"))
        #expect(replaced.json["description"] == nil && replaced.json["events_delivered"]?.arrayValue?.count == 3)
        #expect(try await one.send("GET", "/ssf/stream").json == [replaced.json])
        #expect(try await one.send("DELETE", "/ssf/stream?stream_id=\(id)").status == 204)
        #expect(try await one.send("GET", "/ssf/stream?stream_id=\(id)").status == 404)
        #expect(try await one.send("GET", "/ssf/stream").json == [])
        _ = try await server.services.auditLog.flush()
        let events = try await server.services.stores.audit.search(AuditQuery()).filter { $0.target == id }
        #expect(
            events.map(\.kind) == [
                .signalStreamDeleted, .signalStreamChanged, .signalStreamChanged, .signalStreamChanged,
                .signalStreamCreated,
            ])
        #expect(!"\(events)".contains("never-shown"))
        await server.stop()
    }

    @Test func `a client sees its own streams alone, and only with a scope that the operator gave it`() async throws {
        let server = try await start()
        let (one, two) = (try await TestReceiver("one", server), try await TestReceiver("two", server))
        let id = try await one.make()
        let body: JSONValue = ["stream_id": .string(id), "status": "disabled"]
        for (method, path, body) in [
            ("GET", "/ssf/stream?stream_id=\(id)", nil), ("DELETE", "/ssf/stream?stream_id=\(id)", nil),
            ("PATCH", "/ssf/stream", body), ("PUT", "/ssf/stream", body), ("POST", "/ssf/status", body),
            ("GET", "/ssf/status?stream_id=\(id)", nil), ("POST", "/ssf/verify", body),
            ("POST", "/ssf/poll/\(id)", ["returnImmediately": true]),
        ] as [(String, String, JSONValue?)] {
            #expect(try await two.send(method, path, body).status == 404, "\(method) \(path)")
        }
        let reader = try await TestReceiver("reader", server, scope: Scope.signalsRead)
        #expect(try await reader.send("GET", "/ssf/stream").json == [])
        let refused = try await reader.send("POST", "/ssf/stream", [:])
        #expect(refused.status == 403 && refused.headers["www-authenticate"]?.contains("insufficient_scope") == true)
        #expect(try await reader.send("POST", "/ssf/poll/\(id)", [:]).status == 403)
        let none = try await TestReceiver("none", server, scope: "profile")
        #expect(try await none.send("GET", "/ssf/stream").status == 403)
        for _ in 1..<Limits.signalStreamsMax { _ = try await one.make() }
        #expect(try await one.send("POST", "/ssf/stream", [:]).status == 409)
        await server.stop()
    }

    @Test func `a user's token opens no streams, whatever its scope, nor one that was made for another server`()
        async throws
    {
        let app = TestClients.make("app", method: "none", secret: nil, firstParty: true, native: true) {
            $0.scope = "openid \(Scope.signalsManage)"
        }
        let elsewhere = TestServer.receiver("api").acting([], resources: ["https://api.example.com"])
        let server = try await TestServer.start(clients: [app, TestServer.receiver("one"), elsewhere])
        let tokens = try await server.tokens(app) { $0.scope = "openid \(Scope.signalsManage)" }
        #expect(tokens.scope?.contains(Scope.signalsManage) == true)
        #expect(try await TestReceiver(token: tokens.accessToken, server).send("GET", "/ssf/stream").status == 403)
        let other = try await server.ownToken(
            of: "one", scope: "\(Scope.signalsManage)&resource=https://api.example.com")
        #expect(try await TestReceiver(token: other, server).send("GET", "/ssf/stream").status == 401)
        await server.stop()
    }

    @Test func `what cannot be read is refused, and changes nothing`() async throws {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        let push = "urn:ietf:rfc:8935"
        let bodies: [JSONValue] = [
            [], ["delivery": "x"], ["delivery": ["method": "urn:x"]], ["delivery": ["method": .string(push)]],
            ["delivery": ["method": .string(push), "endpoint_url": "ftp://receiver.example/"]],
            ["delivery": ["method": .string(push), "endpoint_url": "https://receiver.example/#f"]],
            [
                "delivery": [
                    "method": .string(push), "endpoint_url": "https://receiver.example/",
                    "authorization_header": "a\r\nX-Y: z",
                ]
            ], ["delivery": ["method": "urn:ietf:rfc:8936", "endpoint_url": "https://elsewhere.example/"]],
            ["events_requested": "x"], ["events_requested": [1]], ["events_requested": []],
            ["description": .string(String(repeating: "x", count: 100_000))],
        ]
        for body in bodies {
            let answer = try await one.send("POST", "/ssf/stream", body)
            #expect(answer.status == 400 && answer.json["err"] == "invalid_request", "\(body): \(answer.status)")
        }
        #expect(try await one.send("GET", "/ssf/stream").json == [])
        let id = try await one.make()
        let polls: [JSONValue] = [
            ["maxEvents": -1], ["maxEvents": "1"], ["ack": "x"], ["setErrs": []], ["returnImmediately": 1],
        ]
        for body in polls { #expect(try await one.send("POST", "/ssf/poll/\(id)", body).status == 400, "\(body)") }
        #expect(try await one.send("POST", "/ssf/status", ["stream_id": .string(id), "status": "gone"]).status == 400)
        #expect(try await one.send("DELETE", "/ssf/stream").status == 400)
        await server.stop()
    }

    @Test func `events are polled until they are acknowledged, in any order`() async throws {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        try await disable(server)
        _ = try await server.services.auditLog.flush()
        let id = try await one.make()
        #expect(try await one.poll(id).isEmpty, "it begins with what happens from now on")
        for status in ["enabled", "disabled", "enabled", "disabled", "enabled", "disabled"] {
            try await disable(server, status)
        }
        let all = try await one.poll(id)
        #expect(all.count == 3 && all.values.allSatisfy { $0.0 == Self.revoked && $0.1["aud"] == "one" })
        #expect(Set(try await one.poll(id).keys) == Set(all.keys), "not acknowledged")
        let first = try await one.poll(id, ["maxEvents": 1])
        #expect(first.count == 1)
        let later = try #require(all.keys.first { first[$0] == nil })
        let left = try await one.poll(id, ["ack": [.string(later)]])
        #expect(left.count == 2 && left[later] == nil)
        let refused = try #require(left.keys.first)
        let last = try await one.poll(
            id, ["setErrs": [refused: ["err": "invalid_audience", "description": "x"]], "ack": ["unknown"]])
        #expect(last.count == 1)
        #expect(try await one.poll(id, ["ack": .array(last.keys.map(JSONValue.string)), "maxEvents": 0]).isEmpty)
        #expect(try await one.poll(id).isEmpty)
        let stream = try await server.services.stores.signalStreams.stream(id, of: "one")
        #expect(stream?.taken == [], "nothing is kept of what is done")
        let told = try await server.services.stores.audit.search(AuditQuery()).first { $0.kind == .signalRefused }
        #expect(told?.reason == "invalid_audience" && told?.target == id)
        await server.stop()
    }

    @Test func `a stream has what its receiver asked for, waits while paused, and passes over while disabled`()
        async throws
    {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        let credentials = try await one.make(["events_requested": [.string(Self.changed)]])
        let sessions = try await one.make(["events_requested": [.string(Self.revoked)]])
        func set(_ status: String) async throws {
            let body: JSONValue = ["stream_id": .string(sessions), "status": .string(status), "reason": "work"]
            let answer = try await one.send("POST", "/ssf/status", body)
            #expect(answer.status == 200 && answer.json["status"] == .string(status))
            #expect(try await one.send("GET", "/ssf/status?stream_id=\(sessions)").json == answer.json)
        }
        try await set("paused")
        try await disable(server)
        #expect(try await one.poll(sessions).isEmpty)
        try await set("enabled")
        let waited = try await one.poll(sessions)
        #expect(waited.count == 1)
        #expect(try await one.poll(credentials).isEmpty)
        _ = try await one.poll(sessions, ["ack": .array(waited.keys.map(JSONValue.string))])
        try await set("disabled")
        try await disable(server, "enabled")
        try await disable(server)
        _ = try await server.services.auditLog.flush()
        try await set("enabled")
        #expect(try await one.poll(sessions).isEmpty)
        await server.stop()
    }

    @Test func `a verification event has the receiver's state, and comes at most twice a minute`() async throws {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        let id = try await one.make()
        let body: JSONValue = ["stream_id": .string(id), "state": "VGhpcyBpcw"]
        #expect(try await one.send("POST", "/ssf/verify", body).status == 204)
        let early = try await one.send("POST", "/ssf/verify", body)
        #expect(early.status == 429 && early.headers["retry-after"] == "30")
        let events = try await one.poll(id)
        let (jti, event) = try #require(events.first)
        #expect(events.count == 1 && event.0 == Self.verification)
        #expect(event.1["sub_id"] == ["format": "opaque", "id": .string(id)])
        #expect(event.1["events"]?[Self.verification] == ["state": "VGhpcyBpcw"])
        #expect(try await one.poll(id, ["ack": [.string(jti)]]).isEmpty)
        server.clock.advance(30)
        let again = try await TestReceiver("one", server)
        #expect(try await again.send("POST", "/ssf/verify", ["stream_id": .string(id)]).status == 204)
        #expect(try await again.poll(id).values.first?.1["events"]?[Self.verification] == [:])
        await server.stop()
    }

    @Test func `requests at the same time change what each names, and nothing of the others`() async throws {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        let id = try await one.make()
        let push: JSONValue = ["method": "urn:ietf:rfc:8935", "endpoint_url": "http://127.0.0.1:1/x"]
        let changes: [[String: JSONValue]] = [
            ["delivery": push], ["events_requested": [.string(Self.revoked)]], ["description": "Ours"],
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for change in changes {
                group.addTask {
                    let body = change.merging(["stream_id": .string(id)]) { given, _ in given }
                    let answer = try await one.send("PATCH", "/ssf/stream", .object(body))
                    #expect(answer.status == 200)
                }
            }
            try await group.waitForAll()
        }
        let json = try await one.send("GET", "/ssf/stream?stream_id=\(id)").json
        #expect(json["delivery"] == push && json["description"] == "Ours")
        #expect(json["events_requested"] == [.string(Self.revoked)])
        #expect(try await one.send("POST", "/ssf/poll/\(id)", [:]).status == 400, "it is pushed")
        await server.stop()
    }

    @Test func `a poll waits for an event`() async throws {
        let server = try await start()
        let one = try await TestReceiver("one", server)
        let id = try await one.make()
        async let answer = one.send("POST", "/ssf/poll/\(id)", [:])
        try await Task.sleep(for: .milliseconds(300))
        try await disable(server)
        _ = try await server.services.auditLog.flush()
        #expect(try await answer.json["sets"]?.objectValue?.count == 1)
        await server.stop()
    }
}
