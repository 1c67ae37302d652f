import Authority
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// A store does no more than its permission says, and asks again with what stands in the row.
@Suite("Store: permissions")
struct PermissionTests {
    private static let rulebook = Rulebook(AuthorityPolicy())
    private static let session = Caller.session(
        SessionStanding(.page, isRecent: true, usedStrongFactor: false, usedSeveralFactors: false))

    private static func `operator`(_ role: ConsoleRole) -> Caller {
        .operator(OperatorStanding(user: "o1", role: role, isRecent: true, actingRoles: []))
    }

    @Test(arguments: Engines.withValues)
    func `a permission for a name changes no address and no role`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (users, andy) = (bench.stores.users, try await bench.user())
        let other = try bench.identifier("other@example.com")
        let changes: [@Sendable (inout Account) -> Void] = [
            { $0.identifiers[other] = .verified },
            { $0.memberships.roles = ["admin"] },
            { $0.user.status = .disabled },
            { $0.user.attributes["level"] = 3 },
        ]
        for change in changes {
            let refusal = try await bench.refusal {
                let allowed = try Self.rulebook.changePermission(
                    .changeProfile, to: Self.session, on: andy.subject)
                _ = try await users.change(by: allowed, at: bench.now) { account in
                    account.user.claims["name"] = "Mallory"
                    change(&account)
                }
            }
            #expect(refusal == .forbidden)
        }
        #expect(try await users.account(andy.user.id) == andy)
    }

    @Test(arguments: Engines.withValues)
    func `a session's permission ends when the sessions end`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (users, andy) = (bench.stores.users, try await bench.user())
        _ = try await bench.stores.passwords.set(
            PasswordChange(hash: "$argon2id$new", origin: .strong, historyMax: 0), of: andy.user.id, at: bench.now)
        let refusal = try await bench.refusal {
            let allowed = try Self.rulebook.changePermission(.changeProfile, to: Self.session, on: andy.subject)
            _ = try await users.change(by: allowed, at: bench.now) { $0.user.claims["name"] = "Mallory" }
        }
        #expect(refusal == .forbidden)
        #expect(try await users.account(andy.user.id)?.user.claims["name"] == andy.user.claims["name"])
    }

    @Test(arguments: Engines.withValues)
    func `an operator's permission ends when the user has as much to say`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (users, andy) = (bench.stores.users, try await bench.user())
        _ = try await bench.stores.consoleOperators.set(
            .owner, of: andy.user.id, by: "root", keepingOwner: true, at: bench.now)
        let refusal = try await bench.refusal {
            let allowed = try Self.rulebook.permission(
                Acts.DeleteAccount.self, to: Self.operator(.operator), on: andy.subject)
            _ = try await users.delete(by: allowed, at: bench.now)
        }
        #expect(refusal == .forbidden)
        #expect(try await users.account(andy.user.id) != nil)
    }

    @Test(arguments: Engines.withValues)
    func `an account that got an address without proof gets no role, and loses the one that it has`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (operators, andy) = (bench.stores.consoleOperators, try await bench.user())
        let give = { () async throws -> ConsoleRoleChange in
            try await operators.give(
                .support,
                by: try Self.rulebook.permission(
                    Acts.GiveConsoleRole.self, to: Self.operator(.owner), on: andy.subject),
                named: "olga", knownBy: nil, keepingOwner: true, at: bench.now)
        }
        #expect(try await give() == .changed(from: nil))
        _ = try await bench.stores.users.change(andy.user.id, at: bench.now) {
            $0.identifiers[Identifier(kind: .email, storedValue: "colleague@example.com")] = .unverified
        }
        #expect(try await bench.refusal { _ = try await give() } == .forbidden)
        let taken = try await operators.take(
            by: try Self.rulebook.permission(Acts.TakeConsoleRole.self, to: Self.operator(.owner), on: andy.subject),
            keepingOwner: true)
        #expect(taken == .changed(from: .support))
    }

    @Test(arguments: Engines.withValues)
    func `no operator but an owner makes a client that acts for operators, or one that asks nobody`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let clients = bench.stores.clients
        var metadata = ClientMetadata()
        metadata.scope = Scope.management
        let acting = Client(id: "acting", metadata: metadata, secretDigests: [])
        let own = Client(id: "own", metadata: ClientMetadata(), secretDigests: [], isFirstParty: true)
        for client in [acting, own] {
            let refusal = try await bench.refusal {
                let allowed = try Self.change(client.id, .operator)
                _ = try await clients.add(client, by: allowed, at: bench.now)
            }
            #expect(refusal == .forbidden)
            #expect(try await clients.find(client.id) == nil)
            #expect(try await clients.add(client, by: try Self.change(client.id, .owner), at: bench.now))
        }
        #expect(try await clients.add(bench.client("app"), by: try Self.change("app", .operator), at: bench.now))
        let changes: [(String, @Sendable (inout Client) -> Void)] = [
            ("app", { $0.metadata.scope = Scope.management }),
            ("own", { $0.metadata.redirectURIs = ["https://attacker.example/"] }),
            ("acting", { $0.secretDigests = [SecretDigest(of: Secret("known"))] }),
        ]
        for (id, change) in changes {
            let before = try await clients.find(id)
            let refusal = try await bench.refusal {
                _ = try await clients.change(by: try Self.change(id, .operator), at: bench.now, change)
            }
            #expect(refusal == .forbidden, "\(id)")
            #expect(try await clients.find(id) == before)
        }
        let refusal = try await bench.refusal {
            try await clients.put(bench.client("file"), by: try Self.change("file", .operator), at: bench.now)
        }
        #expect(refusal == .forbidden, "what the file says has an owner's rights")
    }

    @Test(arguments: Engines.withValues)
    func `44: a client that registers itself writes its own entry alone, and nothing that an operator gives`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let clients = bench.stores.clients
        try await clients.put(bench.client("operator's"), at: bench.now)
        var metadata = ClientMetadata()
        metadata.scope = Scope.management
        let registration = bench.client("x", token: "token").registration
        let claims = [
            Client(id: "x", metadata: metadata, secretDigests: [], registration: registration),
            Client(
                id: "x", metadata: ClientMetadata(), secretDigests: [], isFirstParty: true, registration: registration),
            bench.client("x"), bench.client("y", token: "token"),
        ]
        for claim in claims {
            let refusal = try await bench.refusal {
                let allowed = try Self.registration(Acts.RegisterClient.self, "x")
                _ = try await clients.register(claim, by: allowed, max: 9, at: bench.now)
            }
            #expect(refusal == .forbidden)
        }
        let removal = try await bench.refusal {
            _ = try await clients.remove(by: try Self.registration(Acts.RemoveClient.self, "operator's"), at: bench.now)
        }
        #expect(removal == .forbidden)
        #expect(try await clients.all(limit: 9).map(\.id) == ["operator's"])
    }

    @Test(arguments: Engines.withValues)
    func `a permission for a connection serves for no other, and for no other tenant's`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let connections = bench.stores.connections
        try await bench.stores.tenants.create(Tenant(id: "t1", name: "T", createdAt: bench.now))
        let stored = StoredConnection(id: "a", tenantID: "t1", sealed: [1])
        #expect(try await connections.create(stored, max: 9))
        for subject in [Subject.connection("b", tenant: "t1"), .connection("a", tenant: nil), .project(tenant: "t1")] {
            for isNew in [true, false] {
                let refusal = try await bench.refusal {
                    let allowed = try Self.rulebook.permission(
                        Acts.ChangeConnection.self, to: Self.operator(.owner), on: subject)
                    if isNew {
                        _ = try await connections.create(stored, by: allowed, max: 9)
                    } else {
                        _ = try await connections.replace(stored, with: [2], by: allowed)
                    }
                }
                #expect(refusal == .forbidden, "\(subject)")
            }
        }
        #expect(try await connections.all(limit: 9) == [stored])
    }

    private static func change(_ id: String, _ role: ConsoleRole) throws -> Allowed<Acts.ChangeClient> {
        try rulebook.permission(Acts.ChangeClient.self, to: `operator`(role), on: .client(id))
    }

    private static func registration<A: SingleAct>(_ act: A.Type, _ id: String) throws -> Allowed<A> {
        try rulebook.permission(act, to: .anonymous, on: .client(id), showing: .registration)
    }
}
