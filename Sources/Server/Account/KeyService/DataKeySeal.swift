internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import Model
internal import SignIn

/// The cryptography of the key service: every cipher is here. No store, no count, no clock.
///
/// The secret's key is `HKDF(Argon2id(secret, salt))`, the long secret's is `HKDF(long secret)`; each wraps the data
/// key (AES-256-GCM). The wrap is sealed once more by the server's own secret: a copy of the database does not allow
/// guesses, and the server's secret can be changed without the users'. Name and realm of the key are authenticated
/// everywhere, so that no wrap can be moved to another key.
struct DataKeySeal: Sendable {
    /// An opened data key: as confidential as the user's secret.
    struct Opened: Sendable {
        let dataKey: [UInt8]
        let longSecret: Secret

        /// Standard base64, as clients of this API read it.
        var key: Secret { Secret(Data(dataKey).base64EncodedString()) }
    }

    private typealias Kind = DataKeyWraps.Kind

    private let seal: Seal
    private let ambient: Ambient
    private let parameters: Argon2Parameters
    private static let keyBytes = 32

    init(_ secrets: ServerSecrets, parameters: Argon2Parameters, ambient: Ambient) {
        seal = Seal(secrets, purpose: .keyService, ambient: ambient)
        self.parameters = parameters
        self.ambient = ambient
    }

    /// A new data key with its long secret, and its wraps. Computes one hash.
    ///
    /// - Returns: `nil` if there is no memory to hash with.
    func make(_ id: String, realm: String, secret: Secret) -> (opened: Opened, wraps: DataKeyWraps)? {
        let name = DataKeyWraps.name(id, realm)
        let opened = Opened(
            dataKey: ambient.randomBytes(Self.keyBytes),
            longSecret: Secret(Data(ambient.randomBytes(Self.keyBytes)).base64EncodedString()))
        guard let bySecret = wrap(opened.dataKey, under: secret, name) else { return nil }
        let inner = close(
            opened.dataKey, under: Self.key(Array(opened.longSecret.exposed().utf8), .longSecret, name), name)
        return (
            opened,
            DataKeyWraps(
                salt: bySecret.salt, parameters: parameters, bySecret: bySecret.sealed,
                byLongSecret: seal.seal(inner, context: DataKeyWraps.sealContext(.longSecret, name)),
                longSecret: close(
                    Array(opened.longSecret.exposed().utf8), under: Self.keyOfLongSecret(opened.dataKey, name), name))
        )
    }

    /// Whether this server's secrets open the outer seals. Computes no hash.
    func canRead(_ key: StoredDataKey) -> Bool {
        let name = DataKeyWraps.name(key.id, key.realm)
        return seal.open(key.wraps.bySecret, context: DataKeyWraps.sealContext(.secret, name)) != nil
            && seal.open(key.wraps.byLongSecret, context: DataKeyWraps.sealContext(.longSecret, name)) != nil
    }

    /// The result of trying a secret.
    enum Verdict: Sendable {
        /// With new wraps to store, if the old ones are outdated or the secret is to be replaced.
        case right(Opened, DataKeyWraps?)
        case wrong
        /// Nothing was compared: no memory to hash with, or another server's seal.
        case undecided
    }

    /// Tries the user's secret. Computes one hash, and another one if it is right and the wrap is to be renewed.
    ///
    /// - Parameter next: replaces the secret if that is right.
    func open(_ key: StoredDataKey, secret: Secret, replacedBy next: Secret?) -> Verdict {
        let name = DataKeyWraps.name(key.id, key.realm)
        guard let inner = seal.open(key.wraps.bySecret, context: DataKeyWraps.sealContext(.secret, name)),
            let derived = Argon2.derive(secret, key.wraps.parameters, salt: key.wraps.salt)
        else { return .undecided }
        guard let opened = open(inner, under: Self.key(derived, .secret, name), key, name) else { return .wrong }
        var wraps = refreshed(key) ?? key.wraps
        if next != nil || key.wraps.parameters != parameters {
            guard let made = wrap(opened.dataKey, under: next ?? secret, name) else {
                return next == nil ? .right(opened, nil) : .undecided
            }
            wraps.salt = made.salt
            wraps.parameters = parameters
            wraps.bySecret = made.sealed
        }
        return .right(opened, wraps == key.wraps ? nil : wraps)
    }

    /// Tries a long secret. It has 256 bits, so no slow hash is needed.
    func open(_ key: StoredDataKey, longSecret: Secret) -> Opened? {
        let name = DataKeyWraps.name(key.id, key.realm)
        guard let inner = seal.open(key.wraps.byLongSecret, context: DataKeyWraps.sealContext(.longSecret, name)) else {
            return nil
        }
        return open(inner, under: Self.key(Array(longSecret.exposed().utf8), .longSecret, name), key, name)
    }

    /// The wraps under the server's present secret; `nil`: they already are.
    private func refreshed(_ key: StoredDataKey) -> DataKeyWraps? {
        guard !seal.isCurrent(key.wraps.bySecret) || !seal.isCurrent(key.wraps.byLongSecret) else { return nil }
        let name = DataKeyWraps.name(key.id, key.realm)
        var wraps = key.wraps
        guard let bySecret = seal.open(wraps.bySecret, context: DataKeyWraps.sealContext(.secret, name)),
            let byLongSecret = seal.open(wraps.byLongSecret, context: DataKeyWraps.sealContext(.longSecret, name))
        else { return nil }
        wraps.bySecret = seal.seal(bySecret, context: DataKeyWraps.sealContext(.secret, name))
        wraps.byLongSecret = seal.seal(byLongSecret, context: DataKeyWraps.sealContext(.longSecret, name))
        return wraps
    }

    private func wrap(_ dataKey: [UInt8], under secret: Secret, _ name: [UInt8]) -> (salt: [UInt8], sealed: [UInt8])? {
        let salt = ambient.randomBytes(16)
        guard let derived = Argon2.derive(secret, parameters, salt: salt) else { return nil }
        let inner = close(dataKey, under: Self.key(derived, .secret, name), name)
        return (salt, seal.seal(inner, context: DataKeyWraps.sealContext(.secret, name)))
    }

    private func open(_ inner: [UInt8], under key: SymmetricKey, _ stored: StoredDataKey, _ name: [UInt8]) -> Opened? {
        guard let dataKey = Self.open(inner, under: key, name), dataKey.count == Self.keyBytes,
            let longSecret = Self.open(stored.wraps.longSecret, under: Self.keyOfLongSecret(dataKey, name), name)
        else { return nil }
        return Opened(dataKey: dataKey, longSecret: Secret(String(decoding: longSecret, as: UTF8.self)))
    }

    private func close(_ plaintext: [UInt8], under key: SymmetricKey, _ name: [UInt8]) -> [UInt8] {
        guard let nonce = try? AES.GCM.Nonce(data: ambient.randomBytes(12)),
            let box = try? AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: name),
            let combined = box.combined
        else { preconditionFailure("AES-GCM takes a 32-byte key and a 12-byte nonce") }
        return Array(combined)
    }

    private static func open(_ sealed: [UInt8], under key: SymmetricKey, _ name: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plaintext = try? AES.GCM.open(box, using: key, authenticating: name)
        else { return nil }
        return Array(plaintext)
    }

    private static func key(_ input: [UInt8], _ kind: Kind, _ name: [UInt8]) -> SymmetricKey {
        derive(input, Array("keyturn/key-service/1/by-\(kind.rawValue)/".utf8) + name)
    }

    private static func keyOfLongSecret(_ dataKey: [UInt8], _ name: [UInt8]) -> SymmetricKey {
        derive(dataKey, Array("keyturn/key-service/1/of-long-secret/".utf8) + name)
    }

    private static func derive(_ input: [UInt8], _ info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: input), info: info, outputByteCount: keyBytes)
    }
}
