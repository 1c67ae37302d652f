import Foundation
import KeyturnBase
import KeyturnJose
import Testing

@Suite("Wycheproof", .enabled(if: Wycheproof.isThere))
struct WycheproofTests {
    /// The eight labels of `json_web_signature` that are not as they should be, and what we do instead.
    static let labelDefects: [Int64: String] = [
        346: "the key says PS256, the header PS384: a key's alg is binding here",
        350: "the key says PS256, the header PS384: a key's alg is binding here",
        347: "the key says ES521, which is no algorithm: a key's alg is binding here",
        351: "the key says ES521, which is no algorithm: a key's alg is binding here",
        367: "the same text and key as 357, labelled the other way round",
        370: "the same text and key as 357, labelled the other way round",
        372: "holds a ?, which is no base64url, yet is labelled valid",
        373: "holds a ?, which is no base64url, yet is labelled valid",
    ]

    /// The public half of the group's key or keys, as an issuer would publish it.
    private func keySet(_ group: Wycheproof.Group) throws -> JSONWebKeySet {
        let value = group.members["public"] ?? group.members["private"] ?? .null
        let keys = value["keys"]?.arrayValue ?? [value]
        let published = keys.map { key -> JSONValue in
            var members = key.objectValue ?? [:]
            if members["kty"] != "oct" { for name in ["d", "p", "q", "dp", "dq", "qi"] { members[name] = nil } }
            if members["key_ops"] == ["sign"] { members["key_ops"] = nil }
            return .object(members)
        }
        return try JSONWebKeySet(parsing: JSONValue.object(["keys": .array(published)]).serialized)
    }

    private func accepts(_ token: String, _ keys: JSONWebKeySet) -> Bool {
        guard let jws = try? UnverifiedJWS(token) else { return false }
        return keys.candidates(for: jws.header).contains { (try? jws.verify(with: $0)) != nil }
    }

    private func isSymmetric(_ group: Wycheproof.Group) -> Bool {
        let value = group.members["public"] ?? group.members["private"] ?? .null
        return (value["keys"]?.arrayValue ?? [value]).contains { $0["kty"] == "oct" }
    }

    @Test func `json_web_signature: every token is judged as it should be, and HMAC never accepted`() throws {
        var executed = 0
        var symmetric = 0
        for group in try Wycheproof("json_web_signature").groups {
            let keys = try keySet(group)
            for test in group.tests {
                let id = test["tcId"]?.integerValue ?? 0
                let token =
                    test["jws"]?.stringValue ?? String(decoding: (test["jws"] ?? .null).serialized, as: UTF8.self)
                let accepted = accepts(token, keys)
                executed += 1
                if isSymmetric(group) {
                    symmetric += 1
                    #expect(!accepted, "test \(id): shared secrets do not exist here")
                } else if Self.labelDefects[id] != nil {
                    #expect(!accepted, "test \(id)")
                } else {
                    #expect(
                        accepted == (test["result"] == "valid"), "test \(id): \(test["comment"]?.stringValue ?? "")")
                }
            }
        }
        #expect(executed == 401)
        #expect(symmetric == 40)
    }

    @Test func `json_web_key: weak, confused and damaged keys are refused`() throws {
        var executed = 0
        for group in try Wycheproof("json_web_key").groups {
            for test in group.tests {
                executed += 1
                let id = test["tcId"]?.integerValue ?? 0
                let accepted = (try? keySet(group)).map { accepts(test["jws"]?.stringValue ?? "", $0) } ?? false
                let expected = test["result"] == "valid" && !isSymmetric(group)
                #expect(accepted == expected, "test \(id): \(test["comment"]?.stringValue ?? "")")
            }
        }
        #expect(executed == 26)
    }

    struct SignatureFile: Sendable, CustomTestStringConvertible {
        let name: String
        let algorithm: SignatureAlgorithm
        var isDER = false
        let count: Int
        var testDescription: String { name }
    }

    static let signatureFiles = [
        SignatureFile(name: "ecdsa_secp256r1_sha256_p1363", algorithm: .es256, count: 262),
        SignatureFile(name: "ecdsa_secp256r1_sha256", algorithm: .es256, isDER: true, count: 484),
        SignatureFile(name: "ecdsa_secp384r1_sha384_p1363", algorithm: .es384, count: 280),
        SignatureFile(name: "ed25519", algorithm: .edDSA, count: 151),
        SignatureFile(name: "rsa_signature_2048_sha256", algorithm: .rs256, count: 259),
        SignatureFile(name: "rsa_pss_2048_sha256_mgf1_32", algorithm: .ps256, count: 108),
    ]

    @Test(arguments: signatureFiles)
    func `every signature is judged as it should be`(_ file: SignatureFile) throws {
        var executed = 0
        for group in try Wycheproof(file.name).groups {
            let key = try VerificationKey(publicKey(group), algorithm: file.algorithm)
            for test in group.tests {
                executed += 1
                let message = bytes(hex: test["msg"]?.stringValue ?? "")
                let signature = bytes(hex: test["sig"]?.stringValue ?? "")
                let accepted =
                    file.isDER ? key.isValidDER(signature, for: message) : key.isValid(signature, for: message)
                // "acceptable" leaves the choice to us: one PKCS #1 signature without its NULL parameter.
                guard test["result"] != "acceptable" else { continue }
                #expect(
                    accepted == (test["result"] == "valid"),
                    "test \(test["tcId"]?.integerValue ?? 0): \(test["comment"]?.stringValue ?? "")")
            }
        }
        #expect(executed == file.count)
    }

    private func publicKey(_ group: Wycheproof.Group) throws -> JSONWebKey {
        let key = group.members["publicKey"] ?? .null
        if let point = key["uncompressed"]?.stringValue.map(bytes(hex:)) {
            let half = (point.count - 1) / 2
            return try JSONWebKey([
                "kty": "EC", "crv": half == 32 ? "P-256" : "P-384", "x": .string(Base64URL.encode(point[1...half])),
                "y": .string(Base64URL.encode(point[(half + 1)...])),
            ])
        }
        if let point = key["pk"]?.stringValue.map(bytes(hex:)) {
            return try JSONWebKey(["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(point))])
        }
        let modulus = Array(bytes(hex: key["modulus"]?.stringValue ?? "").drop { $0 == 0 })
        let exponent = Array(bytes(hex: key["publicExponent"]?.stringValue ?? "").drop { $0 == 0 })
        return try JSONWebKey([
            "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
        ])
    }
}
