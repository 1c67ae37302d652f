internal import Crypto
internal import Foundation

/// Decrypts a backup chunk by chunk: see ``ContainerFormat``. What it gave is whole when it gave the last chunk.
struct ContainerReader {
    private let key: SymmetricKey
    private let input: (Int) throws -> [UInt8]
    /// The next chunk, encrypted; empty behind the last one.
    private var block: [UInt8] = []
    private var number: UInt64 = 0

    private static let blockBytes = ContainerFormat.chunkBytes + ContainerFormat.tagBytes

    /// Reads the head, and finds the key that one of the identities opens.
    ///
    /// - Parameter input: gives as many bytes as it is asked for, fewer only at the end.
    /// - Throws: ``ContainerProblem``, and what `input` throws.
    init(with identities: [BackupIdentity], input: @escaping (Int) throws -> [UInt8]) throws {
        let opening = try input(ContainerFormat.magic.count + 2)
        guard opening.starts(with: ContainerFormat.magic), opening.count == ContainerFormat.magic.count + 2 else {
            throw ContainerProblem.notABackup
        }
        let (version, count) = (opening[opening.count - 2], Int(opening[opening.count - 1]))
        guard version == ContainerFormat.version else { throw ContainerProblem.newer(version: version) }
        guard (1...ContainerFormat.recipientsMax).contains(count) else { throw ContainerProblem.damagedHead }
        let length = ContainerFormat.encapsulatedBytes + ContainerFormat.wrappedBytes
        let wrapped = try input(count * length)
        let mac = try input(ContainerFormat.macBytes)
        guard wrapped.count == count * length, mac.count == ContainerFormat.macBytes else {
            throw ContainerProblem.truncated
        }
        let head = opening + wrapped
        let stanzas = (0..<count).map { wrapped[($0 * length)..<(($0 + 1) * length)] }
        guard let fileKey = Self.fileKey(in: stanzas, with: identities) else { throw ContainerProblem.otherRecipients }
        let keys = ContainerFormat.keys(from: fileKey, head: head)
        guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: head, using: keys.mac) else {
            throw ContainerProblem.damagedHead
        }
        (key, self.input) = (keys.chunks, input)
        block = try input(Self.blockBytes)
        guard !block.isEmpty else { throw ContainerProblem.truncated }
    }

    private static func fileKey(in stanzas: [ArraySlice<UInt8>], with identities: [BackupIdentity]) -> SymmetricKey? {
        for stanza in stanzas {
            let (encapsulated, wrapped) = (
                Data(stanza.prefix(ContainerFormat.encapsulatedBytes)),
                Data(stanza.dropFirst(ContainerFormat.encapsulatedBytes))
            )
            for identity in identities {
                var recipient = try? HPKE.Recipient(
                    privateKey: identity.key, ciphersuite: ContainerFormat.ciphersuite,
                    info: ContainerFormat.wrapInfo, encapsulatedKey: encapsulated)
                if let key = try? recipient?.open(wrapped) { return SymmetricKey(data: key) }
            }
        }
        return nil
    }

    /// The next chunk; `nil` behind the last one.
    ///
    /// - Throws: ``ContainerProblem``, and what the input throws.
    mutating func next() throws -> [UInt8]? {
        guard !block.isEmpty else { return nil }
        let following = block.count == Self.blockBytes ? try input(Self.blockBytes) : []
        defer { (block, number) = (following, number + 1) }
        let isLast = following.isEmpty
        if let chunk = open(isLast: isLast) { return chunk }
        guard open(isLast: !isLast) == nil else {
            throw isLast ? ContainerProblem.truncated : ContainerProblem.extended
        }
        throw ContainerProblem.damagedChunk(Int(number) + 1)
    }

    private func open(isLast: Bool) -> [UInt8]? {
        guard block.count >= ContainerFormat.tagBytes,
            let nonce = try? ContainerFormat.nonce(number, isLast: isLast),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: block.dropLast(ContainerFormat.tagBytes),
                tag: block.suffix(ContainerFormat.tagBytes)),
            let chunk = try? ChaChaPoly.open(box, using: key)
        else { return nil }
        return Array(chunk)
    }
}
