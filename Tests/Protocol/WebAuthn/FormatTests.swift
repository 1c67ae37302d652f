import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Attestation formats, WebAuthn Level 3 §8")
struct FormatTests {
    /// What a registration fails with whose statement was replaced.
    private func problem(
        _ format: String, _ statement: CBORValue, attestation: SoftwareAuthenticator.Attestation = .packedSelf
    ) throws -> WebAuthnProblem? {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.attestation = attestation
        var ceremonies = try Ceremonies(behaviour: behaviour)
        return KeyturnWebAuthnTests.problem {
            try ceremonies.register { response in
                guard let data = try? AttestationObject(response.attestationObject).authenticatorData else { return }
                response.attestationObject =
                    CBORValue.map(
                        CBORMap([
                            (.text("fmt"), .text(format)), (.text("attStmt"), statement),
                            (.text("authData"), .bytes(data.encoded)),
                        ])
                    ).encoded
            }
        }
    }

    private func map(_ members: (String, CBORValue)...) -> CBORValue {
        .map(CBORMap(members.map { (.text($0.0), $0.1) }))
    }

    @Test func `android-safetynet is refused with its reason`() throws {
        let found = try problem("android-safetynet", map(("ver", .text("1")), ("response", .bytes([1]))))
        #expect(found?.rule == .attestationFormatUnsupported)
        #expect(found?.step == .registration(21))
        #expect(found?.detail.contains("shut down") == true)
    }

    @Test(arguments: ["Packed", "none ", "", "packed\u{0}", "fido"])
    func `a format is known by its exact name`(_ name: String) throws {
        let found = try problem(name, map())
        #expect(found?.rule == .attestationFormatUnsupported)
        #expect(found?.step == .registration(21))
    }

    @Test func `a certificate with the highest number there is as its version is refused`() throws {
        let version: [UInt8] = [0xA0, 0x0A, 0x02, 0x08, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        let certificate: [UInt8] = [0x30, 0x13, 0x30, 0x0C] + version + [0x30, 0x00, 0x03, 0x01, 0x00]
        let found = try problem(
            "packed", map(("alg", .integer(-7)), ("sig", .bytes([1])), ("x5c", .array([.bytes(certificate)]))))
        #expect(found?.rule == .attestationMalformed)
    }

    @Test func `a statement has the members of its format and no other`() throws {
        let one = CBORValue.bytes([1])
        let wrong = [
            ("none", map(("sig", one))), ("none", .array([])), ("packed", map()), ("packed", map(("sig", one))),
            ("packed", map(("alg", .integer(-7)), ("sig", one), ("ecdaaKeyId", one))),
            ("packed", map(("alg", .integer(-7)), ("sig", one), ("x5c", .array([])))),
            ("packed", map(("alg", .integer(-7)), ("sig", one), ("x5c", .array([.text("x")])))),
            ("packed", map(("alg", .integer(-7)), ("sig", one), ("x5c", .array([one])))),
            ("packed", map(("alg", .integer(-7)), ("sig", one), ("x5c", .array(Array(repeating: one, count: 9))))),
            ("tpm", map(("ver", .text("2.0")))), ("android-key", map(("alg", .integer(-7)))), ("apple", map()),
            ("fido-u2f", map(("sig", one))), ("compound", map()),
        ]
        for (format, statement) in wrong {
            let found = try problem(format, statement)
            #expect(found?.rule == .attestationMalformed, "\(format)")
            #expect(found?.step == .registration(22))
        }
    }

    @Test func `self attestation is by the credential's key, with its algorithm`() throws {
        let other = try CredentialKey(.es256, seed: [9]).signature(for: [1])
        let forged = try problem("packed", map(("alg", .integer(-7)), ("sig", .bytes(other))))
        #expect(forged?.rule == .attestationInvalid)
        let crossed = try problem("packed", map(("alg", .integer(-257)), ("sig", .bytes(other))))
        #expect(crossed?.rule == .attestationInvalid)
        let unknown = try problem("packed", map(("alg", .integer(-53)), ("sig", .bytes(other))))
        #expect(unknown?.rule == .algorithmUnsupported)
    }

    @Test func `a compound statement has two to eight parts, each right and none compound`() throws {
        let none = map(("fmt", .text("none")), ("attStmt", map()))
        #expect(try problem("compound", .array([none, none])) == nil)
        let wrong: [[CBORValue]] = [
            [], [none], Array(repeating: none, count: 9),
            [none, map(("fmt", .text("compound")), ("attStmt", .array([none, none])))],
            [none, map(("fmt", .text("none")))], [none, .null],
            [none, map(("fmt", .text("packed")), ("attStmt", map(("alg", .integer(-7)), ("sig", .bytes([1])))))],
            [none, map(("fmt", .text("android-safetynet")), ("attStmt", map()))],
        ]
        for parts in wrong {
            let found = try problem("compound", .array(parts))
            #expect(found?.step == .registration(22))
        }
    }
}
