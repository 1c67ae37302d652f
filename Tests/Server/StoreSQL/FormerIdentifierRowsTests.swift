import Foundation
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import StoreSQL

@Suite("Login IDs of earlier releases")
struct FormerIdentifierRowsTests {
    private let database: SQLiteDatabase
    private let now = UnixTime(rawValue: 1_000_000)
    private var users: any UserStore { database.stores().users }

    init() throws {
        database = try SQLiteDatabase(path: nil)
    }

    private func add(_ name: String, stored: String, _ state: Account.IdentifierState = .verified) async throws
        -> UserID
    {
        let user = User(id: .make(.live), createdAt: now, updatedAt: now)
        let placeholder = Identifier(kind: .username, storedValue: "u\(user.id.rawValue.prefix(8))")
        try await users.create(Account(user: user, identifiers: [placeholder: state], passwordHash: "$h"))
        let kind = name.contains("@") ? "email" : "username"
        _ = try await database.write(.guarded) { db in
            try db.run(
                "UPDATE identifier SET kind = ?, value = ? WHERE value = ?", [kind, stored, placeholder.value])
        }
        return user.id
    }

    private func values() async throws -> [String] {
        try await database.read { db in
            try db.all("SELECT value FROM identifier ORDER BY value", []).map { $0["value"] }
        }
    }

    @Test func `an address with a domain as it is read is found in each spelling, and kept from others`() async throws {
        let id = try await add("u@exämple.com", stored: "u@exämple.com")
        let typed = try #require(Identifier(loginID: "U@EXÄMPLE.com"))
        for name in ["u@exämple.com", "u@xn--exmple-cua.com", "u@exa\u{308}mple.com"] {
            let account = try await users.account(try #require(Identifier(loginID: name)))
            #expect(account?.user.id == id && account?.identifiers[typed] == .verified)
        }
        var query = UserQuery()
        query.identifiers = [[typed]]
        #expect(try await users.search(query).map(\.user.id) == [id])
        let other = Account(
            user: User(id: .make(.live), createdAt: now, updatedAt: now), identifiers: [typed: .unverified],
            passwordHash: nil)
        let problem = await #expect(throws: StoreError.self) { try await users.create(other) }
        #expect(problem?.code == .conflict)
        var row = ImportedUser(newID: .make(.live))
        row.identifiers = [typed: .verified]
        let outcomes = try await database.userImport().apply([row], UserImportPlan(), at: now)
        #expect(outcomes == [.unchanged(id)])
        // With the next change it is spelt as all are.
        _ = try await users.change(id, at: now) { $0.user.claims["name"] = "U" }
        #expect(try await values() == ["u@xn--exmple-cua.com"])
        #expect(try await users.account(typed)?.user.id == id)
    }

    @Test func `two accounts with one mailbox stay two, and the one that proved it is meant`() async throws {
        let claimed = try await add("u@x.com", stored: "u@xn--exmple-cua.com", .unverified)
        let proved = try await add("u@x.com", stored: "u@exämple.com")
        let typed = try #require(Identifier(loginID: "u@exämple.com"))
        #expect(try await users.account(typed)?.user.id == proved)
        for id in [proved, claimed, proved] {
            _ = try await users.change(id, at: now) { $0.user.claims["name"] = "U" }
        }
        #expect(try await values() == ["u@exämple.com", "u@xn--exmple-cua.com"])
        #expect(try await users.account(typed)?.user.id == proved)
        #expect(try await users.account(claimed)?.identifiers == [typed: .unverified])
    }

    @Test func `a name that looks like another one still leads to its account, and is given to no other`() async throws
    {
        let name = "ad\u{200B}minz"
        let id = try await add(name, stored: name)
        let identifier = try #require(Identifier(loginID: name))
        #expect(try await users.account(identifier)?.user.id == id)
        let changed = try await users.change(id, at: now) { $0.user.claims["name"] = "A" }
        #expect(changed.identifiers == [identifier: .verified])
        #expect(try await users.account(identifier)?.passwordHash == "$h")
        let another = try #require(Identifier(loginID: "a\u{202E}b1"))
        let problem = await #expect(throws: StoreError.self) {
            _ = try await users.change(id, at: now) { $0.identifiers[another] = .verified }
        }
        #expect(problem?.code == .conflict)
        let user = User(id: .make(.live), createdAt: now, updatedAt: now)
        let other = await #expect(throws: StoreError.self) {
            try await users.create(Account(user: user, identifiers: [another: .verified], passwordHash: nil))
        }
        #expect(other?.code == .conflict)
        #expect(try await values() == [name])
    }
}
