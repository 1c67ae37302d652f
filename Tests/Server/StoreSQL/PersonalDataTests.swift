import GRDB
import KeyturnBase
import Model
import Testing

@testable import StoreSQL

@Suite("What is kept about one user")
struct PersonalDataTests {
    /// The columns of each table, from the schema itself.
    private func columns() throws -> [String: Set<String>] {
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { db in
            try Migrations.apply(to: db)
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let rows = try Row.fetchAll(db, sql: "PRAGMA table_info('\(table)')")
                    return (table, Set(rows.map { $0["name"] as String }))
                })
        }
    }

    @Test func `every table is in the document, or is left out for a reason`() throws {
        let tables = Set(try columns().keys)
        let told = Set(PersonalSection.all.map(\.table))
        let leftOut = Set(PersonalSection.leftOut.keys)
        #expect(tables.subtracting(told).subtracting(leftOut).sorted() == [])
        #expect(told.union(leftOut).subtracting(tables).sorted() == [], "these are no tables any more")
        #expect(told.isDisjoint(with: leftOut))
        #expect(PersonalSection.leftOut.values.allSatisfy { $0.count > 5 })
        #expect(Set(PersonalSection.all.map(\.name)).count == PersonalSection.all.count)
    }

    @Test func `a table with a column for the user is left out only if it is known to be`() throws {
        let withUser = try columns().filter { $0.value.contains("user_id") }.keys
        #expect(withUser.count > 25)
        #expect(Set(withUser).subtracting(PersonalSection.all.map(\.table)).sorted() == [])
    }

    @Test func `every column is in the document, or is withheld for a reason`() throws {
        let columns = try columns()
        for section in PersonalSection.all {
            let told = Set(section.columns.map(\.name)).union(section.withheld.keys)
            let isOfUser = section.condition == "user_id = ?1"
            #expect(
                (columns[section.table] ?? []).subtracting(told) == (isOfUser ? ["user_id"] : []), "\(section.name)")
            #expect(told.subtracting(columns[section.table] ?? []) == [], "\(section.name)")
            #expect(section.columns.count + section.withheld.count == told.count, "\(section.name): twice")
        }
    }

    @Test func `secrets are withheld or told as a word`() {
        let secret = #/hash|digest|sealed|secret|salt|public_key/#
        for section in PersonalSection.all {
            for column in section.columns where column.name.contains(secret) {
                #expect(column.kind == .presence, "\(section.name).\(column.name)")
            }
        }
    }

    @Test func `each section reads rows of its user, and of no other`() throws {
        let filled = try FilledDatabase(rows: 3)
        let database = try SQLiteDatabase(path: filled.path)
        defer { database.close() }
        let queue = try filled.queue()
        for section in PersonalSection.all {
            let column = section.table == "user" ? "id" : "user_id"
            let named = "SELECT \"\(column)\" FROM \"\(section.table)\" WHERE \"\(column)\" IS NOT NULL"
            let users = try queue.read { db in try String.fetchAll(db, sql: named) }
            let user = try #require(users.first, "\(section.name)")
            let rows = try database.personalData(of: UserID(rawValue: user))[section.name]?.arrayValue
            #expect(rows?.count == users.count { $0 == user }, "\(section.name)")
            let none = try database.personalData(of: UserID(rawValue: "another"))[section.name]?.arrayValue
            #expect(none == [], "\(section.name)")
        }
    }
}
