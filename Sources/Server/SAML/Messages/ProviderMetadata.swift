package import KeyturnBase
package import Model

/// What a provider's metadata says about signing in there (wire sheet §3.3).
package struct ProviderMetadata: Hashable, Sendable {
    package let entityID: String
    package let signOnURL: String
    package let signOnBinding: SAMLBinding
    package let logoutURL: String?
    package let logoutBinding: SAMLBinding?
    package let logoutResponseURL: String?
    /// PEM.
    package let certificates: [String]
    /// The first end of validity around the provider (Metadata §2.3.1, §2.3.2); `nil`: none is stated.
    package let validUntil: UnixTime?

    private typealias Space = XMLElement.Space
    /// Redirects are preferred: they need no page.
    private static let bindings: [(SAMLBinding, String)] = [
        (.redirect, "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"),
        (.post, "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"),
    ]

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
        guard roles.count == 1, let signOn = Self.service("SingleSignOnService", of: roles[0]) else {
            throw SAMLFault("metadata_role", .misconfigured)
        }
        self.entityID = id
        (signOnURL, signOnBinding) = (signOn.location, signOn.binding)
        let logout = Self.service("SingleLogoutService", of: roles[0])
        (logoutURL, logoutBinding, logoutResponseURL) = (logout?.location, logout?.binding, logout?.response)
        certificates = try Self.certificates(of: roles[0])
        var end: UnixTime?
        for text in [root, named[0], roles[0]].compactMap({ $0["validUntil"] }) {
            let stated = try SAMLTime.read(text)
            end = min(end ?? stated, stated)
        }
        validUntil = end
    }

    /// Takes over what the metadata says.
    package func fill(_ settings: inout SAMLConnectionSettings) {
        settings.entityID = entityID
        settings.signOnURL = signOnURL
        settings.signOnBinding = signOnBinding
        settings.logoutURL = logoutURL
        settings.logoutBinding = logoutBinding
        settings.logoutResponseURL = logoutResponseURL
        settings.certificates = certificates
    }

    private struct Service {
        let binding: SAMLBinding
        let location: String
        let response: String?
    }

    private static func service(_ name: String, of role: XMLElement) -> Service? {
        for (binding, uri) in bindings {
            guard let found = role.all(name, Space.metadata).first(where: { $0["Binding"] == uri }),
                let location = address(found["Location"])
            else { continue }
            let response = found["ResponseLocation"]
            guard response == nil || address(response) != nil else { continue }
            return Service(binding: binding, location: location, response: response)
        }
        return nil
    }

    private static func address(_ text: String?) -> String? {
        guard let text, let parts = URIParts(text), parts.fragment == nil,
            parts.scheme == "https" || parts.scheme == "http" && parts.isLoopbackInBrowsers
        else { return nil }
        return text
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
