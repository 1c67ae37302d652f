internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// Exports of projects as files: JSON Lines, encrypted in the container of backups, or as they are.
enum ProjectFile {
    /// Bytes that are read at once.
    private static let pieceBytes = 65_536

    /// Writes an export, encrypted if there are recipients.
    final class Writer {
        private let file: PendingFile
        private var container: ContainerWriter?
        private let sums: Sums

        private final class Sums {
            var digest = SHA256()
            var byteCount = 0
        }

        init(into file: PendingFile, to recipients: [BackupRecipient], ambient: Ambient) throws {
            let sums = Sums()
            (self.file, self.sums) = (file, sums)
            guard !recipients.isEmpty else { return }
            container = try ContainerWriter(to: recipients, ambient: ambient) { try Self.put($0, file, sums) }
        }

        private static func put(_ bytes: [UInt8], _ file: PendingFile, _ sums: Sums) throws {
            try file.write(bytes)
            sums.digest.update(data: bytes)
            sums.byteCount += bytes.count
        }

        func write(_ bytes: [UInt8]) throws {
            if container == nil { try Self.put(bytes, file, sums) } else { try container?.write(bytes) }
        }

        /// Returns when all of it is on the disk, under no name yet.
        ///
        /// - Returns: how long the file is, and its SHA-256 in hexadecimal digits.
        func finish() throws -> (byteCount: Int, digest: String) {
            try container?.finish()
            try file.sync()
            return (sums.byteCount, Base16.encode(sums.digest.finalize()))
        }
    }

    /// A file that is read, perhaps several times.
    final class Reader {
        let path: String
        let byteCount: Int
        /// Of the last time.
        private(set) var bytesRead = 0
        private let identities: [BackupIdentity]

        /// - Throws: ``CommandFailure`` if it is no file, or encrypted and there is no identity.
        init(_ path: String, _ identities: [BackupIdentity]) throws {
            let file = try ReadFile(path)
            (self.path, self.identities, byteCount) = (path, identities, file.byteCount)
            guard try isEncrypted() else { return }
            guard !identities.isEmpty else {
                throw CommandFailure.refused("\(path) is encrypted: name an identity file with --identity.")
            }
        }

        func isEncrypted() throws -> Bool {
            try ReadFile(path).read(ContainerKind.backup.magic.count) == ContainerKind.backup.magic
        }

        /// Opens it at its beginning; an empty piece ends it.
        func open() throws -> () throws -> [UInt8] {
            bytesRead = 0
            let file = try ReadFile(path)
            let read = { [self] (count: Int) throws -> [UInt8] in
                let bytes = try file.read(count)
                bytesRead += bytes.count
                return bytes
            }
            guard try isEncrypted() else { return { try read(ProjectFile.pieceBytes) } }
            let container = try Container(ContainerReader(with: identities, input: read))
            return { try container.next() }
        }
    }

    private final class Container {
        private var reader: ContainerReader

        init(_ reader: ContainerReader) {
            self.reader = reader
        }

        func next() throws -> [UInt8] {
            while let chunk = try reader.next() {
                if !chunk.isEmpty { return chunk }
            }
            return []
        }
    }

    /// The digest of its lines.
    struct Digest: TransferDigest {
        private var hash = SHA256()

        mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }
        var value: [UInt8] { Array(hash.finalize()) }
    }

    /// What went wrong with a container, for an export.
    static func failure(_ path: String, _ problem: ContainerProblem) -> CommandFailure {
        switch problem {
        case .newer, .otherRecipients: .refused("\(path): \(problem) Nothing was changed.")
        case .notABackup: .refused("\(path): it is no export of a project: name another file.")
        default: .failed("\(path): \(problem) Nothing was changed.")
        }
    }
}

/// What both commands refuse: they work on the database itself.
struct LocalDatabaseOnly: ParsableArguments {
    @Option(help: .hidden) var server: String?

    func check() throws {
        guard server == nil else {
            throw CommandFailure.refused(
                """
                --server: an export has secrets that no server gives out, and is made and taken in where the database \
                and its secrets are. Run this on that machine, with --config or --database.
                """)
        }
    }
}
