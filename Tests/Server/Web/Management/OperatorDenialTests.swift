import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@testable import Web

/// What an operator tries with a user who has as much to say, on each way: a call with the own token, a form of the
/// console, and the functions below both.
@Suite("Operators: users who have as much to say")
struct OperatorDenialTests {
    private static let name = "target@example.com"
    /// Below, and on the same rung.
    private static let ladders: [(ConsoleRole, ConsoleRole)] = [
        (.operator, .owner), (.operator, .operator), (.support, .operator), (.support, .support), (.support, .owner),
    ]

    private func start() async throws -> TestServer {
        let server = try await TestServer.start(clients: [OperatorManagementTests.client])
        let now = server.clock.now
        try await server.services.stores.tenants.create(Tenant(id: "harbour", name: "Harbour", createdAt: now))
        try await server.services.stores.roles.create(
            Role(id: "R1", tenantID: nil, name: "clerk", permissions: [], createdAt: now))
        try await server.services.directory.reload()
        return server
    }

    /// The user with what belongs to them.
    private struct Whole: Equatable {
        let account: Account
        let passwordSetAt: UnixTime?
        let mustReplacePassword: Bool
        let recoveryCodes: Int
        let sessions: [SessionID]
    }

    private static func whole(_ server: TestServer, _ id: UserID) async throws -> Whole {
        let stores = server.services.stores
        let password = try await stores.passwords.state(of: id)
        return Whole(
            account: try #require(try await stores.users.account(id)), passwordSetAt: password.setAt,
            mustReplacePassword: password.mustReplace, recoveryCodes: try await stores.recoveryCodes.count(of: id),
            sessions: try await server.services.managedUserAccess.sessions(of: id).others.map(\.session.id))
    }

    static let calls: [(String, String)] = [
        ("user/update/status", #""status": "disabled""#), ("user/delete", ""), ("user/logout", ""),
        ("user/sessions/end", #""sessionId": "x""#), ("user/secondfactor/delete", ""), ("user/password/reset", ""),
        ("user/invite", ""), ("user/password/set/active", #""password": "a-new-password-1""#),
        ("user/update/role/add", #""roleNames": ["clerk"]"#), ("user/update/role/remove", #""roleNames": ["clerk"]"#),
        ("user/update/tenant/add", #""tenantId": "harbour""#), ("user/update/tenant/remove", #""tenantId": "harbour""#),
        ("user/merge", #""otherLoginId": "bystander@example.com""#), ("operator/update", #""role": """#),
        ("operator/update", #""role": "owner""#),
    ]

    @Test(arguments: calls)
    func `O-5: no call of an operator's token changes such a user`(_ path: String, _ members: String) async throws {
        let server = try await start()
        _ = try await server.made("bystander@example.com")
        for (own, role) in Self.ladders {
            let token = try await server.operatorToken(OperatorManagementTests.client, own)
            let target = try await server.target(role)
            let before = try await Self.whole(server, target.user.id)
            let body = #"{"loginId": "\#(Self.name)"\#(members.isEmpty ? "" : ", \(members)")}"#
            let answer = try await server.asOperator("POST", "/v1/mgmt/\(path)", token, body)
            #expect(answer.status == 403, "\(own) \(path) of \(role): \(answer.status) \(answer.body)")
            #expect(answer.json["missing"] == "owner" || answer.body.contains("the role"), "\(answer.body)")
            #expect(try await Self.whole(server, target.user.id) == before)
        }
        await server.stop()
    }

    @Test func `O-5: the account that is merged away counts as much as the one that stays`() async throws {
        let server = try await start()
        let user = try await server.made("bystander@example.com")
        let token = try await server.operatorToken(OperatorManagementTests.client, .operator)
        let owner = try await server.target(.owner)
        let body = #"{"loginId": "bystander@example.com", "otherLoginId": "\#(Self.name)"}"#
        let answer = try await server.asOperator("POST", "/v1/mgmt/user/merge", token, body)
        #expect(answer.status == 403 && answer.json["missing"] == "owner")
        for id in [user.user.id, owner.user.id] {
            #expect(try await server.services.stores.users.account(id)?.user.status == .active)
        }
        await server.stop()
    }

    static let forms: [(String, KeyValuePairs<String, String>)] = [
        ("/sessions", ["action": "disable"]), ("/sessions", ["action": "end-all"]),
        ("/sessions", ["action": "end", "session": "x"]), ("", ["action": "invite"]), ("", ["action": "reset"]),
        ("", ["action": "reset-expiring"]), ("", ["action": "remove-factor"]),
        ("", ["action": "remove-passkey", "passkey": "x"]), ("", ["action": "remove-biometric", "key": "x"]),
        ("/change", ["action": "profile", "displayName": "N", "email": "evil@example.com"]),
        ("/change", ["action": "add-login-id", "loginId": "evil@example.com"]),
        ("/change", ["action": "roles", "role": "clerk"]), ("/change", ["action": "join", "tenant": "harbour"]),
        ("/change", ["action": "merge", "other": "bystander@example.com"]),
        ("/change", ["action": "delete", "confirm": name]), ("/change", ["action": "impersonate"]),
    ]

    @Test(arguments: forms)
    func `O-5: no form of the console changes such a user`(_ path: String, _ fields: KeyValuePairs<String, String>)
        async throws
    {
        let server = try await start()
        _ = try await server.made("bystander@example.com")
        for (own, role) in Self.ladders {
            let visit = try await server.operatorVisit(own)
            let target = try await server.target(role)
            let before = try await Self.whole(server, target.user.id)
            var form = FormParameters(["id": target.user.id.rawValue])
            for (name, value) in fields { form.append(name, value) }
            let answer = try await visit.post("/admin/users/user\(path)", form)
            #expect(answer.status == 403, "\(own) \(fields) of \(role): \(answer.status)")
            #expect(try await Self.whole(server, target.user.id) == before)
        }
        await server.stop()
    }

    /// A page or a row that forgot to ask changes nothing.
    @Test func `O-5: the rule is below pages and calls`() async throws {
        let server = try await start()
        let services = server.services
        let other = try await server.made("bystander@example.com")
        let target = try await server.target(.owner)
        let (id, access, users) = (target.user.id, services.managedUserAccess, services.managedUsers)
        let actor = Actor(
            TestServer.subject.rawValue,
            .operator(
                OperatorStanding(user: TestServer.subject.rawValue, role: .operator, isRecent: true, actingRoles: [])))
        let named = MethodBody(["loginId": .string(Self.name)])
        func body(_ members: [String: JSONValue]) -> MethodBody {
            MethodBody(named.members.merging(members) { $1 })
        }
        let works: [(String, () async throws -> Void)] = [
            ("update", { _ = try await users.update(body(["displayName": "N"]), by: actor) }),
            ("patch", { _ = try await users.patch(body(["email": "evil@example.com"]), by: actor) }),
            ("status", { _ = try await users.setStatus(body(["status": "disabled"]), by: actor) }),
            ("email", { _ = try await users.setAddress(.email, body(["email": "evil@example.com"]), by: actor) }),
            ("names", { _ = try await users.setNames(body(["displayName": "N"]), by: actor) }),
            ("picture", { _ = try await users.setPicture(body(["picture": "https://x.example/p"]), by: actor) }),
            ("login ID", { _ = try await users.setLoginID(body(["newLoginId": "evil@example.com"]), by: actor) }),
            (
                "attribute",
                { _ = try await users.setAttribute(body(["attributeKey": "a", "attributeValue": 1]), by: actor) }
            ),
            ("roles", { _ = try await users.changeRoles(body(["roleNames": ["clerk"]]), .set, by: actor) }),
            ("join", { _ = try await users.join(body(["tenantId": "harbour"]), by: actor) }),
            ("leave", { _ = try await users.leave(body(["tenantId": "harbour"]), by: actor) }),
            ("logout", { _ = try await users.logout(named, by: actor) }),
            ("delete", { try await users.delete(named, by: actor) }),
            ("add login ID", { _ = try await users.addLoginID("evil@example.com", to: target, by: actor) }),
            ("profile", { _ = try await users.save(.init(target), of: target, by: actor) }),
            ("session", { _ = try await access.end(SessionID(rawValue: "x"), of: target, by: actor) }),
            ("all sessions", { try await access.endAll(of: target, by: actor) }),
            ("device key", { _ = try await access.removeBiometricKey("x", of: target, by: actor) }),
            ("authenticator", { try await access.removeSecondFactor(of: target, by: actor) }),
            ("passkey", { _ = try await access.removePasskey(PasskeyID(rawValue: "x"), of: target, by: actor) }),
            ("passkeys", { try await access.removePasskeys(of: target, by: actor) }),
            (
                "password",
                {
                    try await access.setPassword(
                        of: Self.name, to: Secret("a-new-password"), mustReplace: false, by: actor)
                }
            ),
            ("expiry", { try await access.expirePassword(of: Self.name, by: actor) }),
            ("reset", { try await access.sendPasswordReset(to: target, isExpiring: true, by: actor, from: nil) }),
            ("invitation", { try await access.sendInvitation(to: target, by: actor) }),
            ("merge into", { _ = try await access.merge(other, into: target, by: actor) }),
            ("merge away", { _ = try await access.merge(target, into: other, by: actor) }),
            ("status of", { try await access.setStatus(.disabled, of: target, by: actor) }),
            ("delete of", { try await access.delete(target, confirmedBy: Self.name, by: actor) }),
            ("console role", { try await services.managedOperators.set(nil, of: target, named: nil, by: actor) }),
            (
                "impersonation",
                {
                    _ = try await services.sessions.impersonate(
                        target, by: other, needsConsent: false, .init(MethodBody()), isSteppedUp: false, actor: actor)
                }
            ),
            (
                "session of theirs",
                { _ = try await services.sessions.open(for: target, .init(MethodBody()), presented: nil, by: actor) }
            ),
            (
                "access key",
                {
                    _ = try await services.managedKeys.create(
                        body(["name": "n", "userId": .string(id.rawValue)]), by: actor)
                }
            ),
        ]
        let before = try await Self.whole(server, id)
        for (name, work) in works {
            await #expect(throws: Denial.self, "\(name)") { try await work() }
        }
        #expect(try await Self.whole(server, id) == before)
        await server.stop()
    }

    @Test func `no operator sets the own role, or another's`() async throws {
        let server = try await start()
        let user = try await server.made("friend@example.com")
        let token = try await server.operatorToken(OperatorManagementTests.client, .operator)
        for id in [TestServer.subject, user.user.id] {
            let body = #"{"userId": "\#(id.rawValue)", "role": "owner"}"#
            let answer = try await server.asOperator("POST", "/v1/mgmt/operator/update", token, body)
            #expect(answer.status == 403 && answer.json["missing"] == "owner", "\(answer.body)")
        }
        #expect(try await server.services.stores.consoleOperators.role(of: user.user.id) == nil)
        #expect(try await server.services.stores.consoleOperators.role(of: TestServer.subject) == .operator)
        await server.stop()
    }

    /// Programs that know users by their address would take the one for the other.
    @Test func `O-6: no user gets the address of another one from an operator`() async throws {
        let server = try await start()
        _ = try await server.target(.owner)
        let user = try await server.made("mine")
        let token = try await server.operatorToken(OperatorManagementTests.client, .operator)
        let body = #"{"loginId": "new", "email": "\#(Self.name)", "verifiedEmail": true}"#
        let made = try await server.asOperator("POST", "/v1/mgmt/user/create", token, body)
        #expect(made.status == 400 && made.json["errorCode"] == "E062107", "\(made.body)")
        #expect(try await server.account("new") == nil)
        let saved = try await server.operatorVisit(.operator).post(
            "/admin/users/user/change", ["id": user.user.id.rawValue, "action": "profile", "email": Self.name])
        #expect(saved.status == 422)
        #expect(try await server.services.stores.users.account(user.user.id)?.email != Self.name)
        await server.stop()
    }

    @Test func `a sign-in that is too old is asked for again, also for what a row does besides`() async throws {
        let server = try await start()
        let user = try await server.made("user@example.com")
        let token = try await server.operatorToken(
            OperatorManagementTests.client, .support, ago: Limits.sensitiveSeconds)
        let id = user.user.id.rawValue
        let ended = try await server.asOperator(
            "POST", "/v1/mgmt/user/sessions/end", token, #"{"userId": "\#(id)", "sessionId": "x"}"#)
        #expect(ended.status == 200)
        let removed = try await server.asOperator(
            "POST", "/v1/mgmt/user/sessions/end", token, #"{"userId": "\#(id)", "keyId": "x"}"#)
        #expect(removed.status == 401)
        #expect(removed.headers["www-authenticate"]?.contains("max_age=\"\(Limits.sensitiveSeconds)\"") == true)
        await server.stop()
    }

    @Test func `O-3: clients for administration are an owner's by an operator's token too`() async throws {
        let server = try await start()
        let token = try await server.operatorToken(OperatorManagementTests.client, .operator)
        let admin = OperatorManagementTests.client.id
        for (method, path, body) in [
            (
                "POST", "create",
                #"{"client_id": "handy", "redirect_uris": ["https://x.example/"], "first_party": true}"#
            ),
            (
                "POST", "create",
                #"{"client_id": "handy", "redirect_uris": ["https://x.example/"], "scope": "\#(Scope.management)"}"#
            ),
            ("PATCH", "patch", #"{"client_id": "\#(admin)", "redirect_uris": ["https://x.example/"]}"#),
            ("PATCH", "patch", #"{"client_id": "web", "scope": "openid \#(Scope.management)"}"#),
            ("PATCH", "patch", #"{"client_id": "portal", "redirect_uris": ["https://x.example/"]}"#),
        ] {
            let answer = try await server.asOperator(method, "/v1/mgmt/client/\(path)", token, body)
            #expect(answer.status == 403 && answer.json["missing"] == "owner", "\(body): \(answer.status)")
        }
        #expect(try await server.services.stores.clients.find("handy") == nil)
        let key = try await server.manage(
            "client/create", ["client_id": "handy", "redirect_uris": ["https://x.example/"], "first_party": true])
        #expect(key.status == 200, "a management key may")
        await server.stop()
    }
}

extension TestServer {
    /// Another user with this role, whom an operator tries to change.
    fileprivate func target(_ role: ConsoleRole) async throws -> Account {
        let account = try await made("target@example.com")
        try await makeOperator(role, account.user.id)
        return try #require(try await services.stores.users.account(account.user.id))
    }
}
