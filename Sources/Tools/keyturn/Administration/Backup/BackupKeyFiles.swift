#if canImport(Darwin)
    internal import Darwin
#else
    // The compiler finds `stat` in the one or the other, whichever it read first.
    internal import CoreFoundation
    internal import Glibc
#endif
internal import ArgumentParser
internal import Foundation

/// Keys of backups on the command line and in files.
enum BackupKeyFiles {
    /// - Throws: ``CommandFailure`` for too many, or what is none.
    static func recipients(_ texts: [String]) throws -> [BackupRecipient] {
        guard texts.count <= ContainerFormat.recipientsMax else {
            throw CommandFailure.refused("name at most \(ContainerFormat.recipientsMax) recipients.")
        }
        return try texts.map { text in
            guard let recipient = BackupRecipient(text) else {
                let isIdentity = text.hasPrefix(BackupIdentity.prefix)
                throw CommandFailure.refused(
                    isIdentity
                        ? "--recipient takes the public key, which is \(BackupRecipient.prefix)…, not the private one."
                        : "\(text) is no recipient: `keyturn backup key create FILE` makes one.")
            }
            return recipient
        }
    }

    /// - Throws: ``CommandFailure`` if a file cannot be read, or if others may read it.
    static func identities(_ paths: [String]) throws -> [BackupIdentity] {
        try paths.flatMap { path in
            // Also a pipe, as from a program that keeps secrets.
            var found = stat()
            guard unsafe stat(path, &found) == 0 else {
                throw CommandFailure.refused("\(path) cannot be read: is it a file, and may you read it?")
            }
            guard found.st_mode & S_IFMT != S_IFREG || found.st_mode & 0o077 == 0 else {
                throw CommandFailure.refused("\(path) can be read by others. Run: chmod 600 \(path)")
            }
            let input = try InputFile(path: path)
            var bytes: [UInt8] = []
            while bytes.count <= BackupIdentity.bytesMax {
                let more = try input.read()
                if more.isEmpty { break }
                bytes += more
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard bytes.count <= BackupIdentity.bytesMax, let identities = BackupIdentity.read(text) else {
                throw CommandFailure.refused(
                    "\(path) is no identity file: `keyturn backup key create FILE` makes one.")
            }
            return identities
        }
    }
}

/// The options of a command that reads a backup.
struct BackupReadingOptions: ParsableArguments {
    @Option(
        name: .customLong("identity"),
        help: ArgumentHelp("File with the private key of a recipient. May be repeated.", valueName: "file"))
    var identityFiles: [String] = []

    @Option(
        help: ArgumentHelp(
            "Folder for the decrypted database while it is checked. Default: the system's for temporary files.",
            valueName: "folder"))
    var scratch: String?

    func identities() throws -> [BackupIdentity] { try BackupKeyFiles.identities(identityFiles) }

    /// Where a database is put that belongs to no folder.
    func scratchPlace() -> ScratchPlace { .apart(in: scratch) }
}
