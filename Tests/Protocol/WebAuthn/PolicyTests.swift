import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("What a relying party may demand")
struct PolicyTests {
    @Test(arguments: [
        "https://keyturn.test/", "https://Keyturn.test", "http://keyturn.test", "keyturn.test", "https://", "https://*",
        "https://keyturn.test:443", "https://keyturn.test:0", "https://keyturn.test:99999",
        "https://keyturn.test:08443",
        "https://user@keyturn.test", "https://notkeyturn.test", "https://keyturn.test.evil.test",
        "https://keyturn..test",
        "android:apk-key-hash:short", "android:apk-key-hash:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "",
    ])
    func `an origin that could never be met is refused`(_ origin: String) {
        let found = problem { try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: [origin]) }
        #expect(found?.rule == .policyInvalid)
    }

    @Test(arguments: [
        ("keyturn.test", "https://keyturn.test"), ("keyturn.test", "https://login.keyturn.test:8443"),
        ("localhost", "http://localhost:8080"), ("localhost", "https://localhost"),
        ("keyturn.test", "android:apk-key-hash:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
    ])
    func `the domain's own origins and apps are taken`(_ rpID: String, _ origin: String) {
        #expect(throws: Never.self) { try WebAuthnPolicy(rpID: rpID, rpName: "", origins: [origin]) }
    }

    @Test func `settings that contradict each other are refused`() {
        let origins: Set = ["https://keyturn.test"]
        let wrong: [() throws -> WebAuthnPolicy] = [
            { try WebAuthnPolicy(rpID: "https://keyturn.test", rpName: "", origins: origins) },
            { try WebAuthnPolicy(rpID: "", rpName: "", origins: origins) },
            { try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: []) },
            { try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: origins, algorithms: []) },
            { try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: origins, algorithms: [.es256, .es256]) },
            { try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: origins, topOrigins: ["https://a.test"]) },
            { try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: origins, relatedOrigins: ["a.test"]) },
        ]
        for make in wrong { #expect(problem(make)?.rule == .policyInvalid) }
    }

    @Test func `related origins are published, if there are any`() throws {
        #expect(try Ceremonies.policy().relatedOriginsDocument == ["origins": ["https://keyturn.example"]])
        let policy = try WebAuthnPolicy(rpID: "keyturn.test", rpName: "", origins: ["https://keyturn.test"])
        #expect(policy.relatedOriginsDocument == nil)
    }

    @Test func `a policy that wants an attestation gets one`() throws {
        var ceremonies = try Ceremonies(policy: Ceremonies.policy(attestation: .trustedOnly))
        for attestation in [SoftwareAuthenticator.Attestation.none, .packedSelf] {
            ceremonies.authenticator.behaviour.attestation = attestation
            let found = problem { try ceremonies.register() }
            #expect(found?.rule == .attestationNotAllowed)
            #expect(found?.step == .registration(24))
        }
        var lax = AttestationPolicy.trustedOnly
        lax.acceptsSelfSigned = true
        ceremonies.policy.attestation = lax
        #expect(try ceremonies.register().attestation.kind == .selfSigned)
    }
}
