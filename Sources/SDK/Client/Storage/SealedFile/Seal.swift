internal import Crypto
internal import KeyturnBase

/// The form of a sealed file: `KTS1`, the generation in the clear, then AES-256-GCM of the contents.
///
/// What is in the clear is authenticated with the container's name and the form's version, so that a record moved
/// under another name, or given another generation, does not open.
struct Seal {
    private let key: SymmetricKey
    private static let magic = Array("KTS1".utf8)
    /// How the files of all releases begin.
    private static let mark = Array("KTS".utf8)

    /// - Parameter key: 32 bytes.
    init(key: [UInt8]) {
        precondition(key.count == Self.keyBytes, "AES-256 takes 32 bytes")
        self.key = SymmetricKey(data: key)
    }

    static let keyBytes = 32

    func seal(_ record: StoredRecord, container: String, ambient: Ambient) throws(AuthError) -> [UInt8] {
        let head = Self.head(record.generation)
        do {
            let nonce = try AES.GCM.Nonce(data: ambient.randomBytes(12))
            let box = try AES.GCM.seal(
                record.contents, using: key, nonce: nonce, authenticating: Self.context(container, head))
            return head + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw AuthError(.storeUnavailable, "sealing failed", cause: error)
        }
    }

    /// - Throws: `store.key_lost` for anything that this key did not seal under this name; `store.unavailable` for
    ///   what another release wrote.
    func open(_ bytes: [UInt8], container: String) throws(AuthError) -> StoredRecord {
        guard bytes.prefix(Self.magic.count) == Self.magic[...] || !bytes.starts(with: Self.mark) else {
            throw AuthError(
                .storeUnavailable,
                "the stored file was written by another release: use that one, or sign in again",
                cause: UnusableRecord())
        }
        guard let (generation, headCount) = Self.parseHead(bytes), bytes.count >= headCount + 28 else {
            throw .lost("the stored file is damaged")
        }
        do {
            let box = try AES.GCM.SealedBox(combined: bytes[headCount...])
            let contents = try AES.GCM.open(
                box, using: key, authenticating: Self.context(container, Array(bytes[..<headCount])))
            return StoredRecord(generation: generation, contents: Array(contents))
        } catch {
            throw .lost("the stored file does not open: it is damaged, was moved, or is another key's")
        }
    }

    private static func head(_ generation: Generation) -> [UInt8] {
        let name = Array(generation.signIn.utf8.prefix(255))
        let number = (0..<8).map { UInt8(truncatingIfNeeded: generation.number >> (56 - 8 * UInt64($0))) }
        return magic + [UInt8(name.count)] + name + number
    }

    private static func parseHead(_ bytes: [UInt8]) -> (Generation, count: Int)? {
        guard bytes.count > magic.count, Array(bytes.prefix(magic.count)) == magic else { return nil }
        let start = magic.count + 1
        let nameEnd = start + Int(bytes[magic.count])
        guard bytes.count >= nameEnd + 8, let name = String(validating: bytes[start..<nameEnd], as: UTF8.self)
        else { return nil }
        let number = bytes[nameEnd..<(nameEnd + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (Generation(signIn: name, number: number), nameEnd + 8)
    }

    /// What is authenticated beside the contents: each part with its length, so that none can run into the next.
    private static func context(_ container: String, _ head: [UInt8]) -> [UInt8] {
        let parts = [Array("keyturn session v1".utf8), Array(container.utf8), head]
        return parts.flatMap { part in
            let count = UInt32(part.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } + part
        }
    }
}
