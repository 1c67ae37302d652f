import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

extension TestServer {
    /// A client that may have streams of security events, or look at them.
    static func receiver(_ id: String, scope: String = Scope.signalsManage) -> Client {
        TestClients.make(id, method: "client_secret_post", secret: TestClients.webSecret) {
            $0.grantTypes = [GrantType.clientCredentials.rawValue]
            $0.scope = scope
        }
    }

    /// A token that the client gets for itself.
    func ownToken(of id: String, scope: String = Scope.signalsManage) async throws -> String {
        let answer = try await send(
            "POST", "/oauth2/token", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: """
                grant_type=client_credentials&client_id=\(id)&client_secret=\(TestClients.webSecret)&scope=\(scope)
                """)
        return try #require(answer.json["access_token"]?.stringValue, "\(answer.body)")
    }
}

/// What a receiver does at a server.
struct TestReceiver {
    let server: TestServer
    let token: String

    init(token: String, _ server: TestServer) {
        self.server = server
        self.token = token
    }

    init(_ id: String, _ server: TestServer, scope: String = Scope.signalsManage) async throws {
        self.server = server
        token = try await server.ownToken(of: id, scope: scope)
    }

    func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> EndpointAnswer {
        try await server.send(
            method, path, headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
            body: body.map { String(decoding: $0.serialized, as: UTF8.self) })
    }

    func make(_ body: JSONValue = [:]) async throws -> String {
        let answer = try await send("POST", "/ssf/stream", body)
        return try #require(answer.status == 201 ? answer.json["stream_id"]?.stringValue : nil, "\(answer.body)")
    }

    /// The events that wait, by `jti`: type and `sub_id`.
    func poll(_ id: String, _ body: [String: JSONValue] = [:]) async throws -> [String: (String, JSONValue)] {
        _ = try await server.services.auditLog.flush()
        let body = body.merging(["returnImmediately": true]) { given, _ in given }
        let answer = try await send("POST", "/ssf/poll/\(id)", .object(body))
        #expect(answer.status == 200, "\(answer.body)")
        var events: [String: (String, JSONValue)] = [:]
        for (id, text) in answer.json["sets"]?.objectValue ?? [:] {
            let part = try #require(text.stringValue).split(separator: ".")[1]
            let claims = try JSONValue(parsing: try #require(Base64URL.decode(String(part))))
            #expect(claims["jti"] == .string(id) && claims["iss"] == .string(server.issuer))
            let event = try #require(claims["events"]?.objectValue?.first)
            events[id] = (event.key, claims)
        }
        return events
    }
}
