import KeyturnBase
import KeyturnJose
import Model
import StoreSQL
import Testing

@testable import PKCS11

/// The schedule of keys that are kept in a token.
extension PKCS11TokenTests {
    private var secrets: ServerSecrets? { ServerSecrets([[UInt8](repeating: 7, count: 32)]) }

    private func rotation(
        _ database: SQLiteDatabase, _ provider: (any SigningKeyProvider)?, ambient: Ambient = .live
    ) throws -> KeyRotation {
        KeyRotation(
            store: database.stores().keys, secrets: try #require(secrets), tokenSecondsMax: 60, provider: provider,
            ambient: ambient)
    }

    @Test func `the database holds the address of a key in place of its private half`() async throws {
        let database = try SQLiteDatabase(path: nil)
        defer { database.close() }
        let rotation = try rotation(database, try SoftHSM.token())
        let stored = try #require(try await rotation.rotate(.es256))
        let seal = Seal(try #require(secrets), purpose: .signingKey, ambient: .live)
        let bytes = try #require(seal.open(stored.sealedPrivateKey, context: Array(stored.keyID.utf8)))
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("pkcs11:token=keyturn;id="))
        try await rotation.checkKeysElsewhere()
    }

    @Test func `a server without the token, or with one that lacks the key, does not start`() async throws {
        let database = try SQLiteDatabase(path: nil)
        defer { database.close() }
        _ = try await rotation(database, try SoftHSM.token()).rotate(.es256)
        await #expect(throws: JoseProblem.self) { try await self.rotation(database, nil).checkKeysElsewhere() }
        await #expect(throws: PKCS11Problem.noKey) {
            try await self.rotation(database, try SoftHSM.token(SoftHSM.labels[2])).checkKeysElsewhere()
        }
    }

    @Test func `old keys of the database verify on, new ones are made in the token`() async throws {
        let database = try SQLiteDatabase(path: nil)
        defer { database.close() }
        let old = try #require(try await rotation(database, nil).rotate(.es256))
        let ring = KeyRing(
            store: database.stores().keys, secrets: try #require(secrets), tokenSecondsMax: 60,
            provider: try SoftHSM.token(), ambient: .live)
        _ = try await ring.maintain([.es256, .rs256])
        let now = Ambient.live.now()
        #expect(ring.verificationKey(old.keyID, at: now) != nil)
        #expect(ring.signer(.rs256, at: now) != nil && ring.publicKeys(at: now).count == 2)
    }

    @Test func `a key that is removed is destroyed in the token`() async throws {
        let database = try SQLiteDatabase(path: nil)
        defer { database.close() }
        let token = try SoftHSM.token()
        let ring = KeyRing(
            store: database.stores().keys, secrets: try #require(secrets), tokenSecondsMax: 60, provider: token,
            ambient: .live)
        let keyID = try #require(try await ring.maintain([.es256]).first)
        let stored = try #require(try await database.stores().keys.all().first)
        let seal = Seal(try #require(secrets), purpose: .signingKey, ambient: .live)
        let bytes = try #require(seal.open(stored.sealedPrivateKey, context: Array(stored.keyID.utf8)))
        let reference = String(decoding: bytes, as: UTF8.self)
        _ = try await rotation(database, token).drop(keyID)
        try await ring.removeExpired()
        #expect(throws: PKCS11Problem.noKey) { try token.open(reference, .es256) }
        #expect(try await database.stores().keys.all().map(\.keyID).contains(keyID) == false)
    }
}
