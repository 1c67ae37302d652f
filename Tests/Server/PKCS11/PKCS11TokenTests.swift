import CPKCS11
import KeyturnBase
import KeyturnJose
import Model
import Testing

@testable import PKCS11

/// One after the other: SoftHSM fails now and then where keys of one token are made and destroyed at the same moment.
@Suite("Signing keys in a PKCS #11 token", .serialized, .enabled(if: SoftHSM.isInstalled))
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

    /// A token locks after a few wrong ones, and many callers come at once.
    @Test func `a PIN that was refused is not shown again`() throws {
        let (label, other) = (SoftHSM.labels[3], Secret("654321"))
        _ = try SoftHSM.token()
        let sessions = try PKCS11Sessions(module: SoftHSM.module, token: label, pin: SoftHSM.pin)
        try SoftHSM.change(other, of: label, from: SoftHSM.pin)
        #expect(throws: PKCS11Problem.pin) { try ask(sessions) }
        try SoftHSM.change(SoftHSM.pin, of: label, from: other)
        // It would be right now.
        #expect(throws: PKCS11Problem.pin) { try ask(sessions) }
        _ = try SoftHSM.token(label)
    }

    /// Something that a session is needed for.
    private func ask(_ sessions: PKCS11Sessions) throws {
        do {
            _ = try sessions.run { (session) throws(PKCS11Problem) in try session.find(CKO_PRIVATE_KEY, [0]) }
        } catch .noKey {}
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
        #expect(try isGood(good.signature(for: message), by: good))
        #expect(!lost.isReady, "another key's signature says nothing of it")
    }
}
