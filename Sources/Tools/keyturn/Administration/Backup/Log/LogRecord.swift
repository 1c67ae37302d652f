internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// The log of a database in a folder: parts that follow one another, each encrypted like a backup.
///
///     head (see ``ContainerFormat``, "keyturn-log\n") ‖ record ‖ record ‖ …
///     record: 49 bytes in the clear ‖ ChaCha20-Poly1305 of the body, with them as additional data
///
/// The nonce is the record's number in its part. Records are appended one by one and a part has no end mark: the next
/// part begins with the tag of the last record, so that one which is missing in between is noticed. What stands in the
/// clear tells where the log was read to, and when, but nothing of the database.
struct LogRecord {
    enum Kind: UInt8 {
        /// The first of a part. Body: the tag of the last record of the part before, or zeros.
        case opening = 1
        /// Changed pages, and more follow. Body: for each its number in four bytes, and the page.
        case pages = 2
        /// The last changed pages, or none: the database is whole.
        case commit = 3
        /// The newest snapshot that was begun with this part or an earlier one is there. Body: the SHA-256 of its file.
        case snapshot = 4
    }

    let kind: Kind
    /// Everything in the records up to this one was committed before the end of this second.
    let time: UnixTime
    let position: LogPosition
    /// Pages of the database, and bytes of a page; 0 if no page of this line was written yet.
    let pageCount: UInt32
    let pageBytes: Int

    static let headBytes = 49
    /// Longest body: 1 MiB of pages of 64 KiB, with their numbers, and the tag.
    static let bodyBytesMax = 2_097_152
    static let tagBytes = ContainerFormat.tagBytes
    private static let checkBytes = 8
    /// Stands for no log in the place of its salt.
    private static let noSalt: UInt64 = .max

    /// The head of a record, without its check.
    private func opening(bodyBytes: Int) -> [UInt8] {
        Self.bytes(UInt64(bodyBytes), 4) + [kind.rawValue] + Self.bytes(UInt64(bitPattern: time.rawValue), 8)
            + Self.bytes(position.salt ?? Self.noSalt, 8) + Self.bytes(UInt64(position.frames), 4)
            + Self.bytes(position.checksum, 8) + Self.bytes(UInt64(pageCount), 4) + Self.bytes(UInt64(pageBytes), 4)
    }

    /// The bytes of the record.
    func sealed(_ body: [UInt8], _ key: SymmetricKey, number: UInt64) throws -> (bytes: [UInt8], tag: [UInt8]) {
        let opening = opening(bodyBytes: body.count + Self.tagBytes)
        let box = try ChaChaPoly.seal(
            body, using: key, nonce: ContainerFormat.nonce(number, isLast: false), authenticating: opening)
        let encrypted = Array(box.ciphertext) + Array(box.tag)
        return (opening + Self.check(opening, encrypted) + encrypted, Array(box.tag))
    }

    /// - Returns: `nil` if it does not belong here.
    static func body(
        of encrypted: [UInt8], opening: [UInt8], _ key: SymmetricKey, number: UInt64
    ) -> [UInt8]? {
        guard let nonce = try? ContainerFormat.nonce(number, isLast: false),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: encrypted.dropLast(tagBytes), tag: encrypted.suffix(tagBytes)),
            let body = try? ChaChaPoly.open(box, using: key, authenticating: opening)
        else { return nil }
        return Array(body)
    }

    /// Reads the head of a record.
    ///
    /// - Parameter head: with its check.
    /// - Returns: `nil` for what is no record.
    static func parse(_ head: [UInt8]) -> (record: LogRecord, bodyBytes: Int)? {
        guard head.count == headBytes, let kind = Kind(rawValue: head[4]) else { return nil }
        let bodyBytes = Int(number(head, 0, 4))
        guard (tagBytes...bodyBytesMax).contains(bodyBytes) else { return nil }
        let salt = number(head, 13, 8)
        let record = LogRecord(
            kind: kind, time: UnixTime(rawValue: Int64(bitPattern: number(head, 5, 8))),
            position: LogPosition(
                salt: salt == noSalt ? nil : salt, frames: Int(number(head, 21, 4)), checksum: number(head, 25, 8)),
            pageCount: UInt32(number(head, 33, 4)), pageBytes: Int(number(head, 37, 4)))
        return (record, bodyBytes)
    }

    /// The head without its check: what is authenticated.
    static func opening(of head: [UInt8]) -> [UInt8] { Array(head.dropLast(checkBytes)) }

    /// Whether all of a record is as it was written. It finds what a power cut left, and needs no key.
    static func isWhole(_ head: [UInt8], _ encrypted: [UInt8]) -> Bool {
        Array(head.suffix(checkBytes)) == check(opening(of: head), encrypted)
    }

    private static func check(_ opening: [UInt8], _ encrypted: [UInt8]) -> [UInt8] {
        var digest = SHA256()
        digest.update(data: opening)
        digest.update(data: encrypted)
        return Array(digest.finalize().prefix(checkBytes))
    }

    static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }

    static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        bytes[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
