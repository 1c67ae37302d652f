import Authority
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: operators of the console")
struct ConsoleOperatorTests {
    @Test(arguments: Engines.withValues)
    func `roles are given, changed and taken away, and users who are deleted are no operators`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (operators, now) = (bench.stores.consoleOperators, bench.now)
        let (andy, maria) = (
            try await bench.user().user.id, try await bench.user("maria@example.com").user.id
        )
        func set(_ role: ConsoleRole?, _ user: UserID, at time: UnixTime) async throws -> ConsoleRoleChange {
            try await operators.set(role, of: user, by: "root", keepingOwner: true, at: time)
        }
        #expect(try await operators.role(of: andy) == nil)
        #expect(try await operators.all(limit: 9).isEmpty)
        #expect(try await set(.viewer, maria, at: now) == .changed(from: nil))
        #expect(try await set(.owner, andy, at: now + 1) == .changed(from: nil))
        #expect(try await set(.owner, andy, at: now + 2) == .unchanged)
        #expect(try await set(.support, maria, at: now + 3) == .changed(from: .viewer))
        #expect(
            try await operators.all(limit: 9) == [
                ConsoleOperator(userID: andy, role: .owner, since: now + 1, grantedBy: "root"),
                ConsoleOperator(userID: maria, role: .support, since: now + 3, grantedBy: "root"),
            ])
        #expect(try await operators.all(limit: 1).map(\.userID) == [andy])
        #expect(try await set(nil, maria, at: now) == .changed(from: .support))
        #expect(try await set(nil, maria, at: now) == .unchanged)
        #expect(try await bench.stores.users.delete(andy, at: now))
        #expect(try await operators.all(limit: 9).isEmpty)
        await #expect(throws: StoreError.self) { try await set(.viewer, andy, at: now) }
    }

    @Test(arguments: Engines.withValues)
    func `what others set up opens nothing once its user has a role in the console`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let account = try await bench.user()
        let user = account.user.id
        let (passwords, operators, users) = (
            bench.stores.passwords, bench.stores.consoleOperators, bench.stores.users
        )
        func set(_ hash: String, as caller: Caller, at now: UnixTime) async throws {
            let subject = try #require(try await users.account(user)).subject
            _ = try await passwords.set(
                PasswordChange(hash: hash, origin: .strong, historyMax: 3),
                by: try Rulebook(AuthorityPolicy()).permit(Acts.SetPassword.self, to: caller, on: subject), at: now)
        }
        func give(_ role: ConsoleRole?, knownBy address: Identifier? = nil) async throws -> ConsoleRoleChange {
            try await operators.set(
                role, of: user, by: "root", knownBy: address ?? account.provedAddresses.first, keepingOwner: false,
                at: bench.now)
        }
        func present() async throws -> Account { try #require(try await users.account(user)) }

        try await set("an owner's", as: Self.operator(.owner), at: bench.now)
        #expect(try await present().user.othersAt == nil)
        #expect(try await give(.viewer) == .changed(from: nil))
        #expect(try await present().passwordHash == "an owner's")
        #expect(try await give(nil) == .changed(from: .viewer))

        for caller in [Self.operator(.operator), Self.byProvider] {
            try await set("another's", as: caller, at: bench.now)
            // What its holder did since is no better.
            try await passwords.set("the user's", of: user, at: bench.now + 5)
            #expect(try await present().user.othersAt == bench.now)
            #expect(try await present().user.operatorsAt == (caller == Self.byProvider ? nil : bench.now))
            let unnamed = try await bench.refusal {
                _ = try await operators.set(.viewer, of: user, by: "root", keepingOwner: false, at: bench.now)
            }
            #expect(unnamed == .forbidden, "the only address that is left may be another's")
            #expect(try await give(.viewer) == .changed(from: nil, isVoided: true))
            #expect(try await present().passwordHash == nil)
            #expect(try await present().user.othersAt == nil)
            #expect(try await passwords.state(of: user) == PasswordState())
            try await passwords.set("a new one", of: user, at: bench.now + 9)
            #expect(try await give(.owner) == .changed(from: .viewer))
            #expect(try await present().passwordHash == "a new one")
            #expect(try await give(nil) == .changed(from: .owner))
        }
    }

    @Test(arguments: Engines.withValues)
    func `of the addresses that others proved, the one stays by which an owner knows the user`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let account = try await bench.user()
        let user = account.user.id
        let (operators, users) = (bench.stores.consoleOperators, bench.stores.users)
        let own = try #require(account.provedAddresses.first)
        let spys = try #require(Identifier(loginID: "spy@example.com"))
        let allowed = try Rulebook(AuthorityPolicy()).permitChange(
            [.addAddress, .proveAddress], to: Self.operator(.operator), on: account.subject)
        _ = try await users.change(by: allowed, at: bench.now) { $0.identifiers[spys] = .verified }
        func give(_ role: ConsoleRole?, knownBy address: Identifier?) async throws -> ConsoleRoleChange {
            try await operators.set(
                role, of: user, by: "root", knownBy: address, keepingOwner: false, at: bench.now)
        }
        for unknown in [nil, Identifier(loginID: "other@example.com")] {
            #expect(try await bench.refusal { _ = try await give(.viewer, knownBy: unknown) } == .forbidden)
        }
        #expect(try await operators.role(of: user) == nil)
        #expect(try await give(.viewer, knownBy: own) == .changed(from: nil, isVoided: true))
        #expect(try await users.account(user)?.provedAddresses == [own])
        #expect(try await users.account(spys) == nil)
    }

    private static func `operator`(_ role: ConsoleRole) -> Caller {
        .operator(OperatorStanding(user: "another", role: role, isRecent: true, actingRoles: []))
    }

    private static let byProvider = Caller.session(
        SessionStanding(
            .wire, isRecent: true, usedStrongFactor: false, usedSeveralFactors: false, isOfProvider: true))

    @Test(arguments: Engines.withValues)
    func `two owners who remove each other at once leave one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let owners = [try await bench.user().user.id, try await bench.user("maria@example.com").user.id]
        for owner in owners {
            _ = try await bench.stores.consoleOperators.set(
                .owner, of: owner, by: "root", keepingOwner: true, at: bench.now)
        }
        let changes = try await bench.race(10) { stores, number in
            try await stores.consoleOperators.set(
                number % 4 < 2 ? nil : .viewer, of: owners[number % 2], by: "them", keepingOwner: true, at: bench.now)
        }
        #expect(changes.contains(.lastOwner))
        let left = try await bench.stores.consoleOperators.all(limit: 9).filter { $0.role == .owner }
        #expect(left.count == 1)
        let last = try #require(left.first?.userID)
        let end = try await bench.stores.consoleOperators.set(
            nil, of: last, by: "root", keepingOwner: false, at: bench.now)
        #expect(end == .changed(from: .owner), "the command line may")
    }

    @Test(arguments: Engines.withValues)
    func `an owner who may not sign in is none that remains`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (operators, now) = (bench.stores.consoleOperators, bench.now)
        let (andy, maria) = (
            try await bench.user().user.id, try await bench.user("maria@example.com").user.id
        )
        for owner in [andy, maria] {
            _ = try await operators.set(.owner, of: owner, by: "root", keepingOwner: true, at: now)
        }
        for status in [User.Status.disabled, .expired, .invited] {
            _ = try await bench.stores.users.change(maria, at: now) { $0.user.status = status }
            #expect(try await operators.set(nil, of: andy, by: "root", keepingOwner: true, at: now) == .lastOwner)
            #expect(try await operators.set(.viewer, of: andy, by: "root", keepingOwner: true, at: now) == .lastOwner)
        }
        _ = try await bench.stores.users.change(maria, at: now) { $0.user.status = .active }
        let change = try await operators.set(nil, of: andy, by: "root", keepingOwner: true, at: now)
        #expect(change == .changed(from: .owner))
    }

    @Test(arguments: Engines.withValues)
    func `two owners who lock each other out at once leave one who can enter`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        var owners: [Account] = []
        for name in ["andy@example.com", "maria@example.com"] {
            let id = try await bench.user(name).user.id
            _ = try await bench.stores.consoleOperators.set(
                .owner, of: id, by: "root", keepingOwner: true, at: bench.now)
            owners.append(try #require(try await bench.stores.users.account(id)))
        }
        let (pair, rulebook) = (owners, Rulebook(AuthorityPolicy()))
        let caller = Caller.operator(OperatorStanding(user: "o1", role: .owner, isRecent: true, actingRoles: []))
        let refusals = try await bench.race(10) { stores, number in
            let owner = pair[number % 2]
            return try await bench.refusal {
                if number % 4 < 2 {
                    let allowed = try rulebook.changePermission(.changeStatus, to: caller, on: owner.subject)
                    _ = try await stores.users.change(by: allowed, at: bench.now) { $0.user.status = .disabled }
                } else {
                    let allowed = try rulebook.permission(Acts.DeleteAccount.self, to: caller, on: owner.subject)
                    _ = try await stores.users.delete(by: allowed, at: bench.now)
                }
            }
        }
        #expect(refusals.contains(.forbidden))
        var entering: [UserID] = []
        for entry in try await bench.stores.consoleOperators.all(limit: 9) where entry.role == .owner {
            let account = try #require(try await bench.stores.users.account(entry.userID))
            if account.user.status == .active { entering.append(entry.userID) }
        }
        #expect(entering.count == 1)
        let last = try #require(entering.first)
        #expect(try await bench.stores.users.delete(last, at: bench.now), "the machine may")
    }
}
