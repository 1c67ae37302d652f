import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn

/// A relying party and an authenticator, for tests of one ceremony after another.
struct Ceremonies {
    static let rpID = "keyturn.test"
    static let handle = Array("handle of somebody".utf8)

    var policy: WebAuthnPolicy
    var authenticator: SoftwareAuthenticator
    private var count: UInt8 = 0

    init(
        policy: WebAuthnPolicy? = nil, seed: String = "test", behaviour: SoftwareAuthenticator.Behaviour = .init()
    ) throws {
        self.policy = try policy ?? Self.policy()
        authenticator = SoftwareAuthenticator(seed: Array(seed.utf8), behaviour: behaviour)
    }

    static func policy(
        userVerification: UserVerificationRequirement = .preferred, backup: BackupRule = .any,
        signatureCounter: SignatureCounterRule = .refuse, attestation: AttestationPolicy = .none
    ) throws -> WebAuthnPolicy {
        try WebAuthnPolicy(
            rpID: rpID, rpName: "Keyturn", origins: ["https://keyturn.test", "https://login.keyturn.test:8443"],
            relatedOrigins: ["https://keyturn.example"], userVerification: userVerification,
            algorithms: COSEAlgorithm.allCases, backup: backup, signatureCounter: signatureCounter,
            attestation: attestation)
    }

    /// Another one each time.
    mutating func challenge() -> [UInt8] {
        count += 1
        return [UInt8](repeating: count, count: 32)
    }

    /// A registration; `change` sees the answer before it is judged.
    mutating func register(
        isConditional: Bool = false, registeredIDs: Set<[UInt8]> = [],
        _ change: (inout RegistrationResponse) -> Void = { _ in }
    ) throws -> RegisteredCredential {
        let challenge = challenge()
        var response = try authenticator.register(
            policy.creationOptions(challenge: challenge, user: .init(id: Self.handle)))
        change(&response)
        let ceremony = RegistrationCeremony(
            policy: policy, challenge: challenge, userHandle: Self.handle, isConditional: isConditional,
            registeredIDs: registeredIDs)
        return try ceremony.verify(try RegistrationResponse(json: response.json))
    }

    /// A sign-in; `change` sees the answer before it is judged.
    mutating func signIn(
        _ record: CredentialRecord, subject: AuthenticationCeremony.Subject = .user(handle: handle),
        allowedIDs: Set<[UInt8]> = [], asked: [CredentialDescriptor]? = nil,
        _ change: (inout AuthenticationResponse) -> Void = { _ in }
    ) throws -> VerifiedAssertion {
        let challenge = challenge()
        var response = try authenticator.authenticate(
            policy.requestOptions(challenge: challenge, allowing: asked ?? [record.descriptor]))
        change(&response)
        let ceremony = AuthenticationCeremony(
            policy: policy, challenge: challenge, subject: subject, allowedIDs: allowedIDs)
        return try ceremony.verify(try AuthenticationResponse(json: response.json), record: record)
    }
}

/// The rule and the step that a ceremony fails with; `nil` if it does not.
func problem<Value>(_ body: () throws -> Value) -> WebAuthnProblem? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? WebAuthnProblem
    }
}
