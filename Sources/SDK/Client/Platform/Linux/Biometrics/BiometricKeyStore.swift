#if os(Linux)
    internal import Crypto
    internal import Foundation
    internal import KeyturnBase

    /// Keys and secrets in a store, wrapped by a TPM where there is one.
    struct BiometricKeyStore: Sendable {
        let store: any SessionStore
        let keys: LinuxBiometrics.Keys
        let ambient: Ambient

        /// What is kept under `name`; `nil` if nothing is.
        func record(_ name: String) async throws(AuthError) -> BiometricKeyRecord? {
            switch await store.read(BiometricKeyRecord.place(name)) {
            case .absent: return nil
            case .unavailable(let error): throw error
            case .found(let record): return try BiometricKeyRecord(record)
            }
        }

        func remove(_ name: String) async throws(AuthError) {
            _ = try await store.remove(BiometricKeyRecord.place(name), when: .always)
        }

        /// Makes a key on P-256, in the place of whatever was there.
        func makeKey(_ name: String, fingers: [String]?) async throws(AuthError) -> BiometricKeyRecord {
            let record: BiometricKeyRecord
            if let made = try await keys.make({ (tpm) throws(TPMProblem) in try tpm.makeKey() }) {
                record = BiometricKeyRecord(
                    form: .tpm, fingers: fingers, publicKey: made.point, content: made.object.secret,
                    wrapper: made.object.area)
            } else {
                let key = P256.Signing.PrivateKey()
                record = BiometricKeyRecord(
                    form: .software, fingers: fingers, publicKey: Array(key.publicKey.rawRepresentation),
                    content: Array(key.rawRepresentation), wrapper: [])
            }
            try await put(record, name)
            return record
        }

        /// Signs with ES256; `nil` if the TPM knows nothing of the key any more.
        func signature(
            of message: [UInt8], with record: BiometricKeyRecord, _ name: String
        ) async throws(AuthError) -> [UInt8]? {
            let digest = Array(SHA256.hash(data: message))
            guard record.form == .software else {
                let object = TPMObject(secret: record.content, area: record.wrapper)
                return try await keys.open { (tpm) throws(TPMProblem) in
                    try tpm.signature(of: digest, with: object)
                }
            }
            do {
                let key = try P256.Signing.PrivateKey(rawRepresentation: record.content)
                return Array(try key.signature(for: message).rawRepresentation)
            } catch {
                throw AuthError(.storeUnavailable, "the stored key does not sign", cause: error)
            }
        }

        /// Keeps a secret, in the place of whatever was there.
        func keep(_ secret: [UInt8], _ name: String, fingers: [String]?) async throws(AuthError) {
            // A TPM takes a short secret alone: it seals the key of the long one.
            let key = ambient.randomBytes(32)
            guard let object = try await keys.make({ (tpm) throws(TPMProblem) in try tpm.seal(key) }) else {
                return try await put(
                    BiometricKeyRecord(form: .software, fingers: fingers, publicKey: [], content: secret, wrapper: []),
                    name)
            }
            let box: AES.GCM.SealedBox?
            do {
                box = try AES.GCM.seal(
                    secret, using: SymmetricKey(data: key),
                    nonce: AES.GCM.Nonce(data: ambient.randomBytes(12)), authenticating: Array(name.utf8))
            } catch {
                throw AuthError(.storeUnavailable, "the secret cannot be encrypted", cause: error)
            }
            guard let sealed = box?.combined else {
                throw AuthError(.storeUnavailable, "the secret cannot be encrypted")
            }
            let count = UInt16(clamping: object.secret.count)
            let content = [UInt8(count >> 8), UInt8(count & 0xFF)] + object.secret + Array(sealed)
            try await put(
                BiometricKeyRecord(form: .tpm, fingers: fingers, publicKey: [], content: content, wrapper: object.area),
                name)
        }

        /// The secret; `nil` if the TPM knows nothing of it any more.
        func secret(of record: BiometricKeyRecord, _ name: String) async throws(AuthError) -> [UInt8]? {
            guard record.form == .tpm else { return record.content }
            let damaged = AuthError(.storeUnavailable, "the stored secret is damaged")
            guard record.content.count > 2 else { throw damaged }
            let count = Int(record.content[0]) << 8 | Int(record.content[1])
            guard record.content.count > 2 + count else { throw damaged }
            let wrapped = TPMObject(secret: Array(record.content[2..<(2 + count)]), area: record.wrapper)
            let key = try await keys.open { (tpm) throws(TPMProblem) in try tpm.unseal(wrapped) }
            guard let key else { return nil }
            do {
                let box = try AES.GCM.SealedBox(combined: record.content[(2 + count)...])
                return Array(try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: Array(name.utf8)))
            } catch {
                throw damaged
            }
        }

        private func put(_ record: BiometricKeyRecord, _ name: String) async throws(AuthError) {
            _ = try await store.write(record.stored, for: BiometricKeyRecord.place(name), when: .always)
        }
    }
#endif
