import Foundation
import GRDB
import KeyturnBase
import Model
import Testing

@testable import StoreSQL

@Suite("Exporting a project: what is refused")
struct TransferRefusalTests {
    let here: ServerSecrets
    let there: ServerSecrets
    let filled: FilledDatabase
    let file: TransferFile
    let second: DatabaseSide

    init() throws {
        (here, there) = (try .made(), try .made())
        filled = try FilledDatabase(rows: 4, sealedWith: here)
        file = try filled.side.export(here).file
        second = try filled.fresh("second.db")
    }

    /// Runs `body`, after which the target is as it was.
    private func changingNothing(_ body: () throws -> Void) throws {
        let before = try filled.contents(second)
        try body()
        #expect(try filled.contents(second) == before)
    }

    private func changed(_ from: String, _ to: String) throws -> TransferFile {
        let copy = TransferFile(file.lines)
        let head = copy.lines[0].replacing(from, with: to)
        #expect(head != copy.lines[0])
        copy.lines[0] = head
        try copy.seal()
        return copy
    }

    @Test func `a file that was cut anywhere imports nothing`() throws {
        let bytes = file.bytes
        var ends = [1, 100, file.lines[0].utf8.count, file.lines[0].utf8.count + 1, bytes.count - 2]
        ends += (1..<20).map { $0 * bytes.count / 20 }
        try changingNothing {
            for end in ends {
                let cut = Array(bytes.prefix(end))
                let work = ProjectImport(
                    into: second, secrets: there, options: .init(), digest: LineDigest(), ambient: .live
                ) { _ in }
                let isHead = end < file.lines[0].utf8.count
                #expect(throws: isHead ? TransferProblem.notAnExport : .cut, "\(end)") {
                    try work.run({ TransferFile.source(cut) }) { _ in
                        AuditEvent(.projectImported, at: .init(rawValue: 1))
                    }
                }
            }
        }
    }

    @Test func `a file that was changed, extended or mixed imports nothing`() throws {
        try changingNothing {
            for place in [1, file.lines.count / 2, file.lines.count - 2] {
                let copy = TransferFile(file.lines)
                copy.lines[place] = copy.lines[place].dropLast() + " }"
                #expect(copy.lines[place] != file.lines[place])
                #expect(throws: TransferProblem.changed) { try second.take(copy, there) }
            }
            let without = TransferFile(file.lines)
            without.lines.remove(at: 7)
            #expect(throws: TransferProblem.changed) { try second.take(without, there) }
            let longer = TransferFile(file.lines + [file.lines[1]])
            #expect(throws: TransferProblem.extended) { try second.take(longer, there) }
            let strange = TransferFile(file.lines)
            strange.lines[3] = "{\"table\":\"novel\",\"row\":{}}"
            #expect(throws: TransferProblem.damaged(line: 4)) { try second.take(strange, there) }
        }
    }

    @Test func `a file that is replaced between the two readings imports nothing`() throws {
        let other = TransferFile(file.lines)
        try other.rewrite { $0.replacing("\"name\":\"name 3", with: "\"name\":\"name 4") }
        try changingNothing {
            var readings = 0
            let work = ProjectImport(
                into: second, secrets: there, options: .init(), digest: LineDigest(), ambient: .live
            ) { _ in }
            #expect(throws: TransferProblem.replaced) {
                try work.run({
                    readings += 1
                    return readings == 1 ? file.open() : other.open()
                }) { _ in AuditEvent(.projectImported, at: .init(rawValue: 1)) }
            }
            #expect(readings == 2)
        }
    }

    @Test func `a later format, a later release and what is no export are refused in words`() throws {
        try changingNothing {
            let newer = TransferProblem.newer(version: 2)
            #expect(throws: newer) { try second.take(changed("\"version\":1", "\"version\":2"), there) }
            #expect(newer.isRefusal && "\(newer)".contains("number 2") && "\(newer)".contains("newer"))
            let newest = Migrations.newest
            let later = TransferProblem.newerSchema(999, newest: newest, release: "0.0.0")
            #expect(throws: later) { try second.take(changed("\"schema\":\(newest)", "\"schema\":999"), there) }
            #expect(later.isRefusal && "\(later)".contains("upgrade this server first"))
            let column = TransferProblem.unknown("the column tenant.novel")
            let strange = try changed("\"domains\",", "\"novel\",")
            #expect(throws: column) { try second.take(strange, there) }
            for text in ["", "{}", "PK\u{3}\u{4}", "{\"format\":\"other\",\"version\":1}"] {
                #expect(throws: TransferProblem.notAnExport, "\(text)") { try second.take(TransferFile([text]), there) }
            }
        }
    }

    @Test func `a file of an earlier release gets the defaults of later columns`() throws {
        let head = try JSONValue(parsing: file.lines[0].utf8, limits: TransferFormat.headLimits)
        var members = try #require(head.objectValue)
        var tables = try #require(members["tables"]?.objectValue)
        tables["tenant"] = ["id", "name", "domains", "attributes", "created_at"]
        (members["tables"], members["schema"]) = (.object(tables), 25)
        let earlier = TransferFile(file.lines)
        earlier.lines[0] = String(decoding: JSONValue.object(members).serialized, as: UTF8.self)
        try earlier.rewrite { line in
            guard line.hasPrefix("{\"table\":\"tenant\""),
                var row = try? JSONValue(parsing: line.utf8)["row"]?.objectValue
            else { return line }
            row["requires_sso"] = nil
            row["sso_exclusions"] = nil
            return String(
                decoding: JSONValue.object(["table": "tenant", "row": .object(row)]).serialized, as: UTF8.self)
        }
        try second.take(earlier, there)
        let rows = try DatabaseQueue(path: filled.target("second.db")).read { db in
            try Row.fetchAll(db, sql: "SELECT requires_sso, sso_exclusions FROM tenant")
        }
        #expect(rows.count == 4 && rows.allSatisfy { $0["requires_sso"] == 0 && $0["sso_exclusions"] == "[]" })
    }

    @Test(arguments: [true, false])
    func `a row that is refused at the very end undoes all of it`(inPostgreSQL: Bool) throws {
        let broken = TransferFile(file.lines)
        try broken.rewrite { line in
            guard line.hasPrefix("{\"table\":\"scim_member\""), line.contains("\"group_number\":10,") else {
                return line
            }
            return line.replacing("\"group_number\":10,", with: "\"group_number\":4711,")
        }
        #expect(broken.rows != file.rows && broken.rows.last?.contains("4711") == true)
        if inPostgreSQL {
            let sandbox = try PostgreSQLSandbox()
            try sandbox.database().close()
            #expect { try sandbox.side().take(broken, there) } throws: { Self.isRefused($0) }
            for table in ["user", "client", "audit_event", "scim_resource"] {
                let count = "SELECT count(*) AS number FROM \"\(table)\""
                #expect(try sandbox.session().first(count, [])?["number"] == 0, "\(table)")
            }
            try sandbox.side().take(file, there)
        } else {
            try changingNothing {
                #expect { try second.take(broken, there) } throws: { Self.isRefused($0) }
            }
            try second.take(file, there)
        }
    }

    private static func isRefused(_ error: any Error) -> Bool {
        guard case .refused("scim_member", let reason) = error as? TransferProblem else { return false }
        return !reason.contains("4711")
    }

    @Test func `an import that is stopped at any row changes nothing`() throws {
        try changingNothing {
            for phase in [TransferProgress.Phase.checking, .importing] {
                for row in [1, 50, file.rows.count] {
                    #expect(throws: Stop.self) {
                        try second.take(file, there) { progress in
                            if progress.phase == phase, progress.rows == row { throw Stop() }
                        }
                    }
                }
            }
        }
        #expect(try second.take(file, there).importedTotal > 80)
    }

    @Test func `a database that is no server's is refused`() throws {
        let path = filled.target("other.db")
        #expect { try DatabaseSide.sqlite(path: path).take(file, there) } throws: { error in
            guard case .database(let reason) = error as? TransferProblem else { return false }
            return reason.contains("start the server on it once")
        }
    }
}
