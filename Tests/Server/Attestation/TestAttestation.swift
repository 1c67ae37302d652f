import Attestation
import Crypto
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn

/// A registration whose authenticator is vouched for by certificates, as a test wants them.
struct TestAttestation {
    static let now = UnixTime(rawValue: 1_800_000_000)
    static let model = AAGUID("08987058-cadc-4b81-b6e1-30de50dcbe96") ?? .zero
    static let challenge = [UInt8](repeating: 3, count: 32)

    let key = P256.Signing.PrivateKey()
    var policy = AttestationPolicy.ask

    /// The answer of an authenticator with that `x5c`, signed with ``key``.
    func response(_ certificates: [[UInt8]], format: String = "packed") throws -> RegistrationResponse {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.aaguid = Self.model
        behaviour.algorithms = [.es256]
        behaviour.counterStep = 0
        (behaviour.isUserVerified, behaviour.isBackupEligible, behaviour.isBackedUp) = (false, false, false)
        var authenticator = SoftwareAuthenticator(seed: [1], behaviour: behaviour)
        var response = try authenticator.register(
            ceremony().policy.creationOptions(challenge: Self.challenge, user: .init(id: [1])))
        let data = try AttestationObject(response.attestationObject).authenticatorData
        let hash = Array(SHA256.hash(data: response.clientDataJSON))
        var message = data.encoded + hash
        if format == "fido-u2f", let attested = data.attestedCredential {
            let map = try CBORValue(decoding: attested.publicKey).mapValue
            let point = (map?[-2]?.bytesValue ?? []) + (map?[-3]?.bytesValue ?? [])
            message = [0] + data.rpIDHash + hash + attested.credentialID + [4] + point
        }
        var statement: [(CBORValue, CBORValue)] = [
            (.text("sig"), .bytes(Array(try key.signature(for: message).derRepresentation))),
            (.text("x5c"), .array(certificates.map(CBORValue.bytes))),
        ]
        if format == "packed" { statement.append((.text("alg"), .integer(-7))) }
        response.attestationObject =
            CBORValue.map(
                CBORMap([
                    (.text("fmt"), .text(format)), (.text("attStmt"), .map(CBORMap(statement))),
                    (.text("authData"), .bytes(data.encoded)),
                ])
            ).encoded
        return response
    }

    func ceremony() throws -> RegistrationCeremony {
        RegistrationCeremony(
            policy: try WebAuthnPolicy(
                rpID: "keyturn.test", rpName: "Keyturn", origins: ["https://keyturn.test"], attestation: policy),
            challenge: Self.challenge, userHandle: [1])
    }

    /// What comes of a registration with those certificates.
    func register(
        _ certificates: [[UInt8]], trust: any AttestationTrust, format: String = "packed"
    ) async throws -> CredentialAttestation {
        try await ceremony().verify(response(certificates, format: format), trust: trust, at: Self.now).attestation
    }
}

/// What a registration fails with; `nil` if it does not.
func problem<Value>(_ body: () async throws -> Value) async -> WebAuthnProblem? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? WebAuthnProblem
    }
}
