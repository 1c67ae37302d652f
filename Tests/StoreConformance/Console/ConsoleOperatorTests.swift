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
}
