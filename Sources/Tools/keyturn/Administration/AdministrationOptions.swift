internal import ArgumentParser
internal import Foundation
internal import Model
internal import StoreSQL

/// Which database an administration command works on. A server that runs on it notices within a second.
struct AdministrationOptions: ParsableArguments {
    @Option(help: "The server's configuration file: its database is used.")
    var config: String?

    @Option(help: ArgumentHelp("The database: sqlite:FILE or postgres://…", valueName: "url"))
    var database: String?

    @Flag(help: "Print one JSON object or array instead of text.")
    var json = false

    /// The configuration that the server would have.
    func configuration() throws -> ServerConfiguration {
        var configuration: ServerConfiguration
        do {
            configuration = try ServerConfiguration.load(
                path: config, environment: ProcessInfo.processInfo.environment)
        } catch {
            throw CommandFailure.refused("the configuration has mistakes:\n\(ProblemReport(error).text)")
        }
        do {
            if let database { configuration.database = try DatabaseLocation(database) }
        } catch {
            throw CommandFailure.refused("--database: \(error)")
        }
        return configuration
    }

    /// Opens the database that is there; never makes a new one by accident.
    func open(onStep: (StepProgress) -> Void = { _ in }) throws -> any SQLDatabase {
        try ServerRunner.openDatabase(of: existing(), onStep: onStep)
    }

    /// The configuration, with a database that is there.
    func existing() throws -> ServerConfiguration {
        let configuration = try configuration()
        switch configuration.database {
        case .memory: throw CommandFailure.refused("a database in memory belongs to its server alone: name a file.")
        case .postgreSQL: break
        case .file(let path):
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure.refused(
                    "there is no database \(path). Start the server once, or name another with --database.")
            }
        }
        return configuration
    }

    /// Runs `work` on the stores, with store errors put into words.
    func withStores<Value>(_ work: (Stores) async throws -> Value) async throws -> Value {
        try await withDatabase { database in try await work(database.stores()) }
    }

    /// The same with the names of tenants and roles.
    func withAccess<Value>(_ work: (Stores, AccessDirectory) async throws -> Value) async throws -> Value {
        try await withStores { stores in
            let access = AccessDirectory(tenants: stores.tenants, roles: stores.roles)
            try await access.reload()
            return try await work(stores, access)
        }
    }

    /// Runs `work` on the database for a change, which it writes by the stores of ``AuditedDatabase``'s `recording`.
    func withChanges<Value>(_ work: (AuditedDatabase) async throws -> Value) async throws -> Value {
        try await withDatabase { database in try await work(try await AuditedDatabase(database)) }
    }

    /// Runs `work` on the database, with store errors put into words.
    func withDatabase<Value>(_ work: (any SQLDatabase) async throws -> Value) async throws -> Value {
        let database = try open()
        defer { database.close() }
        do {
            return try await work(database)
        } catch let error as StoreError {
            throw switch error.code {
            case .conflict: CommandFailure.refused("it is there already, or belongs to another user.")
            case .missing: CommandFailure.refused("it is not there.")
            case .forbidden: CommandFailure.refused("this is not allowed, or something has changed meanwhile.")
            case .full: CommandFailure.failed("the disk is full.")
            case .unavailable: CommandFailure.failed("the database does not answer.")
            }
        }
    }
}
