import Foundation
import KeyturnBase
import StoreSQL
import Testing

@testable import keyturn

@Suite("The identifier of the project")
struct ProjectIDTests {
    private func withDatabase(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("id-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("keyturn.db").path)
    }

    @Test func `each new installation has one of its own, which its database keeps`() async throws {
        try await withDatabase { path in
            #expect(SQLiteDatabase.projectID(path: path) == nil)
            let database = try SQLiteDatabase(path: path)
            #expect(SQLiteDatabase.projectID(path: path) == nil)
            let first = try await ProjectID.decide(nil, database)
            #expect(first.hasPrefix("P2") && first.count == 28 && first.allSatisfy { $0.isLetter || $0.isNumber })
            #expect(first != ProjectID.make(.live) && first != ProjectID.demonstration)
            #expect(try await ProjectID.decide(nil, database) == first)
            database.close()
            let again = try SQLiteDatabase(path: path)
            #expect(try await ProjectID.decide(nil, again) == first)
            again.close()
            #expect(SQLiteDatabase.projectID(path: path) == first)
        }
    }

    @Test func `of two servers that start at once, both get the same`() async throws {
        try await withDatabase { path in
            let databases = try [SQLiteDatabase(path: path), SQLiteDatabase(path: path)]
            async let one = ProjectID.decide(nil, databases[0])
            async let other = ProjectID.decide(nil, databases[1])
            let ids = try await [one, other]
            #expect(ids[0] == ids[1])
            for database in databases { database.close() }
        }
    }

    @Test func `the configured one counts, and stays when it is no longer configured`() async throws {
        let database = try SQLiteDatabase(path: nil)
        let made = try await ProjectID.decide(nil, database)
        #expect(try await ProjectID.decide("P2Chosen", database) == "P2Chosen" && made != "P2Chosen")
        #expect(try await ProjectID.decide(nil, database) == "P2Chosen")
    }

    @Test func `the check of a configuration tells it`() async throws {
        try await withDatabase { path in
            var configuration = try ServerConfiguration.parse(text: "database: 'sqlite:\(path)'", environment: [:])
            #expect(ProjectID.summary(configuration) == "made at the first start, and kept in \(path)")
            let database = try SQLiteDatabase(path: path)
            let id = try await ProjectID.decide(nil, database)
            database.close()
            #expect(ProjectID.summary(configuration) == "\(id) (kept in \(path))")
            configuration.project.id = "P2Chosen"
            #expect(ProjectID.summary(configuration) == "P2Chosen")
        }
    }
}
