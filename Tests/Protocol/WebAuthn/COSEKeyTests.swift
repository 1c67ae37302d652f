import KeyturnAuthenticator
import KeyturnBase
import KeyturnJose
import KeyturnWebAuthn
import Testing

@Suite("COSE keys, RFC 9052 §7")
struct COSEKeyTests {
    private func pairs(_ algorithm: COSEAlgorithm = .es256) throws -> [(CBORValue, CBORValue)] {
        let key = try CredentialKey(algorithm, seed: [1]).publicKey
        return (try CBORValue(decoding: key.encoded).mapValue?.entries ?? []).map { ($0.key, $0.value) }
    }

    private func rule(_ pairs: [(CBORValue, CBORValue)]) -> WebAuthnProblem.Rule? {
        problem { try COSEKey(CBORValue.map(CBORMap(pairs)).encoded) }?.rule
    }

    @Test(arguments: COSEAlgorithm.allCases)
    func `a key is read as it was written`(_ algorithm: COSEAlgorithm) throws {
        let pairs = try pairs(algorithm)
        let key = try COSEKey(CBORValue.map(CBORMap(pairs)).encoded)
        #expect(key.algorithm == algorithm)
        #expect(try COSEKey(key.jsonWebKey, algorithm: algorithm) == key)
    }

    @Test(arguments: COSEAlgorithm.allCases)
    func `attack 103: each member is there once, and no other`(_ algorithm: COSEAlgorithm) throws {
        let pairs = try pairs(algorithm)
        for index in pairs.indices {
            #expect(rule(pairs.enumerated().filter { $0.offset != index }.map(\.element)) != nil)
            for value: CBORValue in [.null, .unsigned(99), .bytes([]), .bytes([1]), .text("x"), .array([])] {
                var changed = pairs
                changed[index].1 = value
                #expect(rule(changed) != nil)
            }
        }
        #expect(rule(pairs + [(.integer(-4), .bytes([1]))]) == .keyInvalid, "a private member")
        #expect(rule(pairs + [(.unsigned(2), .bytes([1]))]) == .keyInvalid, "a member of no use")
    }

    @Test func `attack 103: algorithm, type and curve belong together`() throws {
        for algorithm in COSEAlgorithm.allCases {
            for other in COSEAlgorithm.allCases where other != algorithm {
                var changed = try pairs(algorithm)
                let index = try #require(changed.firstIndex { $0.0 == .unsigned(3) })
                changed[index].1 = .integer(other.rawValue)
                let twins: Set<COSEAlgorithm> = [.rs256, .ps256]
                let isTwin = twins == [algorithm, other]
                #expect((rule(changed) == nil) == isTwin, "\(algorithm) as \(other)")
            }
        }
    }

    @Test(arguments: [
        (-53, "Ed448"), (-47, "ES256K"), (-65_535, "RS1"), (-9, "ESP256"), (-12_345, "COSE algorithm -12345"),
    ])
    func `an algorithm that is not supported is refused by its name`(_ number: Int64, _ name: String) throws {
        var changed = try pairs()
        let index = try #require(changed.firstIndex { $0.0 == .unsigned(3) })
        changed[index].1 = .integer(number)
        let found = problem { try COSEKey(CBORValue.map(CBORMap(changed)).encoded) }
        #expect(found == WebAuthnProblem(.algorithmUnsupported, "\(name) is not supported"))
    }

    @Test func `attack 103: a point that is not on its curve, and a weak RSA key, are refused`() throws {
        var point = try pairs()
        let y = try #require(point.firstIndex { $0.0 == .integer(-3) })
        point[y].1 = .bytes([UInt8](repeating: 1, count: 32))
        #expect(rule(point) == .keyInvalid)
        var rsa = try pairs(.rs256)
        let n = try #require(rsa.firstIndex { $0.0 == .integer(-1) })
        rsa[n].1 = .bytes([UInt8](repeating: 0xFF, count: 128))
        #expect(rule(rsa) == .keyInvalid)
    }

    @Test func `a compressed point is refused`() throws {
        var point = try pairs()
        let y = try #require(point.firstIndex { $0.0 == .integer(-3) })
        point[y].1 = .bool(true)
        #expect(rule(point) == .keyInvalid)
    }
}
