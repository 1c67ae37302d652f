internal import SwiftASN1

/// What Android's keystore says about a key, in an extension of its certificate.
struct AndroidKeyDescription {
    /// The fields of an authorization list that a relying party looks at.
    struct Authorizations {
        var isForAllApplications = false
        var origin: Int64?
        var purposes: Set<Int64>?
    }

    static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17]
    /// `KM_ORIGIN_GENERATED`.
    static let originGenerated: Int64 = 0
    /// `KM_PURPOSE_SIGN`.
    static let purposeSign: Int64 = 2

    let challenge: [UInt8]
    let software: Authorizations
    let hardware: Authorizations

    init(_ encoded: [UInt8]) throws {
        (challenge, software, hardware) = try DER.sequence(DER.parse(encoded), identifier: .sequence) { parts in
            // Version and level of the attestation, version and level of the keystore.
            for _ in 0..<4 { _ = parts.next() }
            let challenge = try ASN1OctetString(derEncoded: &parts)
            // The unique id.
            _ = parts.next()
            let lists = (try Authorizations(derEncoded: &parts), try Authorizations(derEncoded: &parts))
            while parts.next() != nil {}
            return (Array(challenge.bytes), lists.0, lists.1)
        }
    }
}

extension AndroidKeyDescription.Authorizations: DERParseable {
    /// Tags of fields in an authorization list.
    private enum Field {
        static let purpose: UInt = 1
        static let allApplications: UInt = 600
        static let origin: UInt = 702
    }

    init(derEncoded list: ASN1Node) throws {
        var seen: Set<UInt> = []
        var result = Self()
        try DER.sequence(list, identifier: .sequence) { fields in
            while let field = fields.next() {
                let tag = field.identifier
                guard tag.tagClass == .contextSpecific, seen.insert(tag.tagNumber).inserted else {
                    throw ASN1Error.invalidASN1Object(reason: "a field twice, or one without a number")
                }
                switch tag.tagNumber {
                case Field.purpose:
                    result.purposes = try Self.value(of: field) { set in
                        try DER.set(set, identifier: .set) { purposes in
                            var result: Set<Int64> = []
                            while let purpose = purposes.next() { result.insert(try Int64(derEncoded: purpose)) }
                            return result
                        }
                    }
                case Field.allApplications: result.isForAllApplications = true
                case Field.origin: result.origin = try Self.value(of: field) { try Int64(derEncoded: $0) }
                default: break
                }
            }
        }
        self = result
    }

    private static func value<T>(of field: ASN1Node, _ read: (ASN1Node) throws -> T) throws -> T {
        try DER.explicitlyTagged(
            field, tagNumber: field.identifier.tagNumber, tagClass: .contextSpecific, read)
    }
}
