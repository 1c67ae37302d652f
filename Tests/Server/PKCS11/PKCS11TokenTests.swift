import CPKCS11
import KeyturnBase
import KeyturnJose
import Model
import StoreSQL
import Testing

@testable import PKCS11

@Suite("Signing keys in a PKCS #11 token", .enabled(if: SoftHSM.isInstalled))
struct PKCS11TokenTests {
    private let message = Array("what is signed".utf8)

    private func isGood(_ signature: [UInt8], by key: SigningKey) throws -> Bool {
        let verifier = try VerificationKey(key.publicKey, algorithm: key.algorithm)
        return verifier.isValid(signature, for: message)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `a key signs in the token, also when it is found again`(_ algorithm: SignatureAlgorithm) throws {
        let token = try SoftHSM.token()
        let (key, reference) = try token.make(algorithm)
        #expect(try isGood(key.signature(for: message), by: key))
        let again = try token.open(reference, algorithm)
        #expect(again.publicKey == key.publicKey)
        #expect(try isGood(again.signature(for: message), by: key))
        #expect(reference.hasPrefix("pkcs11:token=keyturn;id=%"))
        #expect(key.pkcs8DER.isEmpty)
    }

    @Test func `the private half is not told, not even with the PIN`() throws {
        let token = try SoftHSM.token()
        let (_, reference) = try token.make(.es256)
        let id = try #require(PKCS11Token.id(in: reference))
        let sessions = try PKCS11Sessions(module: SoftHSM.module, token: SoftHSM.labels[0], pin: SoftHSM.pin)
        #expect(throws: PKCS11Problem.refused(UInt(CKR_ATTRIBUTE_SENSITIVE))) {
            try sessions.run { (session) throws(PKCS11Problem) in
                try session.attribute(CKA_VALUE, of: try session.find(CKO_PRIVATE_KEY, id))
            }
        }
    }

    @Test func `each mistake has its own error`() throws {
        _ = try SoftHSM.token()
        #expect(throws: PKCS11Problem.pin) { try SoftHSM.token(SoftHSM.labels[3], pin: Secret("999999")) }
        #expect(throws: PKCS11Problem.noToken("keytur")) { try SoftHSM.token("keytur") }
        #expect(throws: PKCS11Problem.noToken("keyturns")) { try SoftHSM.token("keyturns") }
        #expect(throws: PKCS11Problem.unsupported("EdDSA")) { try SoftHSM.token().make(.edDSA) }
        #expect(throws: PKCS11Problem.noKey) { try SoftHSM.token().open("pkcs11:id=%00;type=private", .es256) }
        #expect(throws: PKCS11Problem.malformed) { try SoftHSM.token().open("pkcs11:token=keyturn", .es256) }
        #expect(try SoftHSM.token(SoftHSM.labels[2]).make(.es256).key.algorithm == .es256)
        for path in ["/nowhere.so", "/etc/passwd", "/usr/lib/x86_64-linux-gnu/libz.so.1"] {
            let problem = #expect(throws: PKCS11Problem.self) {
                try PKCS11Token(module: path, token: "keyturn", pin: SoftHSM.pin, ambient: .live)
            }
            guard case .module? = problem else {
                Issue.record("\(path): \(String(describing: problem))")
                continue
            }
        }
    }

    @Test func `many sign at once, and each gets its own signature`() async throws {
        let (key, _) = try SoftHSM.token().make(.es256)
        let verifier = try VerificationKey(key.publicKey, algorithm: .es256)
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let message = Array("message \(number)".utf8)
                    return verifier.isValid(try key.signature(for: message), for: message)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 200)
    }

    @Test func `a token that forgot its sessions goes on with new ones`() throws {
        let token = try SoftHSM.token(SoftHSM.labels[1])
        let (key, _) = try token.make(.es256)
        for _ in 0..<3 {
            try SoftHSM.endSessions(of: SoftHSM.labels[1])
            #expect(try isGood(key.signature(for: message), by: key))
        }
    }

    @Test func `a key that was destroyed signs no more`() throws {
        let token = try SoftHSM.token()
        let (key, reference) = try token.make(.es256)
        try token.remove(reference)
        try token.remove(reference)
        #expect(throws: JoseProblem.self) { try key.signature(for: message) }
        #expect(throws: PKCS11Problem.noKey) { try token.open(reference, .es256) }
    }

    /// So that no refresh token is spent for an answer that cannot be signed.
    @Test func `after a failure a key is ready again when a trial signature succeeds`() throws {
        let token = try SoftHSM.token()
        let (good, _) = try token.make(.es256)
        let (lost, reference) = try token.make(.es256)
        #expect(good.isReady && lost.isReady)
        try token.remove(reference)
        #expect(throws: JoseProblem.self) { try lost.signature(for: message) }
        #expect(!lost.isReady)
        #expect(good.isReady)
    }
}

@Suite("The schedule of keys that are kept in a token", .enabled(if: SoftHSM.isInstalled))
struct PKCS11RotationTests {
    private let secrets = ServerSecrets([[UInt8](repeating: 7, count: 32)])

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
