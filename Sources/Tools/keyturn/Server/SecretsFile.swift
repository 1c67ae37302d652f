internal import Foundation
internal import KeyturnBase
internal import Model

/// The server's secrets: from the configuration, or from a file beside the database that is made once.
enum SecretsFile {
    /// - Throws: ``CommandFailure`` if the file cannot be read or made, or if others may read it.
    static func secrets(for configuration: ServerConfiguration) throws -> [[UInt8]] {
        if !configuration.secrets.isEmpty { return configuration.secrets.map(\.bytes) }
        if case .memory = configuration.database { return [ServerSecrets.random(.live)] }
        guard let path = path(for: configuration) else { throw CommandFailure.refused(missing) }
        if FileManager.default.fileExists(atPath: path) { return try read(path) }
        return [try make(path)]
    }

    /// The secrets as they are; `nil` if there are none yet.
    ///
    /// - Throws: as ``secrets(for:)``.
    static func present(for configuration: ServerConfiguration) throws -> [[UInt8]]? {
        if !configuration.secrets.isEmpty { return configuration.secrets.map(\.bytes) }
        guard let path = path(for: configuration), FileManager.default.fileExists(atPath: path) else { return nil }
        return try read(path)
    }

    /// Whether the secrets that the server would have are those that sealed the keys of a database.
    ///
    /// Looked at are the keys that are still of use, and the newest one: a copy that lay for long has no others.
    ///
    /// - Throws: ``CommandFailure`` if they are not, or if there are none.
    static func check(_ keys: [StoredKey], for configuration: ServerConfiguration, at now: UnixTime) throws {
        if case .memory = configuration.database { return }
        let path = path(for: configuration)
        guard let present = try present(for: configuration) else {
            guard let path else { throw CommandFailure.refused(missing) }
            throw CommandFailure.refused(
                """
                \(path) is missing. It holds the secrets that sealed the keys in this database. Put it back from its \
                backup, with mode 0600; or, if the secrets are configured, name the server's file with --config. \
                Nothing was changed.
                """)
        }
        guard !opens(keys, with: present, at: now) else { return }
        throw CommandFailure.refused(
            configuration.secrets.isEmpty
                ? """
                the secrets in \(path ?? "the configuration") are not those that sealed the keys in this database. Put back the file that \
                belongs to it. Nothing was changed.
                """
                : """
                the configured secrets (`secrets`, or KEYTURN_SECRETS) are not those that sealed the keys in this \
                database. Name that one as well: the first one seals, all of them open. Nothing was changed.
                """)
    }

    /// Whether secrets are those that sealed the keys that are still of use, and the newest one.
    static func opens(_ keys: [StoredKey], with secrets: [[UInt8]], at now: UnixTime) -> Bool {
        let inUse = keys.filter { now < $0.removedAt } + keys.suffix(1)
        guard let secrets = ServerSecrets(secrets) else { return true }
        return inUse.allSatisfy { $0.opens(with: secrets, ambient: .live) }
    }

    /// What stands in a file of secrets, one a line, the one that seals first.
    static func text(of secrets: [[UInt8]]) -> String {
        secrets.map { "\(Data($0).base64EncodedString())\n" }.joined()
    }

    /// The file; `nil` for a database that has no folder.
    private static func path(for configuration: ServerConfiguration) -> String? {
        if case .file(let database) = configuration.database { "\(database).secrets" } else { nil }
    }

    private static let missing = """
        a server with PostgreSQL needs its secrets: list them in `secrets` of the configuration, or in \
        KEYTURN_SECRETS, the same for every server of this database. Make one with: openssl rand -base64 32
        """

    /// - Throws: ``CommandFailure`` if it cannot be read, or if others may read it.
    static func read(_ path: String) throws -> [[UInt8]] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
            throw CommandFailure.refused("\(path) can be read by others. Run: chmod 600 \(path)")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure.failed("\(path) cannot be read.")
        }
        let lines = text.split(separator: "\n").map(String.init)
        let secrets = lines.compactMap { try? SealingKey($0).bytes }
        guard !secrets.isEmpty, secrets.count == lines.count else {
            throw CommandFailure.refused(
                "\(path) must hold one secret a line: base64 of 32 bytes. Restore it from a backup.")
        }
        return secrets
    }

    /// Made with its final permissions and only if it is not there: of two servers that start at once, one makes it.
    private static func make(_ path: String) throws -> [UInt8] {
        let secret = ServerSecrets.random(.live)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST, let first = try read(path).first else {
                throw CommandFailure.failed("\(path) cannot be made: \(unsafe String(cString: strerror(errno)))")
            }
            return first
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text(of: [secret]).utf8))
        try handle.synchronize()
        return secret
    }
}
