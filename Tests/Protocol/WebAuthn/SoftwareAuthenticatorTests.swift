import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("The software authenticator")
struct SoftwareAuthenticatorTests {
    @Test(arguments: COSEAlgorithm.allCases, [SoftwareAuthenticator.Attestation.none, .packedSelf, .compound(2)])
    func `every algorithm registers and signs in, with every attestation`(
        _ algorithm: COSEAlgorithm, _ attestation: SoftwareAuthenticator.Attestation
    ) throws {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.algorithms = [algorithm]
        behaviour.attestation = attestation
        behaviour.aaguid = try #require(AAGUID("08987058-cadc-4b81-b6e1-30de50dcbe96"))
        behaviour.extensions = CBORMap([(.text("credProtect"), .unsigned(2))])
        var ceremonies = try Ceremonies(behaviour: behaviour)
        let credential = try ceremonies.register()
        #expect(try COSEKey(credential.record.publicKey).algorithm == algorithm)
        #expect(credential.attestation.kind == (attestation == .none ? .none : .selfSigned))
        #expect(credential.record.aaguid.description == "08987058-cadc-4b81-b6e1-30de50dcbe96")
        #expect(credential.record.transports == ["internal", "hybrid"])
        #expect(credential.isDiscoverable == true)
        #expect(credential.extensions?["credProtect"] == .unsigned(2))
        let assertion = try ceremonies.signIn(credential.record)
        #expect(assertion.isUserVerified && assertion.signatureCounter == .increased)
    }

    @Test func `two of one seed make the same, two of different seeds do not`() throws {
        var (one, two) = (try Ceremonies(), try Ceremonies())
        var three = try Ceremonies(seed: "another")
        let record = try one.register().record
        #expect(try two.register().record == record)
        #expect(try three.register().record.publicKey != record.publicKey)
        #expect(try one.register().record.id != record.id)
    }

    @Test func `it refuses what a client refuses`() throws {
        var ceremonies = try Ceremonies()
        let policy = ceremonies.policy
        let challenge = ceremonies.challenge()
        #expect(throws: SoftwareAuthenticator.Refusal.noCredential) {
            try ceremonies.authenticator.authenticate(policy.requestOptions(challenge: challenge))
        }
        let record = try ceremonies.register().record
        #expect(throws: SoftwareAuthenticator.Refusal.excluded) {
            try ceremonies.authenticator.register(
                policy.creationOptions(
                    challenge: challenge, user: .init(id: [1]), excluding: [record.descriptor]))
        }
        ceremonies.authenticator.behaviour.algorithms = []
        #expect(throws: SoftwareAuthenticator.Refusal.noAlgorithm) {
            try ceremonies.authenticator.register(
                policy.creationOptions(challenge: challenge, user: .init(id: [1])))
        }
    }

    @Test func `a credential that is not resident is found by its name alone, and does not say whose it is`() throws {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.isResident = false
        var ceremonies = try Ceremonies(behaviour: behaviour)
        let record = try ceremonies.register().record
        #expect(throws: SoftwareAuthenticator.Refusal.noCredential) { try ceremonies.signIn(record, asked: []) }
        #expect(problem { try ceremonies.signIn(record, subject: .anybody) }?.rule == .userHandleMissing)
        #expect(try ceremonies.signIn(record).record.id == record.id)
    }
}
