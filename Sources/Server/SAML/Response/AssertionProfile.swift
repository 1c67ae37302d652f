internal import Crypto
internal import KeyturnBase
internal import Model

/// Reads a profile out of a verified assertion (wire sheet §3.2, checks 25 and 26).
struct AssertionProfile {
    let settings: SAMLConnectionSettings
    /// Whether the connection is a tenant's: its provider then vouches for the tenant's proven domains, and the rules
    /// of linking take no other address.
    let isOfTenant: Bool

    private static let attributesMax = 64
    private static let valuesMax = 512
    private static let valueBytesMax = 2_048
    private static let formats = "urn:oasis:names:tc:SAML:"
    private static let claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
    /// The names that providers commonly use for what we call so.
    private static let usual: [String: [String]] = [
        "email": ["email", "mail", "Email", claims + "emailaddress", "urn:oid:0.9.2342.19200300.100.1.3"],
        "name": ["name", "displayName", claims + "name", "urn:oid:2.16.840.1.113730.3.1.241"],
        "given_name": ["given_name", "firstName", "givenName", claims + "givenname", "urn:oid:2.5.4.42"],
        "family_name": ["family_name", "lastName", "sn", "surname", claims + "surname", "urn:oid:2.5.4.4"],
        "groups": ["groups", "memberOf", "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups"],
        "phone_number": ["phone_number", "mobilePhone"],
        "preferred_username": ["preferred_username", "uid"],
        "locale": ["locale"], "picture": ["picture"],
    ]

    func read(_ assertion: XMLElement, _ accepted: AssertionRules.Accepted) throws(SAMLFault) -> FederatedProfile {
        let attributes = try Self.attributes(of: assertion)
        let nameID = try accepted.subject.one("NameID")
        var profile = FederatedProfile(
            issuer: settings.entityID, subject: try subject(nameID, attributes))
        profile.email = try single("email", attributes) ?? Self.address(nameID)
        profile.emailTrust = profile.email != nil && (isOfTenant || settings.trustsEmail) ? .trusted : .unverified
        profile.phone = try single("phone_number", attributes)
        for name in Self.usual.keys.sorted() where !["email", "groups", "phone_number"].contains(name) {
            if let text = try single(name, attributes) { profile.claims[name] = .string(text) }
        }
        // An element without values is a list without any, and so is none. Entra leaves out long lists, and names an
        // address where they are: that is unknown.
        profile.groups = isOverage(attributes) ? nil : values("groups", attributes) ?? []
        profile.isOfOneOrganisation = isOfTenant
        profile.subjectName = nameID.flatMap { (try? Self.plainName($0)) ?? nil }
        profile.issuedAt = accepted.issuedAt
        profile.authenticatedAt = accepted.authenticatedAt
        profile.context = accepted.context
        profile.session = accepted.sessionIndex
        profile.sessionEndsAt = accepted.sessionEndsAt
        return profile
    }

    /// What identifies the user: the attribute of the connection, or the NameID with everything that qualifies it.
    private func subject(_ nameID: XMLElement?, _ attributes: [String: [String]]) throws(SAMLFault) -> String {
        if let name = settings.subjectAttribute {
            guard let values = attributes[name], values.count == 1, let value = values.first, !value.isEmpty else {
                throw SAMLFault("subject_attribute")
            }
            return value
        }
        guard let nameID else { throw SAMLFault("name_id") }
        let text = try nameID.plainText()
        guard (1...256).contains(text.count), Self.isPlain(text) else { throw SAMLFault("name_id") }
        let format = nameID["Format"] ?? Self.formats + "1.1:nameid-format:unspecified"
        guard format != Self.formats + "2.0:nameid-format:transient" else { throw SAMLFault("transient") }
        let parts = [format, nameID["NameQualifier"] ?? "", nameID["SPNameQualifier"] ?? "", text]
        let joined = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return "nameid-" + Base64URL.encode(Array(SHA256.hash(data: Array(joined.utf8))))
    }

    private static let overage = "http://schemas.microsoft.com/claims/groups.link"

    private func isOverage(_ attributes: [String: [String]]) -> Bool {
        let mapped = settings.mapping["groups"]
        return attributes[Self.overage] != nil && (mapped.map { Self.usual["groups"]?.contains($0) == true } ?? true)
    }

    /// The text of a NameID, unless it is another one at each sign-in.
    private static func plainName(_ nameID: XMLElement) throws(SAMLFault) -> String? {
        guard nameID["Format"] != formats + "2.0:nameid-format:transient" else { return nil }
        let text = try nameID.plainText()
        return (1...256).contains(text.count) && isPlain(text) ? text : nil
    }

    private static func address(_ nameID: XMLElement?) -> String? {
        guard nameID?["Format"] == formats + "1.1:nameid-format:emailAddress" else { return nil }
        return nameID?.text
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { ![.control, .format, .lineSeparator].contains($0.properties.generalCategory) }
    }

    private static func attributes(of assertion: XMLElement) throws(SAMLFault) -> [String: [String]] {
        var result: [String: [String]] = [:]
        var count = 0
        for statement in assertion.all("AttributeStatement") {
            guard statement.all("EncryptedAttribute").isEmpty else { throw SAMLFault("attribute") }
            for attribute in statement.all("Attribute") {
                guard let name = attribute["Name"] else { throw SAMLFault("attribute") }
                for value in attribute.all("AttributeValue") {
                    count += 1
                    let text = value.text
                    // An element inside is a value of another kind, such as an identifier of a directory.
                    guard value.children.isEmpty, text.utf8.count <= valueBytesMax, isPlain(text) else { continue }
                    result[name, default: []].append(text)
                }
            }
        }
        guard result.count <= attributesMax, count <= valuesMax else { throw SAMLFault("attributes") }
        return result
    }

    private func values(_ name: String, _ attributes: [String: [String]]) -> [String]? {
        let names = settings.mapping[name].map { [$0] } ?? Self.usual[name] ?? []
        return names.compactMap { attributes[$0] }.first
    }

    /// One value; several that differ decide nothing, and are refused.
    private func single(_ name: String, _ attributes: [String: [String]]) throws(SAMLFault) -> String? {
        let distinct = Set((values(name, attributes) ?? []).filter { !$0.isEmpty })
        guard distinct.count <= 1 else { throw SAMLFault("attribute_repeated") }
        return distinct.first
    }
}
