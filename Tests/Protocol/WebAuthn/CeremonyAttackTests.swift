import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Attacks on ceremonies, WebAuthn Level 3 §7.1 and §7.2")
struct CeremonyAttackTests {
    typealias Behaviour = SoftwareAuthenticator.Behaviour

    /// What a registration, and a sign-in with a credential that was made honestly, fail with.
    private func problems(
        policy: WebAuthnPolicy? = nil, _ misbehave: (inout Behaviour) -> Void
    ) throws -> (registration: WebAuthnProblem?, authentication: WebAuthnProblem?) {
        var ceremonies = try Ceremonies(policy: policy)
        let record = try ceremonies.register().record
        misbehave(&ceremonies.authenticator.behaviour)
        return (problem { try ceremonies.register() }, problem { try ceremonies.signIn(record) })
    }

    @Test func `attack 94: an answer to another challenge is refused`() throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register().record
        var first: AuthenticationResponse?
        _ = try ceremonies.signIn(record) { first = $0 }
        let replayed = problem { try ceremonies.signIn(record) { $0 = first ?? $0 } }
        #expect(replayed?.rule == .challengeMismatch)
        #expect(replayed?.step == .authentication(11))
        var made: RegistrationResponse?
        _ = try ceremonies.register { made = $0 }
        let again = problem { try ceremonies.register { $0 = made ?? $0 } }
        #expect(again?.rule == .challengeMismatch)
        #expect(again?.step == .registration(8))
    }

    @Test func `attack 95: an answer to the other kind of ceremony is refused`() throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register().record
        let swap = { (bytes: [UInt8], from: String, to: String) in
            Array(String(decoding: bytes, as: UTF8.self).replacing(from, with: to).utf8)
        }
        let created = problem {
            try ceremonies.register { $0.clientDataJSON = swap($0.clientDataJSON, "webauthn.create", "webauthn.get") }
        }
        #expect(created?.rule == .typeMismatch)
        #expect(created?.step == .registration(7))
        let got = problem {
            try ceremonies.signIn(record) {
                $0.clientDataJSON = swap($0.clientDataJSON, "webauthn.get", "webauthn.create")
            }
        }
        #expect(got?.rule == .typeMismatch)
        #expect(got?.step == .authentication(10))
    }

    @Test(arguments: [
        "https://keyturn.test.evil.test", "http://keyturn.test", "https://keyturn.test:443", "https://keyturn.test/",
        "https://KEYTURN.test", "https://sub.keyturn.test", "null", "",
        "android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
    ])
    func `attack 96: an origin that is not exactly one of the policy's is refused`(_ origin: String) throws {
        let found = try problems { $0.origin = origin }
        #expect(found.registration?.rule == .originNotAllowed)
        #expect(found.registration?.step == .registration(9))
        #expect(found.authentication?.rule == .originNotAllowed)
        #expect(found.authentication?.step == .authentication(12))
    }

    @Test func `attack 96: frames of other sites are refused unless the policy names them`() throws {
        let framed = try problems { $0.crossOrigin = true }
        #expect(framed.registration?.rule == .crossOriginNotAllowed)
        #expect(framed.authentication?.step == .authentication(13))
        let policy = try WebAuthnPolicy(
            rpID: Ceremonies.rpID, rpName: "Keyturn", origins: ["https://keyturn.test"],
            topOrigins: ["https://shop.test"], allowsCrossOrigin: true)
        let other = try problems(policy: policy) {
            $0.crossOrigin = true
            $0.topOrigin = "https://evil.test"
        }
        #expect(other.registration?.rule == .topOriginNotAllowed)
        #expect(other.registration?.step == .registration(11))
        #expect(other.authentication?.step == .authentication(14))
        let named = try problems(policy: policy) {
            $0.crossOrigin = true
            $0.topOrigin = "https://shop.test"
        }
        #expect(named.registration == nil && named.authentication == nil)
    }

    @Test(arguments: ["https://keyturn.test", "https://login.keyturn.test:8443", "https://keyturn.example"])
    func `the policy's origins and related origins are taken`(_ origin: String) throws {
        let found = try problems { $0.origin = origin }
        #expect(found.registration == nil && found.authentication == nil)
    }

    @Test func `attack 97: a credential of another relying party is refused`() throws {
        var behaviour = Behaviour()
        behaviour.origin = "https://keyturn.test"
        var ceremonies = try Ceremonies(behaviour: behaviour)
        let challenge = ceremonies.challenge()
        let options = PublicKeyCredentialCreationOptions(
            rpID: "evil.test", rpName: "Evil", user: .init(id: Ceremonies.handle), challenge: challenge,
            algorithms: [-7])
        let response = try ceremonies.authenticator.register(options)
        let ceremony = RegistrationCeremony(
            policy: ceremonies.policy, challenge: challenge, userHandle: Ceremonies.handle)
        let found = problem { try ceremony.verify(response) }
        #expect(found?.rule == .relyingPartyMismatch)
        #expect(found?.step == .registration(14))
    }

    @Test func `attack 98: somebody must be there, and be verified where that is required`() throws {
        let absent = try problems { $0.isUserPresent = false }
        #expect(absent.registration?.rule == .userNotPresent)
        #expect(absent.registration?.step == .registration(15))
        #expect(absent.authentication?.step == .authentication(16))
        let strict = try problems(policy: Ceremonies.policy(userVerification: .required)) { $0.isUserVerified = false }
        #expect(strict.registration?.rule == .userNotVerified)
        #expect(strict.authentication?.step == .authentication(17))
        for requirement in [UserVerificationRequirement.preferred, .discouraged] {
            let lax = try problems(policy: Ceremonies.policy(userVerification: requirement)) {
                $0.isUserVerified = false
            }
            #expect(lax.registration == nil && lax.authentication == nil)
        }
    }

    @Test func `attack 98: only a conditional registration goes without a touch`() throws {
        var ceremonies = try Ceremonies()
        ceremonies.authenticator.behaviour.isUserPresent = false
        let credential = try ceremonies.register(isConditional: true)
        #expect(!credential.isUserPresent)
        #expect(problem { try ceremonies.signIn(credential.record) }?.rule == .userNotPresent)
    }

    @Test func `attack 99: backup flags that contradict each other or the past are refused`() throws {
        let impossible = try problems { ($0.isBackupEligible, $0.isBackedUp) = (false, true) }
        #expect(impossible.registration?.rule == .backupFlagsInconsistent)
        #expect(impossible.authentication?.step == .authentication(18))
        let changed = try problems { ($0.isBackupEligible, $0.isBackedUp) = (false, false) }
        #expect(changed.registration == nil)
        #expect(changed.authentication?.rule == .backupEligibilityChanged)
        #expect(changed.authentication?.step == .authentication(19))
    }

    @Test(arguments: [
        (BackupRule.eligibleOnly, false, false, false), (.eligibleOnly, true, false, true),
        (.backedUpOnly, true, false, false), (.backedUpOnly, true, true, true), (.deviceBoundOnly, true, false, false),
        (.deviceBoundOnly, false, false, true), (.any, false, false, true),
    ])
    func `the policy decides on copies`(_ rule: BackupRule, _ eligible: Bool, _ backedUp: Bool, _ taken: Bool) throws {
        var behaviour = Behaviour()
        (behaviour.isBackupEligible, behaviour.isBackedUp) = (eligible, backedUp)
        var ceremonies = try Ceremonies(policy: Ceremonies.policy(backup: rule), behaviour: behaviour)
        #expect((problem { try ceremonies.register() } == nil) == taken)
    }

    @Test func `attack 100: a clone is noticed by its counter`() throws {
        var ceremonies = try Ceremonies()
        var record = try ceremonies.register().record
        #expect(record.signCount == 1)
        var clone = ceremonies
        record = try ceremonies.signIn(record).record
        #expect(record.signCount == 2)
        let found = problem { try clone.signIn(record) }
        #expect(found?.rule == .counterNotIncreased)
        #expect(found?.step == .authentication(22))
        clone.policy.signatureCounter = .report
        clone.authenticator.behaviour.counterStep = 0
        let reported = try clone.signIn(record)
        #expect(reported.signatureCounter == .notIncreased)
        #expect(reported.record.signCount == 2, "the higher count stays")
    }

    @Test
    func `attack 100: a counter that goes back to nothing is noticed, one that never counts is not held against it`()
        throws
    {
        var behaviour = Behaviour()
        behaviour.counterStep = 0
        var ceremonies = try Ceremonies(behaviour: behaviour)
        var record = try ceremonies.register().record
        #expect(try ceremonies.signIn(record).signatureCounter == .unused)
        record.signCount = 5
        #expect(problem { try ceremonies.signIn(record) }?.rule == .counterNotIncreased)
    }

    @Test func `attack 101: a credential of somebody else, or one that was not asked for, is refused`() throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register().record
        let other = Array("somebody else".utf8)
        let foreign = problem { try ceremonies.signIn(record, subject: .user(handle: other)) }
        #expect(foreign?.rule == .userHandleMismatch)
        #expect(foreign?.step == .authentication(6))
        #expect(problem { try ceremonies.signIn(record) { $0.userHandle = other } }?.rule == .userHandleMismatch)
        let claimed = problem { try ceremonies.signIn(record, subject: .anybody) { $0.userHandle = other } }
        #expect(claimed?.rule == .userHandleMismatch)
        let silent = problem { try ceremonies.signIn(record, subject: .anybody) { $0.userHandle = nil } }
        #expect(silent?.rule == .userHandleMissing)
        let unasked = problem { try ceremonies.signIn(record, allowedIDs: [[1, 2, 3]]) }
        #expect(unasked?.rule == .credentialNotAllowed)
        #expect(unasked?.step == .authentication(5))
        #expect(problem { try ceremonies.signIn(record) { $0.id = [1] } }?.rule == .credentialNotAllowed)
        #expect(try ceremonies.signIn(record, subject: .anybody, asked: []).record.userHandle == Ceremonies.handle)
    }

    @Test func `attack 102: a credential that is registered already, or of another identifier, is refused`() throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register().record
        var twin = try Ceremonies()
        let again = problem { try twin.register(registeredIDs: [record.id]) }
        #expect(again?.rule == .credentialAlreadyRegistered)
        #expect(again?.step == .registration(26))
        let other = problem { try ceremonies.register { $0.id = record.id } }
        #expect(other?.rule == .credentialIDMismatch)
    }

    @Test(arguments: [(0, false), (1, true), (1_023, true), (1_024, false), (4_000, false)])
    func `attack 102: an identifier has 1 to 1023 bytes`(_ count: Int, _ taken: Bool) throws {
        var ceremonies = try Ceremonies()
        let found = problem {
            try ceremonies.register { response in
                guard let object = try? CBORValue(decoding: response.attestationObject).mapValue,
                    let data = object["authData"]?.bytesValue
                else { return }
                let id = [UInt8](repeating: 7, count: count)
                let size = [UInt8(count >> 8), UInt8(count & 0xFF)]
                response.id = count == 0 || count > 1_023 ? [7] : id
                response.attestationObject =
                    CBORValue.map(
                        CBORMap([
                            (.text("fmt"), .text("none")), (.text("attStmt"), .map(CBORMap([]))),
                            (.text("authData"), .bytes(data[..<53] + size + id + data[87...])),
                        ])
                    ).encoded
            }
        }
        #expect((found == nil) == taken)
        if !taken { #expect(found?.rule == .credentialIDTooLong) }
    }

    @Test func `attack 103: an algorithm that was not offered is refused`() throws {
        var ceremonies = try Ceremonies()
        let offered = ceremonies.policy
        ceremonies.policy = try WebAuthnPolicy(
            rpID: offered.rpID, rpName: "", origins: offered.origins, algorithms: [.edDSA])
        let challenge = ceremonies.challenge()
        let response = try ceremonies.authenticator.register(
            offered.creationOptions(challenge: challenge, user: .init(id: Ceremonies.handle)))
        let ceremony = RegistrationCeremony(
            policy: ceremonies.policy, challenge: challenge, userHandle: Ceremonies.handle)
        let found = problem { try ceremony.verify(response) }
        #expect(found?.rule == .algorithmNotAllowed)
        #expect(found?.step == .registration(20))
    }

    @Test func `attack 103: a signature by another key is refused`() throws {
        var ceremonies = try Ceremonies()
        let record = try ceremonies.register().record
        var thief = try Ceremonies(seed: "thief")
        var forged = try thief.register().record
        forged.id = record.id
        let found = problem { try ceremonies.signIn(record) { _ in } }
        #expect(found == nil)
        var crossed = record
        crossed.publicKey = forged.publicKey
        let refused = problem { try ceremonies.signIn(crossed) }
        #expect(refused?.rule == .signatureInvalid)
        #expect(refused?.step == .authentication(21))
    }
}
