internal import Foundation
internal import KeyturnBase
internal import StoreSQL
internal import Synchronization

/// A PostgreSQL server in a temporary folder, reached by a socket there. It ends with this process, and nothing of it is
/// kept.
package final class PostgreSQLServer: Sendable {
    /// The folder of its socket.
    package let folder: String
    /// Ends the server when it is closed, which the kernel does when this process ends.
    private let lifeline: FileHandle
    /// How many databases of servers were made.
    private let databases = Mutex(0)

    /// The one server of this process, started when it is first asked for.
    package static func shared() throws -> PostgreSQLServer {
        try starting.withLock { server in
            if let server { return server }
            let started = try PostgreSQLServer()
            server = started
            return started
        }
    }

    private static let starting = Mutex<PostgreSQLServer?>(nil)

    /// Why no server could be started.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private init() throws {
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent(
                "kt-pg-\(Ambient.live.randomToken(byteCount: 6))"
            ).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", folder]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        lifeline = input.fileHandleForWriting
        guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n" else {
            throw Problem(description: "PostgreSQL did not start: make test installs it")
        }
    }

    /// What libpq needs to reach a database.
    package func address(of database: String) -> String {
        "host=\(folder) port=5432 user=postgres dbname=\(database)"
    }

    /// Makes a database without a schema, and returns an address as the program takes it.
    package func makeEmptyDatabase() throws -> String {
        let name = "empty_\(Ambient.live.randomToken(byteCount: 6).filter(\.isLetter).lowercased())"
        try run("createdb", ["-T", "template0", name])
        return "postgres://postgres@/\(name)?host=\(folder)&port=5432"
    }

    /// Makes a database with the schema, and returns its name.
    func makeDatabase() throws -> String {
        let template = "server_template"
        // One at a time: a template must not be in use.
        return try databases.withLock { made in
            if made == 0 {
                try run("createdb", ["-T", "template0", template])
                try PostgreSQLDatabase(address(of: template)).close()
            }
            made += 1
            let name = "server_\(made)"
            try run("createdb", ["-T", template, name])
            return name
        }
    }

    func removeDatabase(_ name: String) throws {
        try run("dropdb", ["--force", name])
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, "-h", folder, "-U", "postgres"] + arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Problem(description: "\(program) failed") }
    }

    /// Commits wait for no disk: what a power cut leaves is shown elsewhere, with a server of its own.
    private static let script = #"""
        set -eu
        folder=$1
        programs=$(pg_config --bindir)
        as=
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$folder"
            as='setpriv --reuid=postgres --regid=postgres --init-groups --reset-env'
        fi
        cd "$folder"
        $as "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-instructions --no-sync \
            >"$folder/initdb.log" 2>&1
        cat >>"$folder/data/postgresql.conf" <<END
        listen_addresses = ''
        unix_socket_directories = '$folder'
        max_connections = 500
        shared_buffers = '64MB'
        fsync = off
        full_page_writes = off
        END
        $as "$programs/postgres" -D "$folder/data" >"$folder/log" 2>&1 </dev/null &
        server=$!
        for _ in $(seq 600); do
            if "$programs/pg_isready" -q -h "$folder" -U postgres; then
                echo ready
                break
            fi
            sleep 0.05
        done
        exec >/dev/null
        cat
        kill -QUIT $server
        wait || true
        rm -rf "$folder"
        """#
}
