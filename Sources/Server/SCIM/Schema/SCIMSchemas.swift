package import Model

/// The schemas of users and groups (RFC 7643 §4): everything in them is kept as it was sent.
package enum SCIMSchemas {
    package static let user = "urn:ietf:params:scim:schemas:core:2.0:User"
    package static let group = "urn:ietf:params:scim:schemas:core:2.0:Group"
    package static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
    private static let messages = "urn:ietf:params:scim:api:messages:2.0:"
    package static let error = messages + "Error"
    package static let listResponse = messages + "ListResponse"
    package static let bulkResponse = messages + "BulkResponse"

    /// The core schema of a kind.
    package static func core(_ kind: SCIMRecord.Kind) -> String { kind == .user ? user : group }

    /// The attributes of every resource (RFC 7643 §3.1).
    package static let common = [
        SCIMAttribute("schemas", isMultiValued: true, isReadOnly: true, isCaseExact: true),
        SCIMAttribute("id", isReadOnly: true, isCaseExact: true, uniqueness: "server"),
        SCIMAttribute("externalId", .string, "The identifier that the client gave.", isCaseExact: true),
        SCIMAttribute(
            "meta", .complex, isReadOnly: true,
            parts: [
                SCIMAttribute("resourceType", isReadOnly: true, isCaseExact: true),
                SCIMAttribute("created", .dateTime, isReadOnly: true),
                SCIMAttribute("lastModified", .dateTime, isReadOnly: true),
                SCIMAttribute("location", .reference, isReadOnly: true),
                SCIMAttribute("version", isReadOnly: true, isCaseExact: true),
            ]),
    ]

    /// The attributes of a kind's core schema.
    package static func attributes(_ kind: SCIMRecord.Kind) -> [SCIMAttribute] {
        kind == .user ? userAttributes : groupAttributes
    }

    /// The extension of users, as one complex attribute with the name of its schema.
    package static let enterpriseAttribute = SCIMAttribute(enterprise, .complex, parts: enterpriseAttributes)

    /// Everything that a resource can have.
    package static func all(_ kind: SCIMRecord.Kind) -> [SCIMAttribute] {
        common + attributes(kind) + (kind == .user ? [enterpriseAttribute] : [])
    }

    private static func many(
        _ name: String, _ description: String, types: [String] = [], _ value: SCIMAttribute.Kind = .string
    )
        -> SCIMAttribute
    {
        SCIMAttribute(
            name, .complex, description, isMultiValued: true,
            parts: [
                SCIMAttribute(
                    "value", value, "The value itself.", referenceTypes: value == .reference ? ["external"] : []),
                SCIMAttribute("display", .string, "A name for people."),
                SCIMAttribute("type", .string, "What it is for.", canonicalValues: types),
                SCIMAttribute("primary", .boolean, "Whether it is the preferred one; at most one is."),
            ])
    }

    package static let userAttributes = [
        SCIMAttribute(
            "userName", .string, "The name that the organisation knows the user by.", isRequired: true,
            uniqueness: "server"),
        SCIMAttribute(
            "name", .complex, "The parts of the user's name.",
            parts: [
                SCIMAttribute("formatted"), SCIMAttribute("familyName"), SCIMAttribute("givenName"),
                SCIMAttribute("middleName"), SCIMAttribute("honorificPrefix"), SCIMAttribute("honorificSuffix"),
            ]),
        SCIMAttribute("displayName", .string, "The name on pages."), SCIMAttribute("nickName"),
        SCIMAttribute("profileUrl", .reference, "A page about the user.", referenceTypes: ["external"]),
        SCIMAttribute("title"), SCIMAttribute("userType"), SCIMAttribute("preferredLanguage"),
        SCIMAttribute("locale"), SCIMAttribute("timezone"),
        SCIMAttribute("active", .boolean, "Whether the user may sign in to the tenant."),
        many("emails", "Email addresses.", types: ["work", "home", "other"]),
        many("phoneNumbers", "Telephone numbers.", types: ["work", "home", "mobile", "fax", "pager", "other"]),
        many("ims", "Addresses for messages."),
        many("photos", "Addresses of pictures.", types: ["photo", "thumbnail"], .reference),
        SCIMAttribute(
            "addresses", .complex, "Postal addresses.", isMultiValued: true,
            parts: [
                SCIMAttribute("formatted"), SCIMAttribute("streetAddress"), SCIMAttribute("locality"),
                SCIMAttribute("region"), SCIMAttribute("postalCode"), SCIMAttribute("country"),
                SCIMAttribute("type", canonicalValues: ["work", "home", "other"]), SCIMAttribute("primary", .boolean),
            ]),
        SCIMAttribute(
            "groups", .complex, "The user's groups.", isMultiValued: true, isReadOnly: true,
            parts: [
                SCIMAttribute("value", isReadOnly: true, isCaseExact: true),
                SCIMAttribute("$ref", .reference, isReadOnly: true, referenceTypes: ["Group"]),
                SCIMAttribute("display", isReadOnly: true),
                SCIMAttribute("type", isReadOnly: true, canonicalValues: ["direct", "indirect"]),
            ]),
        many("entitlements", "Kept as sent; gives no right here."),
        many("roles", "Kept as sent; gives no right here."),
        many("x509Certificates", "Certificates (DER).", .binary),
    ]

    package static let enterpriseAttributes = [
        SCIMAttribute("employeeNumber"), SCIMAttribute("costCenter"), SCIMAttribute("organization"),
        SCIMAttribute("division"), SCIMAttribute("department"),
        SCIMAttribute(
            "manager", .complex, "The user's manager.",
            parts: [
                SCIMAttribute("value", isCaseExact: true),
                SCIMAttribute("$ref", .reference, referenceTypes: ["User"]),
                SCIMAttribute("displayName", isReadOnly: true),
            ]),
    ]

    package static let groupAttributes = [
        SCIMAttribute("displayName", .string, "The group's name.", isRequired: true, uniqueness: "server"),
        SCIMAttribute(
            "members", .complex, "Users of the tenant.", isMultiValued: true,
            parts: [
                SCIMAttribute("value", .string, "The user's identifier.", isCaseExact: true),
                SCIMAttribute("$ref", .reference, referenceTypes: ["User"]),
                SCIMAttribute("type", canonicalValues: ["User"]),
            ]),
    ]
}
