internal import Foundation
internal import KeyturnBase
internal import StoreSQL
internal import Synchronization

/// A PostgreSQL server in a temporary folder, reached by a socket there. It ends with this process, and nothing of it is
/// kept.
package final class PostgreSQLServer: Sendable {
    /// The folder of its socket.
    package let folder: String
    /// Whether ``mountDisk()`` works here, which takes Linux and the rights of root.
    package let canMountDisks: Bool
    /// Orders to the script, one a line, each of which it answers with a line. Ends the server when it is closed, which
    /// the kernel does when this process ends.
    private let orders: Mutex<(input: FileHandle, output: FileHandle)>
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
        process.arguments = ["-c", Self.launcher, "sh", Self.script, folder]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard greeting.hasPrefix("ready") else {
            throw Problem(description: "PostgreSQL did not start: make test installs it")
        }
        canMountDisks = greeting == "ready with disks\n"
        orders = Mutex((input.fileHandleForWriting, output.fileHandleForReading))
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

    /// Mounts a small file system for a tablespace, of which the server alone knows.
    ///
    /// - Returns: its name; its folder is the one of that name in ``folder``.
    package func mountDisk() throws -> String {
        let disk = "disk_\(Ambient.live.randomToken(byteCount: 6).filter(\.isLetter).lowercased())"
        try order("mount", disk)
        return disk
    }

    /// Leaves no byte free.
    package func fillDisk(_ disk: String) throws { try order("fill", disk) }

    /// Takes away what ``fillDisk(_:)`` wrote.
    package func freeDisk(_ disk: String) throws { try order("free", disk) }

    /// Removes a file system without tablespaces.
    package func unmountDisk(_ disk: String) throws { try order("unmount", disk) }

    private func order(_ order: String, _ disk: String) throws {
        let answer = try orders.withLock { script in
            try script.input.write(contentsOf: Array("\(order) \(disk)\n".utf8))
            return String(decoding: script.output.availableData, as: UTF8.self)
        }
        guard answer == "done\n" else { throw Problem(description: "cannot \(order) \(disk)") }
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, "-h", folder, "-U", "postgres"] + arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Problem(description: "\(program) failed") }
    }

    /// File systems are mounted for the script and the server alone, so that they end with them.
    private static let launcher = #"""
        if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
            exec unshare -m sh -c "$1" sh "$2" ' with disks'
        fi
        exec sh -c "$1" sh "$2" ''
        """#

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
                echo "ready$2"
                break
            fi
            sleep 0.05
        done
        carry_out() {
            case $1 in
            mount) mkdir "$2" && mount -t tmpfs -o "size=32m,mode=700,uid=$(id -u postgres)" tmpfs "$2" ;;
            fill) cat /dev/zero >"$2/filler" || true ;;
            free) rm "$2/filler" ;;
            unmount) umount "$2" && rmdir "$2" ;;
            esac
        }
        while read -r order disk; do
            if carry_out "$order" "$folder/$disk" >>"$folder/disks.log" 2>&1; then echo done; else echo failed; fi
        done
        kill -QUIT $server
        wait || true
        umount "$folder"/disk_* 2>/dev/null || true
        rm -rf "$folder"
        """#
}
