import Attestation
import Crypto
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Certificates of authenticators, WebAuthn Level 3 §7.1 steps 23 and 24")
struct CertificateTrustTests {
    typealias Form = TestAuthority.Form

    let root: TestAuthority
    let middle: TestAuthority
    let trust: CertificateTrust
    var test = TestAttestation()

    init() throws {
        root = try TestAuthority()
        middle = try TestAuthority("Middle", below: root)
        trust = CertificateTrust(roots: [root.encoded], name: "Test Authenticator")
    }

    @Test func `certificates that lead to a root are trusted`() async throws {
        let direct = try await test.register([try root.certify(test.key.publicKey)], trust: trust)
        #expect(direct.isTrusted && direct.authenticatorName == "Test Authenticator" && direct.kind == .basic)
        let leaf = try middle.certify(test.key.publicKey)
        #expect(try await test.register([leaf, middle.encoded], trust: trust).isTrusted)
        #expect(try await test.register([leaf, root.encoded, middle.encoded], trust: trust).isTrusted)
        let own = CertificateTrust(roots: [leaf])
        #expect(try await test.register([leaf], trust: own).isTrusted, "a certificate may be its own root")
    }

    @Test func `certificates that lead nowhere are unknown, and refused where the policy wants a root`() async throws {
        let stranger = try TestAuthority()
        let leaf = try middle.certify(test.key.publicKey)
        let paths = [
            [try stranger.certify(test.key.publicKey)], [leaf], [leaf, stranger.encoded],
            [leaf, try TestAuthority("Middle", below: stranger).encoded],
        ]
        var strict = test
        strict.policy = .trustedOnly
        for path in paths {
            #expect(try await !test.register(path, trust: trust).isTrusted)
            let found = await problem { try await strict.register(path, trust: trust) }
            #expect(found?.rule == .attestationUntrusted)
            #expect(found?.step == .registration(24))
        }
        #expect(try await strict.register([leaf, middle.encoded], trust: trust).isTrusted)
    }

    @Test func `the boundary second of a certificate counts, and the one after it does not`() async throws {
        let now = TestAttestation.now.rawValue
        let forms = [
            (Form(until: now), true), (Form(until: now - 1), false), (Form(from: now), true),
            (Form(from: now + 1), false),
        ]
        for (form, isTrusted) in forms {
            let leaf = try root.certify(test.key.publicKey, form)
            #expect(try await test.register([leaf], trust: trust).isTrusted == isTrusted)
            #expect(try await test.register([leaf], trust: CertificateTrust(roots: [leaf])).isTrusted == isTrusted)
        }
    }

    @Test func `whoever may not sign certificates is no issuer`() async throws {
        let forms = [Form(isAuthority: false), Form(isAuthority: true, maySign: false)]
        for form in forms {
            let issuer = try TestAuthority("Not an issuer", below: root, form)
            let path = [try issuer.certify(test.key.publicKey), issuer.encoded]
            #expect(try await !test.register(path, trust: trust).isTrusted)
        }
    }

    @Test func `the certificate must be that of an authenticator, for this model`() async throws {
        let other = [UInt8](repeating: 9, count: 16)
        let forms = [
            Form(unit: "Authenticator"), Form(country: nil), Form(country: "Sweden"), Form(organization: nil),
            Form(isAuthority: true), Form(isAuthority: nil), Form(model: other),
            Form(model: TestAttestation.model.bytes, isModelCritical: true),
        ]
        for form in forms {
            let leaf = try root.certify(test.key.publicKey, form)
            let found = await problem { try await test.register([leaf], trust: trust) }
            #expect(found?.rule == .attestationInvalid, "\(form)")
            #expect(found?.step == .registration(22))
        }
        let right = try root.certify(test.key.publicKey, Form(model: TestAttestation.model.bytes))
        #expect(try await test.register([right], trust: trust).isTrusted)
    }

    @Test func `attack 103: a signature by another key than the certificate's is refused`() async throws {
        let stolen = try root.certify(P256.Signing.PrivateKey().publicKey)
        for format in ["packed", "fido-u2f"] {
            let found = await problem { try await test.register([stolen], trust: trust, format: format) }
            #expect(found?.rule == .attestationInvalid)
        }
    }

    @Test func `an old key is trusted by its certificate, and has exactly one`() async throws {
        let leaf = try root.certify(test.key.publicKey)
        #expect(try await test.register([leaf], trust: trust, format: "fido-u2f").isTrusted)
        let found = await problem { try await test.register([leaf, root.encoded], trust: trust, format: "fido-u2f") }
        #expect(found?.rule == .attestationInvalid)
    }

    @Test func `no changed bit of a certificate is trusted`() async throws {
        let path = [try middle.certify(test.key.publicKey), middle.encoded]
        var count = 0
        for (position, certificate) in path.enumerated() {
            for index in certificate.indices {
                var changed = path
                changed[position][index] ^= 1 << (index % 8)
                let found = try? await test.register(changed, trust: trust)
                #expect(found?.isTrusted != true, "byte \(index) of certificate \(position)")
                count += 1
            }
        }
        #expect(count > 600)
    }
}
