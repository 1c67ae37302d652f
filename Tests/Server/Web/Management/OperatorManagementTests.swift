import Authority
import HTTPTypes
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@testable import Web

@Suite("The management interface: operators with their own access token")
struct OperatorManagementTests {
    static let client = TestClients.make("admin", method: "none", secret: nil, firstParty: true, native: true) {
        $0.scope = "openid profile offline_access \(Scope.management)"
    }
    /// Of this company, but not registered for the scope.
    static let app = TestClients.make("app", method: "none", secret: nil, firstParty: true, native: true) {
        $0.scope = nil
    }
    /// Of another company.
    static let foreign = TestClients.make("foreign", method: "none", secret: nil, native: true) {
        $0.scope = "openid \(Scope.management)"
    }

    private func start() async throws -> TestServer {
        try await TestServer.start(clients: [Self.client, Self.app, Self.foreign])
    }

    /// Each row is called by each role, and by a user without one.
    @Test func `a row admits the roles from its own on, and rows without one admit no operator`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .owner)
        let written = RouteList.operators
        var found: Set<String> = []
        for row in server.web.routes where row.path.contains("/mgmt/") {
            let name = "\(row.method.rawValue) \(row.path)"
            let needed = written[name]
            if needed != nil { found.insert(name) }
            #expect((needed != nil) == (row.demands.last?.kind == .managementCaller), "\(name)")
            for role in [nil] + ConsoleRole.allCases.map(Optional.some) {
                try await server.makeOperator(role)
                let answer = try await server.asOperator(row.method.rawValue, row.path, token)
                guard let needed else {
                    #expect(answer.status == 401, "\(name): \(answer.status)")
                    continue
                }
                let isRefused = answer.status == 403 && answer.body.contains("the role \(needed.role.rawValue)")
                #expect(
                    isRefused == (role.map { $0 < needed.role } ?? true),
                    "\(name) as \(role?.rawValue ?? "none"): \(answer.status) \(answer.body)")
            }
        }
        #expect(found == Set(written.keys))
        await server.stop()
    }

    @Test func `what hurts wants a sign-in of the last minutes, the rest one of the last hours`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .owner, ago: Limits.sensitiveSeconds)
        for (name, needed) in RouteList.operators {
            let parts = name.split(separator: " ").map(String.init)
            let answer = try await server.asOperator(parts[0], parts[1], token)
            let challenge = answer.headers["www-authenticate"] ?? ""
            let isStale = answer.status == 401 && challenge.contains("insufficient_user_authentication")
            #expect(isStale == needed.isRecent, "\(name): \(answer.status) \(challenge)")
            guard isStale else { continue }
            #expect(challenge.contains("max_age=\"\(Limits.sensitiveSeconds)\""))
            #expect(challenge.contains("acr_values=\"\(AuthenticationFacts.severalFactorsClass)\""))
        }
        await server.stop()
    }

    @Test func `half a day later, and with a password alone, nothing opens`() async throws {
        let server = try await start()
        for token in [
            try await server.operatorToken(Self.client, .owner, methods: ["pwd"]),
            try await server.operatorToken(Self.client, .owner, ago: Limits.consoleSeconds),
        ] {
            let answer = try await server.asOperator("GET", "/v1/mgmt/client/all", token)
            #expect(answer.status == 401)
            #expect(answer.headers["www-authenticate"]?.contains("insufficient_user_authentication") == true)
        }
        await server.stop()
    }

    @Test func `a client that is not ours, or not registered for the scope, opens nothing`() async throws {
        let server = try await start()
        for (client, scope) in [
            (Self.app, "openid \(Scope.management)"), (Self.foreign, "openid \(Scope.management)"),
            (Self.client, "openid profile"),
        ] {
            let token = try await server.operatorToken(client, .owner, scope: scope)
            let answer = try await server.asOperator("GET", "/v1/mgmt/client/all", token)
            #expect(answer.status == 403 && answer.body.contains("not for the management interface"), "\(client.id)")
        }
        await server.stop()
    }

    @Test func `an ended session's token opens nothing, and neither does nonsense`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .owner)
        #expect(try await server.asOperator("GET", "/v1/mgmt/client/all", token).status == 200)
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .administrator, at: server.clock.ambient.now())
        #expect(try await server.asOperator("GET", "/v1/mgmt/client/all", token).status == 401)
        #expect(
            try await server.asOperator("GET", "/v1/mgmt/client/all", "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.AAAA").status
                == 401)
        await server.stop()
    }

    @Test func `a client is made with a profile that is known, or not at all`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .operator)
        for profile in ["fapi2", "nonsense"] {
            let body = #"{"client_id":"x","redirect_uris":["https://x.example/"],"profile":"\#(profile)"}"#
            let answer = try await server.asOperator("POST", "/v1/mgmt/client/create", token, body)
            #expect(answer.status == 400, "\(profile): \(answer.status) \(answer.body)")
        }
        #expect(try await server.services.stores.clients.find("x") == nil)
        await server.stop()
    }

    @Test func `a role that is taken away counts at once`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .owner)
        try await server.makeOperator(nil)
        #expect(try await server.asOperator("GET", "/v1/mgmt/client/all", token).status == 403)
        await server.stop()
    }

    /// Otherwise a helper could take over an owner's account.
    @Test func `a user with as much to say is changed by owners alone, however the call names them`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .support)
        let owner = UserID(rawValue: "an-owner")
        let now = server.clock.ambient.now()
        for (id, name) in [(owner, "owner@example.com"), (UserID(rawValue: "a-user"), "user@example.com")] {
            let identifier = try #require(Identifier(loginID: name))
            try await server.services.stores.users.create(
                Account(
                    user: User(id: id, createdAt: now, updatedAt: now), identifiers: [identifier: .verified],
                    passwordHash: nil))
        }
        try await server.makeOperator(.owner, owner)
        let bodies = [
            #"{"loginId":"owner@example.com","status":"disabled"}"#,
            #"{"loginId":"an-owner","status":"disabled"}"#,
            #"{"userId":"an-owner","loginId":"user@example.com","status":"disabled"}"#,
        ]
        for body in bodies {
            let answer = try await server.asOperator("POST", "/v1/mgmt/user/update/status", token, body)
            #expect(answer.status == 403 && answer.json["missing"] == "owner", "\(body): \(answer.status)")
        }
        // A call that names two users changes the one whom it is asked about.
        let both = #"{"userId":"a-user","loginId":"owner@example.com","status":"disabled"}"#
        #expect(try await server.asOperator("POST", "/v1/mgmt/user/update/status", token, both).status == 200)
        #expect(try await server.services.stores.users.account(owner)?.user.status == .active)
        let user = try await server.asOperator(
            "POST", "/v1/mgmt/user/update/status", token, #"{"loginId":"user@example.com","status":"disabled"}"#)
        #expect(user.status == 200)
        await server.stop()
    }

    @Test func `with a sign-in of hours ago a user is disabled, and not enabled`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .support, ago: Limits.sensitiveSeconds)
        let now = server.clock.ambient.now()
        let name = try #require(Identifier(loginID: "user@example.com"))
        try await server.services.stores.users.create(
            Account(
                user: User(id: UserID(rawValue: "a-user"), createdAt: now, updatedAt: now),
                identifiers: [name: .verified], passwordHash: nil))
        for (status, answered) in [("disabled", 200), ("enabled", 401)] {
            let body = #"{"userId":"a-user","status":"\#(status)"}"#
            let answer = try await server.asOperator("POST", "/v1/mgmt/user/update/status", token, body)
            #expect(answer.status == answered, "\(status): \(answer.body)")
        }
        await server.stop()
    }

    @Test func `events name the operator and where they were`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(Self.client, .owner)
        _ = try await server.asOperator("POST", "/v1/mgmt/tenant/create", token, #"{"id":"harbour","name":"Harbour"}"#)
        _ = try await server.services.auditLog.flush()
        var query = AuditQuery()
        query.kinds = [.tenantCreated]
        let event = try #require(try await server.services.stores.audit.records(query).first?.event)
        #expect(event.actor == TestServer.subject.rawValue && event.address == "127.0.0.1")
        await server.stop()
    }
}
