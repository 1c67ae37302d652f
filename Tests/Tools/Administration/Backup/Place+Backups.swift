import Foundation
import KeyturnBase
import Model
import Testing

@testable import StoreSQL

extension Place {
    /// Writes so many events into the database.
    func fill(events: Int) async throws {
        let opened = try SQLiteDatabase(path: database)
        defer { opened.close() }
        for start in stride(from: 0, to: events, by: 1_000) {
            try await opened.stores().audit.append(
                (start..<min(start + 1_000, events)).map { number in
                    AuditEvent(.signedIn, at: UnixTime(rawValue: Int64(number)), clientID: "client \(number % 7)")
                })
        }
    }

    /// Makes an identity, and gives its recipient.
    func recipient(_ name: String = "id") throws -> String {
        let made = try run("backup", "key", "create", path(name), namesDatabase: false)
        #expect(made.status == 0, "\(made.errors)")
        return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Has the program decrypt here: other tests do it as well.
    var apart: [String: String] { ["TMPDIR": folder.path] }

    func restore(_ arguments: String..., database: String) throws -> Run {
        let (process, output, errors) = try start(
            ["restore"] + arguments + ["--database", database], environment: apart, namesDatabase: false)
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// The files that are there, without those of the commands that ran.
    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).filter { name in
            ![".in", ".out", ".err"].contains { name.hasSuffix($0) }
        }
    }

    /// Rows of an audit log, by what happened.
    func events(_ kind: AuditEvent.Kind, in path: String) throws -> [SQLRow] {
        let opened = try SQLiteDatabase(path: path)
        defer { opened.close() }
        return try opened.inspect {
            try $0.all("SELECT kind, actor, target, reason FROM audit_event WHERE kind = ?", [kind.rawValue])
        }
    }
}
