#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// A part of a log that is being written: see ``LogRecord``.
final class LogPartWriter {
    let path: String
    private let descriptor: Int32
    private let key: SymmetricKey
    private var number: UInt64 = 0
    /// The end of the last record that is kept.
    private var kept = 0
    /// The end of the first record.
    private var opened = 0
    private(set) var byteCount = 0
    /// The tag of the last record that is kept, and of the last one.
    private(set) var keptTag: [UInt8]
    private var tag: [UInt8]

    /// - Parameters:
    ///   - path: a file that is not there.
    ///   - previous: the tag of the record before; zeros if there is none.
    /// - Throws: ``CommandFailure``.
    init(
        _ path: String, to recipients: [BackupRecipient], after previous: [UInt8], _ opening: LogRecord,
        ambient: Ambient
    ) throws {
        self.path = path
        let head = try ContainerHead.make(.log, to: recipients, ambient: ambient)
        (key, tag, keptTag) = (head.key, previous, previous)
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFailure.failed(path, "cannot be made") }
        do {
            try put(head.bytes)
            try append(opening, previous)
            try keep()
            opened = kept
            try FilePlacing.syncFolder(of: path)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Whether nothing follows its first record.
    var isFresh: Bool { byteCount == opened }

    func append(_ record: LogRecord, _ body: [UInt8]) throws {
        let sealed = try record.sealed(body, key, number: number)
        try put(sealed.bytes)
        (number, tag) = (number + 1, sealed.tag)
    }

    /// Returns when all records are on the disk: from then on they stay.
    func keep() throws {
        guard fsync(descriptor) == 0 else { throw FileFailure.failed(path, "cannot be written to the disk") }
        (kept, keptTag) = (byteCount, tag)
    }

    /// Removes the records that are not kept. Nothing can be appended afterwards: numbers are used once.
    ///
    /// - Returns: whether nothing else was in it, and it is gone.
    /// - Throws: ``CommandFailure`` if they stay: what is appended elsewhere would not follow.
    func abandon() throws -> Bool {
        guard kept > opened else {
            guard unsafe unlink(path) == 0 else { throw FileFailure.failed(path, "cannot be removed") }
            return true
        }
        guard ftruncate(descriptor, off_t(kept)) == 0, fsync(descriptor) == 0 else {
            throw FileFailure.failed(path, "cannot be cut")
        }
        return false
    }

    private func put(_ bytes: [UInt8]) throws {
        try FileFailure.writing(bytes, to: descriptor, path)
        byteCount += bytes.count
    }
}

/// Reads a part of a log, up to the last record that is whole.
final class LogPartReader {
    /// How much is read of it.
    enum Depth {
        /// The heads of its records.
        case heads
        /// All, without decrypting it.
        case checking
        case decrypting([BackupIdentity])
    }

    let path: String
    private let file: ReadFile
    private let isChecked: Bool
    private let key: SymmetricKey?
    private var number: UInt64 = 0
    /// The tag of the last record; empty before the first one, and if only heads are read.
    private(set) var tag: [UInt8] = []
    /// The end of the last record.
    private(set) var byteCount = 0

    var fileByteCount: Int { file.byteCount }

    /// - Throws: ``CommandFailure``.
    init(_ path: String, _ depth: Depth) throws {
        self.path = path
        let file = try ReadFile(path)
        self.file = file
        func input(_ count: Int) throws -> [UInt8] { try file.read(count) }
        do {
            switch depth {
            case .decrypting(let identities):
                (key, isChecked) = (try ContainerHead.read(.log, with: identities, input), true)
            case .heads, .checking:
                try ContainerHead.skip(.log, input)
                key = nil
                if case .checking = depth { isChecked = true } else { isChecked = false }
            }
        } catch let problem as ContainerProblem {
            throw CommandFailure(code: problem.isRefusal ? 2 : 1, sentence: "\(path): \(problem)")
        }
        byteCount = file.position
    }

    /// The next record, and its body if it is decrypted; `nil` behind the last one that is whole.
    ///
    /// - Throws: ``CommandFailure`` for a record that is not authentic.
    func next() throws -> (record: LogRecord, body: [UInt8])? {
        let head = try file.read(LogRecord.headBytes)
        guard let (record, bodyBytes) = LogRecord.parse(head) else { return nil }
        guard isChecked else {
            guard try file.skip(bodyBytes) else { return nil }
            byteCount = file.position
            return (record, [])
        }
        let encrypted = try file.read(bodyBytes)
        guard encrypted.count == bodyBytes, LogRecord.isWhole(head, encrypted) else { return nil }
        defer { (number, tag, byteCount) = (number + 1, Array(encrypted.suffix(LogRecord.tagBytes)), file.position) }
        guard let key else { return (record, []) }
        guard let body = LogRecord.body(of: encrypted, opening: LogRecord.opening(of: head), key, number: number) else {
            throw CommandFailure.failed("\(path): record \(number + 1) is not as it was written: take another copy.")
        }
        return (record, body)
    }
}
