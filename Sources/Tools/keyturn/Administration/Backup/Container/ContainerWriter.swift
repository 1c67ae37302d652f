internal import Crypto
internal import Foundation
internal import KeyturnBase

/// Encrypts a backup piece by piece: see ``ContainerFormat``.
struct ContainerWriter {
    private let key: SymmetricKey
    private let output: ([UInt8]) throws -> Void
    private var waiting: [UInt8] = []
    private var number: UInt64 = 0

    /// Writes the head.
    ///
    /// - Parameters:
    ///   - recipients: one to 16.
    ///   - output: gets what is to be written.
    /// - Throws: what `output` throws; `CryptoKitError` for a recipient that is no key.
    init(to recipients: [BackupRecipient], ambient: Ambient, output: @escaping ([UInt8]) throws -> Void) throws {
        let head = try ContainerHead.make(.backup, to: recipients, ambient: ambient)
        (key, self.output) = (head.key, output)
        try output(head.bytes)
    }

    mutating func write(_ bytes: [UInt8]) throws {
        waiting += bytes
        var start = 0
        // A whole chunk may be the last one: it waits for more.
        while waiting.count - start > ContainerFormat.chunkBytes {
            let end = start + ContainerFormat.chunkBytes
            try seal(waiting[start..<end], isLast: false)
            start = end
        }
        waiting.removeFirst(start)
    }

    /// Writes the last chunk.
    mutating func finish() throws {
        try seal(waiting[...], isLast: true)
        waiting = []
    }

    private mutating func seal(_ chunk: ArraySlice<UInt8>, isLast: Bool) throws {
        let box = try ChaChaPoly.seal(chunk, using: key, nonce: ContainerFormat.nonce(number, isLast: isLast))
        number += 1
        try output(Array(box.ciphertext) + Array(box.tag))
    }
}
