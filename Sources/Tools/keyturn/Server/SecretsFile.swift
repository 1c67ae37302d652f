internal import Foundation
internal import Identity
internal import KeyturnBase

/// The server's secrets: from the configuration, or from a file beside the database that is made once.
enum SecretsFile {
    /// - Throws: ``CommandFailure`` if the file cannot be read or made, or if others may read it.
    static func secrets(for configuration: ServerConfiguration) throws -> [[UInt8]] {
        if !configuration.secrets.isEmpty { return configuration.secrets.map(\.bytes) }
        guard case .file(let database) = configuration.database else { return [ServerSecrets.random(.live)] }
        let path = "\(database).secrets"
        if FileManager.default.fileExists(atPath: path) { return try read(path) }
        return [try make(path)]
    }

    /// The secrets as they are; `nil` if nobody has made any yet.
    ///
    /// - Throws: as ``secrets(for:)``.
    static func present(for configuration: ServerConfiguration) throws -> [[UInt8]]? {
        if !configuration.secrets.isEmpty { return configuration.secrets.map(\.bytes) }
        guard case .file(let database) = configuration.database else { return nil }
        let path = "\(database).secrets"
        return FileManager.default.fileExists(atPath: path) ? try read(path) : nil
    }

    private static func read(_ path: String) throws -> [[UInt8]] {
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
        try handle.write(contentsOf: Data("\(Data(secret).base64EncodedString())\n".utf8))
        try handle.synchronize()
        return secret
    }
}
