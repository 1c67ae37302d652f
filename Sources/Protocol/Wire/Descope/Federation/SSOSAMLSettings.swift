public import KeyturnBase

/// `settings` of `POST /v1/mgmt/sso/saml` and `/saml/metadata`: an organisation's SAML provider. A write replaces
/// everything; what is loaded has other names (``SSOSAMLAnswer``).
public struct SSOSAMLSettings: Equatable, Sendable {
    /// Where requests go; `nil` with metadata.
    public var signOnURL: String?
    /// The provider's entityID; `nil` with metadata.
    public var entityID: String?
    /// The provider's certificate, PEM or base64 of DER; `nil` with metadata.
    public var certificate: String?
    /// Certificates that count as well.
    public var additionalCertificates: [String]
    /// Where the provider's metadata is; `nil`: the members above say.
    public var metadataURL: String?
    /// Attributes of the provider by the names of this wire (`name`, `email`, `group`, …).
    public var mapping: [String: String]
    /// Roles of the provider's groups.
    public var roles: [SSORoleMapping]
    /// Whether requests are not signed.
    public var omitsSignature: Bool
    /// Members that are given and have no place here, such as `spACSUrl`.
    public var others: Set<String>

    /// Settings of a provider.
    public init(
        signOnURL: String? = nil, entityID: String? = nil, certificate: String? = nil,
        additionalCertificates: [String] = [], metadataURL: String? = nil, mapping: [String: String] = [:],
        roles: [SSORoleMapping] = [], omitsSignature: Bool = false
    ) {
        self.signOnURL = signOnURL
        self.entityID = entityID
        self.certificate = certificate
        self.additionalCertificates = additionalCertificates
        self.metadataURL = metadataURL
        self.mapping = mapping
        self.roles = roles
        self.omitsSignature = omitsSignature
        others = []
    }

    private static let foreign = [
        "spACSUrl", "spEntityId", "defaultSSORoles", "groupsPriority", "fgaMappings",
        "configFGATenantIDResourcePrefix", "configFGATenantIDResourceSuffix",
    ]
}

extension SSOSAMLSettings: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        var attributes = MethodBody(try body.object("attributeMapping"))
        let customs = try attributes.object("customAttributes")
        attributes = MethodBody(attributes.members.filter { $0.key != "customAttributes" })
        self.init(
            signOnURL: try body.text("idpUrl"), entityID: try body.text("entityId"),
            certificate: try body.text("idpCert"), additionalCertificates: try body.texts("idpAdditionalCerts"),
            metadataURL: try body.text("idpMetadataUrl"),
            mapping: try MethodBody(["mapping": .object(attributes.members)]).mapping("mapping"),
            roles: try SSORoleMapping.all(in: body, "roleMappings"),
            omitsSignature: try body.flag("disableSignRequest") ?? false)
        others = body.given(of: Self.foreign)
        if !customs.isEmpty { others.insert("customAttributes") }
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "attributeMapping": .object(mapping.mapValues { .string($0) }),
            "roleMappings": .array(roles.map(\.json)), "disableSignRequest": .bool(omitsSignature),
        ]
        members.add("idpUrl", signOnURL)
        members.add("entityId", entityID)
        members.add("idpCert", certificate)
        members.add("idpAdditionalCerts", additionalCertificates)
        members.add("idpMetadataUrl", metadataURL)
        return .object(members)
    }
}

/// Which of our roles the groups of a provider give.
public struct SSORoleMapping: Hashable, Sendable {
    /// The provider's groups.
    public var groups: [String]
    /// The name of our role.
    public var role: String

    /// The role of groups.
    public init(groups: [String], role: String) {
        self.groups = groups
        self.role = role
    }

    /// Every element of an array; empty if it is missing.
    public static func all(in body: MethodBody, _ name: String) throws(MethodProblem) -> [SSORoleMapping] {
        var result: [SSORoleMapping] = []
        for element in try body.bodies(name) {
            // The vendor's API answers with an object where its clients send a name.
            let nested = try element.names("role") ? element.body("role").text("name") : nil
            guard let role = try element.text("roleName") ?? nested else { throw .missing("roleName") }
            result.append(SSORoleMapping(groups: try element.texts("groups"), role: role))
        }
        return result
    }

    /// As clients send it.
    public var json: JSONValue {
        ["groups": .array(groups.map { .string($0) }), "roleName": .string(role)]
    }
}

/// `saml` of what is loaded: the names differ from those that are sent.
public struct SSOSAMLAnswer: Equatable, Sendable {
    /// What was configured.
    public var settings: SSOSAMLSettings
    /// Our entityID.
    public var entityID: String
    /// Where the provider sends its responses.
    public var consumerURL: String
    /// Our certificate; `nil`: requests are not signed.
    public var certificate: String?
    /// Where the browser ends if an app names no address.
    public var redirectURL: String?

    /// What is loaded of a configuration.
    public init(
        settings: SSOSAMLSettings, entityID: String, consumerURL: String, certificate: String? = nil,
        redirectURL: String? = nil
    ) {
        self.settings = settings
        self.entityID = entityID
        self.consumerURL = consumerURL
        self.certificate = certificate
        self.redirectURL = redirectURL
    }
}

extension SSOSAMLAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        settings = SSOSAMLSettings(
            signOnURL: try body.text("idpSSOUrl"), entityID: try body.text("idpEntityId"),
            certificate: try body.text("idpCertificate"),
            additionalCertificates: try body.texts("idpAdditionalCertificates"),
            metadataURL: try body.text("idpMetadataUrl"), mapping: try body.mapping("attributeMapping"),
            roles: try SSORoleMapping.all(in: body, "groupsMapping"))
        entityID = try body.text("spEntityId") ?? ""
        consumerURL = try body.text("spACSUrl") ?? ""
        certificate = try body.text("spCertificate")
        redirectURL = try body.text("redirectUrl")
    }

    public var json: JSONValue {
        [
            "idpEntityId": .string(settings.entityID ?? ""), "idpSSOUrl": .string(settings.signOnURL ?? ""),
            "idpCertificate": .string(settings.certificate ?? ""),
            "idpAdditionalCertificates": .array(settings.additionalCertificates.map { .string($0) }),
            "idpMetadataUrl": .string(settings.metadataURL ?? ""), "spEntityId": .string(entityID),
            "spACSUrl": .string(consumerURL), "spCertificate": .string(certificate ?? ""),
            "attributeMapping": .object(settings.mapping.mapValues { .string($0) }),
            "groupsMapping": .array(
                settings.roles.map {
                    [
                        "groups": .array($0.groups.map { .string($0) }),
                        "role": ["id": .string($0.role), "name": .string($0.role)],
                    ]
                }),
            "redirectUrl": .string(redirectURL ?? ""),
        ]
    }
}
