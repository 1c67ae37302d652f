internal import Crypto
internal import Foundation
internal import KeyturnBase

/// The key that opens what a vault keeps for one user. It came from the key service and lies in memory alone.
struct DataKey: Sendable {
    private let key: SymmetricKey

    /// - Parameter base64: 16, 24 or 32 bytes in base64 with padding.
    /// - Throws: `vault.invalid_key` for anything else.
    init(base64: Secret) throws(AuthError) {
        guard let data = Data(base64Encoded: base64.exposed()), let key = DataKey(bytes: Array(data)) else {
            throw AuthError(.vaultInvalidKey, "the key service handed out no AES key")
        }
        self = key
    }

    /// - Parameter bytes: 16, 24 or 32; `nil` for any other number.
    init?(bytes: [UInt8]) {
        guard [16, 24, 32].contains(bytes.count) else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// What it seals with, by the name of RFC 7518 §5.1.
    var algorithm: String { "A\(key.bitCount)GCM" }

    /// The key itself. The loud name marks each place where it leaves its wrapping.
    func exposed() -> [UInt8] { unsafe key.withUnsafeBytes { unsafe Array($0) } }

    /// Nonce, ciphertext and tag.
    func seal(_ plaintext: [UInt8], _ label: VaultLabel, ambient: Ambient) throws(AuthError) -> [UInt8] {
        do {
            let nonce = try AES.GCM.Nonce(data: ambient.randomBytes(12))
            let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: label.bytes(algorithm))
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw AuthError(.storeUnavailable, "sealing failed", cause: error)
        }
    }

    /// - Throws: `vault.damaged` for anything that this key did not seal under this label.
    func open(_ sealed: [UInt8], _ label: VaultLabel) throws(AuthError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: key, authenticating: label.bytes(algorithm)))
        } catch {
            throw AuthError(.vaultDamaged, "what is stored does not open: changed, moved, or another key's")
        }
    }
}

extension DataKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "«key»" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a sealed thing is, authenticated with it: whose, by which key, and under what name. Moved to another place it
/// does not open.
struct VaultLabel: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case session(Generation)
        case item(String)
    }

    let user: String
    let keyID: String
    let kind: Kind

    /// Each part with its length, so that none can run into the next.
    func bytes(_ algorithm: String) -> [UInt8] {
        let parts =
            switch kind {
            case .session(let generation): ["session", generation.signIn, String(generation.number)]
            case .item(let name): ["item", name]
            }
        return (["keyturn vault v1", algorithm, user, keyID] + parts).flatMap { part in
            let count = UInt32(part.utf8.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } + Array(part.utf8)
        }
    }
}
