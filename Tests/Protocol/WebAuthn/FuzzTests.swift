import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

/// Bounded fuzzing: the same inputs every time, made from honest ones by changes that a fuzzer makes. Nothing may trap;
/// what is accepted must be what was written.
@Suite("Fuzzing the decoders")
struct FuzzTests {
    /// A small generator with a seed (xorshift64*), so that a failure can be repeated.
    struct Generator {
        var state: UInt64

        mutating func next(below bound: Int) -> Int {
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return Int((state &* 2_685_821_657_736_338_717) >> 33) % max(bound, 1)
        }

        /// One to four changes: a bit, a byte, a cut, an insertion, a piece of itself, a length that is too great.
        mutating func change(_ bytes: [UInt8]) -> [UInt8] {
            var result = bytes
            for _ in 0...next(below: 4) where !result.isEmpty {
                let index = next(below: result.count)
                switch next(below: 7) {
                case 0: result[index] ^= 1 << next(below: 8)
                case 1: result[index] = UInt8(next(below: 256))
                case 2: result.removeSubrange(index...)
                case 3: result.remove(at: index)
                case 4: result.insert(UInt8(next(below: 256)), at: index)
                case 5: result.insert(contentsOf: result[..<index].suffix(next(below: 64)), at: index)
                default:
                    let lengths: [UInt8] = [0x1B, 0x5B, 0x7B, 0x9B, 0xBB, 0x84, 0x80, 0xFF]
                    result[index] = lengths[next(below: lengths.count)]
                }
            }
            return result
        }
    }

    /// Registrations of every kind that can be made or read here.
    private static func corpus() throws -> [RegistrationResponse] {
        var responses = Vector.all.map(\.registration)
        for algorithm in COSEAlgorithm.allCases {
            for attestation in [SoftwareAuthenticator.Attestation.none, .packedSelf, .compound(3)] {
                var behaviour = SoftwareAuthenticator.Behaviour()
                behaviour.algorithms = [algorithm]
                behaviour.attestation = attestation
                behaviour.extensions = CBORMap([(.text("credProtect"), .unsigned(2))])
                var authenticator = SoftwareAuthenticator(seed: [1], behaviour: behaviour)
                responses.append(
                    try authenticator.register(
                        Ceremonies.policy().creationOptions(
                            challenge: [UInt8](repeating: 1, count: 32), user: .init(id: [1]))))
            }
        }
        return responses
    }

    @Test func `CBOR never traps, and what is accepted has one spelling`() throws {
        var generator = Generator(state: 0x9E37_79B9_7F4A_7C15)
        var accepted = 0
        for response in try Self.corpus() {
            for _ in 0..<600 {
                let bytes = generator.change(response.attestationObject)
                guard let value = try? CBORValue(decoding: bytes) else { continue }
                accepted += 1
                #expect(value.encoded == bytes)
            }
        }
        #expect(accepted > 1_000, "changes that stay inside byte strings are accepted")
    }

    @Test func `authenticator data never traps, and what is accepted is all of it`() throws {
        var generator = Generator(state: 0xD1B5_4A32_D192_ED03)
        for response in try Self.corpus() {
            let data = try AttestationObject(response.attestationObject).authenticatorData.encoded
            for _ in 0..<600 {
                let bytes = generator.change(data)
                guard let read = try? AuthenticatorData(bytes) else { continue }
                #expect(read.encoded == bytes)
                if let attested = read.attestedCredential { _ = try? COSEKey(attested.publicKey) }
            }
        }
    }

    @Test func `whole registrations never trap, whatever their certificates and statements hold`() throws {
        var generator = Generator(state: 0x1234_5678_9ABC_DEF1)
        let policy = try WebAuthnPolicy(
            rpID: "example.org", rpName: "", origins: ["https://example.org"], allowsCrossOrigin: true,
            userVerification: .discouraged, algorithms: COSEAlgorithm.allCases)
        for vector in Vector.all {
            let ceremony = RegistrationCeremony(
                policy: policy, challenge: vector.registrationChallenge, userHandle: [1])
            let object = try AttestationObject(vector.registration.attestationObject)
            for _ in 0..<400 {
                // Changed inside the members of the statement, so that the change reaches the reader behind them.
                let entries = (object.statement.mapValue?.entries ?? []).map { entry -> (CBORValue, CBORValue) in
                    switch entry.value {
                    case .bytes(let bytes): (entry.key, .bytes(generator.change(bytes)))
                    case .array(let list):
                        (entry.key, .array(list.map { .bytes(generator.change($0.bytesValue ?? [])) }))
                    default: (entry.key, entry.value)
                    }
                }
                var response = vector.registration
                response.attestationObject =
                    CBORValue.map(
                        CBORMap([
                            (.text("fmt"), .text(object.format)), (.text("attStmt"), .map(CBORMap(entries))),
                            (.text("authData"), .bytes(object.authenticatorData.encoded)),
                        ])
                    ).encoded
                _ = try? ceremony.verify(response)
                response.clientDataJSON = generator.change(response.clientDataJSON)
                _ = try? ceremony.verify(response)
            }
        }
    }

    @Test func `noise is refused`() {
        var generator = Generator(state: 0xFEED_FACE_CAFE_BEEF)
        for _ in 0..<20_000 {
            let bytes = (0..<generator.next(below: 96)).map { _ in UInt8(generator.next(below: 256)) }
            if let value = try? CBORValue(decoding: bytes) { #expect(value.encoded == bytes) }
            #expect(throws: WebAuthnProblem.self) { try AttestationObject(bytes) }
            #expect(throws: WebAuthnProblem.self) { try ClientData(bytes) }
            _ = try? AuthenticatorData(bytes)
        }
    }
}
