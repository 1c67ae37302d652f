import KeyturnWebAuthn

/// Where the fields of a registration are, so that a test can say which one it changed.
struct Layout {
    enum Field: Hashable {
        case aaguid, signCount, flags, reservedFlags, extraClientData, other
    }

    private let dataStart: Int
    private let identifierCount: Int
    private let certificates: [Range<Int>]
    private let extraStart: Int?

    init(_ response: RegistrationResponse, _ object: AttestationObject) throws {
        let bytes = response.attestationObject
        dataStart = Self.find(object.authenticatorData.encoded, in: bytes) ?? 0
        identifierCount = max(response.id.count, 64)
        certificates = (object.statement.mapValue?["x5c"]?.arrayValue ?? []).compactMap(\.bytesValue).compactMap {
            certificate in
            Self.find(certificate, in: bytes).map { $0..<($0 + certificate.count) }
        }
        // Beside what is compared, a member that the client added, or the truth about frames where both are allowed.
        extraStart = Self.find(Array(#","crossOrigin""#.utf8), in: response.clientDataJSON)
    }

    func isCertificate(_ index: Int) -> Bool {
        certificates.contains { $0.contains(index) }
    }

    /// The identifier's bytes are compared as a whole; those beyond its first 64 are like them.
    func isInsideIdentifier(_ index: Int) -> Bool {
        (55 + 64..<55 + identifierCount).contains(index - dataStart)
    }

    func field(_ index: Int, _ difference: UInt8) -> Field {
        switch index - dataStart {
        case 32: difference & 0b0010_0010 != 0 ? .reservedFlags : .flags
        case 33..<37: .signCount
        case 37..<53: .aaguid
        default: .other
        }
    }

    func clientDataField(_ index: Int) -> Field {
        index >= (extraStart ?? .max) ? .extraClientData : .other
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8]) -> Int? {
        guard !needle.isEmpty, bytes.count >= needle.count else { return nil }
        return (0...(bytes.count - needle.count)).first { bytes[$0..<($0 + needle.count)].elementsEqual(needle) }
    }
}
