internal import Crypto
internal import CryptoExtras
internal import KeyturnBase

/// What Trifork's library stores: no version, no mark of the method, nothing that says whose it is.
extension DataKey {
    /// Opens such an item.
    ///
    /// - Throws: `vault.damaged` if it does not open.
    func open(_ sealed: [UInt8], by method: LegacyVaultMethod) throws(AuthError) -> [UInt8] {
        let key = SymmetricKey(data: exposed())
        do {
            switch method {
            case .aesGCM: return Array(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key))
            case .aesCBC:
                guard sealed.count >= 32, sealed.count.isMultiple(of: 16) else { throw Self.damaged }
                let iv = try AES._CBC.IV(ivBytes: sealed[..<16])
                return Array(try AES._CBC.decrypt(sealed[16...], using: key, iv: iv))
            }
        } catch {
            throw Self.damaged
        }
    }

    /// Makes such an item, as Trifork's library would.
    ///
    /// - Parameter nonce: 12 bytes for GCM, 16 for CBC.
    func seal(_ plain: [UInt8], by method: LegacyVaultMethod, nonce: [UInt8]) throws(AuthError) -> [UInt8] {
        let key = SymmetricKey(data: exposed())
        do {
            switch method {
            case .aesGCM:
                let box = try AES.GCM.seal(plain, using: key, nonce: AES.GCM.Nonce(data: nonce))
                return nonce + Array(box.ciphertext) + Array(box.tag)
            case .aesCBC: return nonce + Array(try AES._CBC.encrypt(plain, using: key, iv: AES._CBC.IV(ivBytes: nonce)))
            }
        } catch {
            throw AuthError(.storeUnavailable, "sealing failed", cause: error)
        }
    }

    private static let damaged = AuthError(
        .vaultDamaged, "what is stored does not open: damaged, another key's, or another method's")
}
