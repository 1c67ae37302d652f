import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Vectors of WebAuthn Level 3 §16", .enabled(if: Vector.isThere))
struct VectorTests {
    @Test func `there are fifteen pairs`() {
        #expect(Vector.all.count == 15)
        #expect(Vector.supported.count == 14)
    }

    @Test(arguments: Vector.supported)
    func `a credential is registered and signs in`(_ vector: Vector) throws {
        let credential = try vector.registrationCeremony().verify(vector.registration)
        #expect(credential.record.id == vector.registration.id)
        #expect(credential.origin == "https://example.org")
        #expect(!credential.attestation.isTrusted)
        let assertion = try vector.authenticationCeremony().verify(vector.authentication, record: credential.record)
        #expect(assertion.record.id == credential.record.id)
        #expect(assertion.signatureCounter == .unused)
    }

    @Test func `each format is recognised`() throws {
        let formats = try Vector.supported.map {
            try $0.registrationCeremony().verify($0.registration).attestation
        }
        #expect(
            formats.map(\.format) == [
                "none", "packed", "none", "none", "none", "packed", "packed", "packed", "packed", "packed", "tpm",
                "android-key", "apple", "fido-u2f",
            ])
        #expect(
            Set(formats.map(\.kind)) == [
                .none, .selfSigned, .basic, .attestationAuthority, .anonymizationAuthority,
            ])
    }

    @Test func `Ed448 is refused by its name`() throws {
        let vector = try #require(Vector.all.first { $0.name.contains("Ed448") })
        let ceremony = try vector.registrationCeremony()
        #expect(
            throws: WebAuthnProblem(.algorithmUnsupported, at: .registration(20), "Ed448 is not supported")
        ) { try ceremony.verify(vector.registration) }
    }

    @Test(arguments: Vector.supported)
    func `the JSON forms lose nothing`(_ vector: Vector) throws {
        #expect(try RegistrationResponse(json: vector.registration.json) == vector.registration)
        #expect(try AuthenticationResponse(json: vector.authentication.json) == vector.authentication)
        #expect(vector.registration.unverifiedChallenge == vector.registrationChallenge)
        #expect(vector.authentication.unverifiedChallenge == vector.authenticationChallenge)
    }

    @Test(arguments: Vector.supported)
    func `attack 94: no challenge but the ceremony's own is answered`(_ vector: Vector) throws {
        let registration = try vector.registrationCeremony()
        let other = RegistrationCeremony(
            policy: registration.policy, challenge: vector.authenticationChallenge, userHandle: Vector.userHandle)
        #expect(throws: WebAuthnProblem.self) { try other.verify(vector.registration) }
    }
}
