internal import Foundation

/// A NameID as sessions keep it, so that messages of single logout name the same user (Core §2.2.3, §3.3.4).
struct NameIdentifier: Codable, Hashable {
    let value: String
    let format: String
    /// `nil`: the usual one, which is the provider's entityID.
    let nameQualifier: String?
    /// `nil`: the usual one, which is ours.
    let spNameQualifier: String?

    private static let unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
    private static let lengthMax = 256
    private static let qualifierBytesMax = 1_024

    /// - Parameters:
    ///   - provider: the provider's entityID.
    ///   - audience: our entityID.
    /// - Throws: ``SAMLFault`` if it is empty, too long or holds elements.
    init(_ element: XMLElement, provider: String, audience: String) throws(SAMLFault) {
        value = try element.plainText()
        format = element["Format"] ?? Self.unspecified
        nameQualifier = element["NameQualifier"].flatMap { $0 == provider || $0.isEmpty ? nil : $0 }
        spNameQualifier = element["SPNameQualifier"].flatMap { $0 == audience || $0.isEmpty ? nil : $0 }
        guard (1...Self.lengthMax).contains(value.count),
            [format, nameQualifier ?? "", spNameQualifier ?? ""].allSatisfy({ $0.utf8.count <= Self.qualifierBytesMax })
        else { throw SAMLFault("name_id") }
    }

    /// Reads ``text``.
    init?(_ text: String) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = read
    }

    /// Equal texts are equal names.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(self) else { preconditionFailure("a name is plain values") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
