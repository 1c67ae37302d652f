internal import Crypto
internal import KeyturnBase
internal import KeyturnJose

/// The public part of a key in a TPM: `TPMT_PUBLIC` (TPM 2.0 Part 2 §12.2.4).
struct TPMPublicArea {
    /// The key as JOSE writes it.
    let key: JSONWebKey
    /// What a TPM calls the key: the digest's number and the digest of these bytes (Part 1 §16).
    let name: [UInt8]

    /// Numbers of `TPM_ALG_ID` (Part 2 §6.3).
    private enum Algorithm {
        static let rsa: UInt16 = 0x0001
        static let sha256: UInt16 = 0x000B
        static let sha384: UInt16 = 0x000C
        static let sha512: UInt16 = 0x000D
        static let null: UInt16 = 0x0010
        static let ecc: UInt16 = 0x0023
    }

    init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        do {
            var reader = ByteReader(encoded)
            let type = try reader.uint16()
            let nameAlgorithm = try reader.uint16()
            _ = try reader.uint32()  // attributes
            _ = try reader.sized()  // policy
            guard try reader.uint16() == Algorithm.null else {
                throw AttestationStatement.invalid("pubArea is not a key for signatures")
            }
            // The signature scheme, with its digest if there is one.
            if try reader.uint16() != Algorithm.null { _ = try reader.uint16() }
            switch type {
            case Algorithm.rsa: key = try Self.rsa(&reader)
            case Algorithm.ecc: key = try Self.curve(&reader)
            default: throw AttestationStatement.invalid("pubArea is a key of another type")
            }
            guard reader.rest.isEmpty else { throw AttestationStatement.malformed("pubArea has bytes after it") }
            let digest: [UInt8]
            switch nameAlgorithm {
            case Algorithm.sha256: digest = Array(SHA256.hash(data: encoded))
            case Algorithm.sha384: digest = Array(SHA384.hash(data: encoded))
            case Algorithm.sha512: digest = Array(SHA512.hash(data: encoded))
            default: throw AttestationStatement.invalid("the TPM names its keys by a digest that is not supported")
            }
            name = [UInt8(nameAlgorithm >> 8), UInt8(nameAlgorithm & 0xFF)] + digest
        } catch let problem as WebAuthnProblem {
            throw problem
        } catch {
            throw AttestationStatement.malformed("pubArea is cut off, or no key")
        }
    }

    private static func rsa(_ reader: inout ByteReader) throws -> JSONWebKey {
        _ = try reader.uint16()  // bits
        let exponent = try reader.uint32()
        let modulus = try reader.sized()
        let number = exponent == 0 ? 65_537 : exponent
        let bytes = (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }.drop { $0 == 0 }
        return try JSONWebKey([
            "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(Array(bytes))),
        ])
    }

    private static func curve(_ reader: inout ByteReader) throws -> JSONWebKey {
        let number = try reader.uint16()
        // The key derivation scheme, with its digest if there is one.
        if try reader.uint16() != Algorithm.null { _ = try reader.uint16() }
        let curves: [UInt16: (name: String, byteCount: Int)] = [
            3: ("P-256", 32), 4: ("P-384", 48), 5: ("P-521", 66),
        ]
        guard let curve = curves[number] else { throw AttestationStatement.invalid("pubArea is on another curve") }
        let x = try coordinate(&reader, curve.byteCount)
        let y = try coordinate(&reader, curve.byteCount)
        return try JSONWebKey(["kty": "EC", "crv": .string(curve.name), "x": x, "y": y])
    }

    /// A coordinate at its full length: a TPM may leave out zeros in front.
    private static func coordinate(_ reader: inout ByteReader, _ count: Int) throws -> JSONValue {
        let bytes = try reader.sized()
        guard bytes.count <= count else { throw AttestationStatement.malformed("a coordinate is too long") }
        return .string(Base64URL.encode([UInt8](repeating: 0, count: count - bytes.count) + bytes))
    }
}

/// What a TPM says and signs: `TPMS_ATTEST` about a certified key (TPM 2.0 Part 2 §10.12.8, §10.12.3).
struct TPMAttest {
    /// What it was asked to sign along.
    let extraData: [UInt8]
    /// The certified key.
    let name: [UInt8]

    private static let magic: UInt32 = 0xFF54_4347
    private static let certify: UInt16 = 0x8017

    init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        do {
            var reader = ByteReader(encoded)
            guard try reader.uint32() == Self.magic else {
                throw AttestationStatement.invalid("certInfo was not made inside a TPM")
            }
            guard try reader.uint16() == Self.certify else {
                throw AttestationStatement.invalid("certInfo is about something else than a key")
            }
            _ = try reader.sized()  // who signs
            extraData = try reader.sized()
            _ = try reader.bytes(17)  // clock
            _ = try reader.bytes(8)  // firmware
            name = try reader.sized()
            _ = try reader.sized()  // qualified name
            guard reader.rest.isEmpty else { throw AttestationStatement.malformed("certInfo has bytes after it") }
        } catch let problem as WebAuthnProblem {
            throw problem
        } catch {
            throw AttestationStatement.malformed("certInfo is cut off")
        }
    }
}
