internal import KeyturnBase

/// What a provider's metadata says about signing in there (wire sheet §3.3).
package struct ProviderMetadata: Hashable, Sendable {
    package let entityID: String
    package let signOnURL: String
    package let logoutURL: String?
    /// PEM.
    package let certificates: [String]

    private typealias Space = XMLElement.Space
    private static let redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"

    /// - Parameters:
    ///   - bytes: at most 1 MiB.
    ///   - entityID: the provider among those of an aggregate; `nil`: the document describes one.
    /// - Throws: ``SAMLFault``.
    package init(_ bytes: [UInt8], entityID: String? = nil) throws(SAMLFault) {
        let root = try XMLElement.read(bytes)
        let entities =
            root.isNamed("EntityDescriptor", Space.metadata) ? [root] : root.all("EntityDescriptor", Space.metadata)
        let named = entityID.map { id in entities.filter { $0["entityID"] == id } } ?? entities
        guard named.count == 1, let id = named[0]["entityID"], (1...1_024).contains(id.utf8.count) else {
            throw SAMLFault("metadata_entity", .misconfigured)
        }
        let roles = named[0].all("IDPSSODescriptor", Space.metadata).filter {
            ($0["protocolSupportEnumeration"] ?? "").split(separator: " ").contains(Substring(Space.protocol))
        }
        guard roles.count == 1, let signOn = Self.location("SingleSignOnService", of: roles[0]) else {
            throw SAMLFault("metadata_role", .misconfigured)
        }
        self.entityID = id
        signOnURL = signOn
        logoutURL = Self.location("SingleLogoutService", of: roles[0])
        certificates = try Self.certificates(of: roles[0])
    }

    private static func location(_ name: String, of role: XMLElement) -> String? {
        let location = role.all(name, Space.metadata).first { $0["Binding"] == redirect }?["Location"]
        guard let location, let parts = URIParts(location),
            parts.scheme == "https" || parts.scheme == "http" && parts.isLoopbackInBrowsers
        else { return nil }
        return location
    }

    private static func certificates(of role: XMLElement) throws(SAMLFault) -> [String] {
        var result: [String] = []
        for descriptor in role.all("KeyDescriptor", Space.metadata) where descriptor["use"] ?? "signing" == "signing" {
            for info in descriptor.all("KeyInfo", Space.signature) {
                for data in info.all("X509Data", Space.signature) {
                    for certificate in data.all("X509Certificate", Space.signature) {
                        let pem = try ProviderCertificate(try certificate.plainText()).pem
                        if !result.contains(pem) { result.append(pem) }
                    }
                }
            }
        }
        guard (1...4).contains(result.count) else { throw SAMLFault("metadata_keys", .misconfigured) }
        return result
    }
}
