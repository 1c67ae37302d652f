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
        key = try ContainerHead.read(.backup, with: identities, input)
        self.input = input
        block = try input(Self.blockBytes)
        guard !block.isEmpty else { throw ContainerProblem.truncated }
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
