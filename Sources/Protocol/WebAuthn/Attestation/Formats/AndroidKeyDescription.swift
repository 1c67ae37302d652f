/// What Android's keystore says about a key, in an extension of its certificate.
struct AndroidKeyDescription {
    /// The fields of an authorization list that a relying party looks at.
    struct Authorizations {
        var isForAllApplications = false
        var origin: Int64?
        var purposes: Set<Int64>?
    }

    static let identifier = "1.3.6.1.4.1.11129.2.1.17"
    /// `KM_ORIGIN_GENERATED`.
    static let originGenerated: Int64 = 0
    /// `KM_PURPOSE_SIGN`.
    static let purposeSign: Int64 = 2

    let challenge: [UInt8]
    let software: Authorizations
    let hardware: Authorizations

    /// Tags of fields in an authorization list.
    private enum Field {
        static let purpose: UInt32 = 1
        static let allApplications: UInt32 = 600
        static let origin: UInt32 = 702
    }

    init(_ encoded: [UInt8]) throws(DERProblem) {
        // Version and level of the attestation, version and level of the keystore, challenge, unique id, both lists.
        let parts = try DERReader.document(encoded, .sequence).children()
        guard parts.count >= 8 else { throw DERProblem(detail: "too few fields") }
        challenge = try parts[4].octets()
        software = try Self.authorizations(parts[6])
        hardware = try Self.authorizations(parts[7])
    }

    private static func authorizations(_ list: DERElement) throws(DERProblem) -> Authorizations {
        guard list.tag == .sequence else { throw DERProblem(detail: "a list that is not one") }
        var result = Authorizations()
        var seen: Set<UInt32> = []
        for field in try list.children() {
            guard field.tag.kind == 2, seen.insert(field.tag.number).inserted else {
                throw DERProblem(detail: "a field twice, or one without a number")
            }
            switch field.tag.number {
            case Field.purpose:
                var purposes: Set<Int64> = []
                for purpose in try field.only(.set).children() { purposes.insert(try purpose.smallInteger()) }
                result.purposes = purposes
            case Field.allApplications: result.isForAllApplications = true
            case Field.origin: result.origin = try field.only(.integer).smallInteger()
            default: break
            }
        }
        return result
    }
}
