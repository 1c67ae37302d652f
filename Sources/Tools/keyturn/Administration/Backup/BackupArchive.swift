internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// Backups as files: a database of SQLite as it is, or a container with a manifest and such a database.
enum BackupArchive {
    /// Bytes that are read at once.
    private static let pieceBytes = 1_048_576
    private static let sqliteMagic = Array("SQLite format 3\0".utf8)
    private static let lengthBytes = 4

    /// What was written.
    struct Written {
        let byteCount: Int
        let digest: SHA256.Digest
        let databaseDigest: SHA256.Digest
    }

    /// Writes a backup, encrypted if there are recipients.
    static func write(
        _ database: String, _ manifest: BackupManifest, to recipients: [BackupRecipient], into file: PendingFile,
        ambient: Ambient, onProgress: (BackupProgress) throws -> Void
    ) throws -> Written {
        let source = try ReadFile(database)
        let sums = Sums()
        func put(_ bytes: [UInt8]) throws {
            try file.write(bytes)
            sums.file.update(data: bytes)
            sums.fileBytes += bytes.count
        }
        var container = recipients.isEmpty ? nil : try ContainerWriter(to: recipients, ambient: ambient, output: put)
        let head = manifest.bytes
        let length = (0..<lengthBytes).map { UInt8(truncatingIfNeeded: head.count >> (24 - 8 * $0)) }
        try container?.write(length + head)
        var done = 0
        while true {
            let bytes = try source.read(pieceBytes)
            guard !bytes.isEmpty else { break }
            sums.database.update(data: bytes)
            if container == nil { try put(bytes) } else { try container?.write(bytes) }
            done += bytes.count
            try onProgress(BackupProgress(.writing, done: done, total: manifest.byteCount))
        }
        try container?.finish()
        return Written(
            byteCount: sums.fileBytes, digest: sums.file.finalize(), databaseDigest: sums.database.finalize())
    }

    private final class Sums {
        var file = SHA256()
        var fileBytes = 0
        var database = SHA256()
    }

    /// The digest of a file.
    static func digest(of path: String, onProgress: (BackupProgress) throws -> Void) throws -> SHA256.Digest {
        let file = try ReadFile(path)
        var (digest, done) = (SHA256(), 0)
        while true {
            let bytes = try file.read(pieceBytes)
            guard !bytes.isEmpty else { return digest.finalize() }
            digest.update(data: bytes)
            done += bytes.count
            try onProgress(BackupProgress(.reading, done: done, total: file.byteCount))
        }
    }

    /// Whether a file is an encrypted backup.
    ///
    /// - Throws: ``CommandFailure`` for what is no backup at all.
    static func isEncrypted(_ path: String) throws -> Bool {
        let opening = try ReadFile(path).read(sqliteMagic.count)
        if opening.starts(with: ContainerKind.backup.magic) { return true }
        guard opening == sqliteMagic else { throw failure(path, .notABackup) }
        return false
    }

    /// Reads a backup to its end.
    ///
    /// - Parameter output: gets the file of the database piece by piece; it is whole when the call returns.
    /// - Returns: `nil` for one that is not encrypted.
    static func read(
        _ path: String, with identities: [BackupIdentity], onProgress: (BackupProgress) throws -> Void,
        output: ([UInt8]) throws -> Void
    ) throws -> BackupManifest? {
        let file = try ReadFile(path)
        guard try isEncrypted(path) else {
            guard !FileManager.default.fileExists(atPath: path + "-wal") else {
                throw CommandFailure.refused(
                    "\(path) has a log beside it (\(path)-wal): a server may use it. Make a backup of it instead.")
            }
            while true {
                let bytes = try file.read(pieceBytes)
                guard !bytes.isEmpty else { return nil }
                try output(bytes)
            }
        }
        guard !identities.isEmpty else {
            throw CommandFailure.refused("\(path) is encrypted: name an identity file with --identity.")
        }
        do {
            var container = try ContainerReader(with: identities) { try file.read($0) }
            return try read(&container, file, onProgress, output)
        } catch let problem as ContainerProblem {
            throw failure(path, problem)
        }
    }

    private static func read(
        _ container: inout ContainerReader, _ file: ReadFile, _ onProgress: (BackupProgress) throws -> Void,
        _ output: ([UInt8]) throws -> Void
    ) throws -> BackupManifest {
        var opening: [UInt8] = []
        var manifest: BackupManifest?
        var done = 0
        while let chunk = try container.next() {
            if let manifest {
                done += chunk.count
                guard done <= manifest.byteCount else { throw unknownContents(file.path) }
                try output(chunk)
            } else {
                opening += chunk
                guard let (found, rest) = try manifestAndRest(opening, file.path) else { continue }
                (manifest, done) = (found, rest.count)
                try output(rest)
            }
            try onProgress(BackupProgress(.reading, done: done, total: manifest?.byteCount ?? file.byteCount))
        }
        guard let manifest, done == manifest.byteCount else { throw unknownContents(file.path) }
        return manifest
    }

    /// - Returns: `nil` while the manifest is not whole.
    private static func manifestAndRest(_ bytes: [UInt8], _ path: String) throws -> (BackupManifest, [UInt8])? {
        guard bytes.count >= lengthBytes else { return nil }
        let length = bytes.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
        guard length <= BackupManifest.bytesMax else { throw unknownContents(path) }
        guard bytes.count >= lengthBytes + length else { return nil }
        guard let manifest = BackupManifest(Array(bytes[lengthBytes..<(lengthBytes + length)])) else {
            throw unknownContents(path)
        }
        return (manifest, Array(bytes.dropFirst(lengthBytes + length)))
    }

    private static func unknownContents(_ path: String) -> CommandFailure {
        .failed("\(path): this release does not know what is in it: use a newer one.")
    }

    private static func failure(_ path: String, _ problem: ContainerProblem) -> CommandFailure {
        switch problem {
        case .notABackup, .newer, .otherRecipients: .refused("\(path): \(problem)")
        default: .failed("\(path): \(problem)")
        }
    }
}
