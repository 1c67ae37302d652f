public import KeyturnBase
public import KeyturnWire
public import Model
internal import SignIn

/// Which connection a call means, and what its settings are called here.
extension TenantSSO {
    /// The tenant and `ssoId` of a call, and the connection that is there.
    struct Target {
        let tenant: Tenant
        let id: String
        let present: Connection?

        /// A connection that is not made yet.
        func blank(at now: UnixTime) -> Connection {
            Connection(
                id: id, tenantID: tenant.id, name: tenant.name,
                settings: .openID(OpenIDConnectionSettings(clientID: "")),
                createdAt: now, updatedAt: now)
        }
    }

    func target(_ body: MethodBody) throws -> Target {
        let tenant = try tenant(body)
        let ssoID = try body.text("ssoId")
        var present = MethodFederation.connection(of: tenant.id, ssoID, in: editor.connections)
        guard let id = MethodFederation.connectionID(of: tenant.id, ssoID) else {
            throw MethodProblem.invalidArguments.saying("ssoId has at most 32 letters, digits and hyphens")
        }
        // The only connection counts as the default one, unless a call of this wire gave it another identifier.
        if let found = present, found.id != id, found.id.hasPrefix("\(id)-") { present = nil }
        return Target(tenant: tenant, id: present?.id ?? id, present: present)
    }

    /// The tenant of a call.
    ///
    /// - Throws: ``MethodProblem``.
    public func tenant(_ body: MethodBody) throws(MethodProblem) -> Tenant {
        guard let tenant = access.tenant(try body.requiredText("tenantId")) else {
            throw .invalidRequest.saying("There is no such tenant")
        }
        return tenant
    }

    /// The connection of a call.
    ///
    /// - Throws: ``MethodProblem`` if there is none.
    public func existing(_ body: MethodBody) throws -> Connection {
        guard let present = try target(body).present else {
            throw MethodProblem.invalidRequest.saying("There is no single sign-on for this tenant")
        }
        return present
    }

    /// What this server does not do is refused, not left out.
    static func refuse(_ wire: SSOOpenIDSettings) throws(MethodProblem) {
        guard wire.others.isEmpty else {
            throw .invalidArguments.saying(
                "These settings mean nothing here: \(wire.others.sorted().joined(separator: ", "))")
        }
        guard [nil, "authorization_code"].contains(wire.grantType) else {
            throw .invalidArguments.saying("grantType is authorization_code")
        }
        guard wire.usesPKCE != false else { throw .invalidArguments.saying("PKCE is always used") }
        guard wire.callbackDomain == nil else {
            throw .invalidArguments.saying("callbackDomain: the provider sends users back to this server's issuer")
        }
    }

    /// Our names of the claims that a provider may fill in.
    static func claims(_ mapping: [String: String]) throws(MethodProblem) -> [String: String] {
        let usual = [
            "loginId": ["sub", "email"], "verifiedEmail": ["email_verified"],
            "verifiedPhone": [
                "phone_number_verified"
            ],
        ]
        var claims: [String: String] = [:]
        for (name, claim) in mapping {
            if let known = usual[name] {
                // What identifies and what counts as verified does not come from a mapping.
                guard known.contains(claim) else {
                    throw .invalidArguments.saying("\(name) cannot be mapped to another claim")
                }
            } else if let own = names[name] {
                if own != claim { claims[own] = claim }
            } else {
                throw .invalidArguments.saying("userAttrMapping has a name that is not known")
            }
        }
        return claims
    }

    /// The same for the attributes of SAML.
    static func attributes(_ mapping: [String: String]) throws(MethodProblem) -> [String: String] {
        var attributes: [String: String] = [:]
        for (name, attribute) in mapping {
            guard let own = names[name] else {
                throw .invalidArguments.saying("attributeMapping has a name that is not known")
            }
            attributes[own] = attribute
        }
        return attributes
    }

    private static let names = [
        "name": "name", "givenName": "given_name", "middleName": "middle_name", "familyName": "family_name",
        "email": "email", "username": "preferred_username", "phoneNumber": "phone_number", "picture": "picture",
        "group": "groups", "groups": "groups",
    ]

    /// `GET /v2/mgmt/sso/settings`: one configuration of a tenant, without its secret.
    public func load(_ connection: Connection, of tenant: Tenant) -> JSONValue {
        var members: [String: JSONValue] = [
            "tenant": [
                "id": .string(tenant.id), "name": .string(tenant.name),
                "selfProvisioningDomains": .array(tenant.selfProvisioningDomains.map(JSONValue.string)),
                "customAttributes": .object(tenant.attributes), "createdTime": .integer(tenant.createdAt.rawValue),
                "enforceSSO": .bool(tenant.requiresSingleSignOn),
                "enforceSSOExclusions": .array(tenant.singleSignOnExclusions.map(JSONValue.string)),
                "authType": .string(connection.isEnabled ? connection.wireKind : "none"),
                "domains": .array(connection.domains.map(JSONValue.string)),
            ],
            "ssoId": .string(MethodFederation.ssoID(of: connection)), "displayName": .string(connection.name),
        ]
        switch connection.settings {
        case .openID(let settings): members["oidc"] = openID(settings, connection).json
        case .saml(let settings): members["saml"] = saml(settings, connection).json
        case .ldap: break
        }
        return .object(members)
    }

    private func openID(_ settings: OpenIDConnectionSettings, _ connection: Connection) -> SSOOpenIDSettings {
        var wire = SSOOpenIDSettings(
            issuer: settings.issuer, clientID: settings.clientID,
            scope: ["openid", "email", "profile"] + settings.scopes)
        wire.name = connection.name
        wire.redirectURL = connection.defaultRedirect
        wire.authorizationURL = settings.endpoints["authorization_endpoint"]
        wire.tokenURL = settings.endpoints["token_endpoint"]
        wire.userDataURL = settings.endpoints["userinfo_endpoint"]
        wire.keysURL = settings.endpoints["jwks_uri"]
        wire.prompt = settings.prompt
        for (name, own) in Self.names where name != "groups" { wire.mapping[name] = settings.mapping[own] }
        wire.managesProviderTokens = settings.keepsTokens
        wire.grantType = "authorization_code"
        return wire
    }

    private func saml(_ settings: SAMLConnectionSettings, _ connection: Connection) -> SSOSAMLAnswer {
        var wire = SSOSAMLSettings(
            signOnURL: settings.signOnURL, entityID: settings.entityID, certificate: settings.certificates.first,
            additionalCertificates: Array(settings.certificates.dropFirst()), metadataURL: settings.metadataURL,
            omitsSignature: !settings.signsRequests)
        for (name, own) in Self.names where name != "groups" { wire.mapping[name] = settings.mapping[own] }
        wire.roles = connection.roles.sorted { $0.key < $1.key }.map {
            SSORoleMapping(groups: [$0.key], role: $0.value)
        }
        let base = "\(issuer)/saml/\(connection.id)"
        return SSOSAMLAnswer(
            settings: wire, entityID: "\(base)/metadata", consumerURL: "\(base)/acs",
            redirectURL: connection.defaultRedirect)
    }
}

extension Connection {
    /// `authType` of the wire.
    var wireKind: String {
        switch settings {
        case .openID(let settings): settings.clientID.isEmpty ? "none" : "oidc"
        case .saml: "saml"
        case .ldap: "ldap"
        }
    }

    /// The secret that is there, for settings of the same client at the same provider: a masked one comes back empty.
    func secret(keptFor next: OpenIDConnectionSettings) -> String? {
        guard case .openID(let before) = settings, before.issuer == next.issuer, before.clientID == next.clientID,
            before.endpoints == next.endpoints
        else { return nil }
        return before.clientSecret
    }
}

extension SSORoleMapping {
    static func byGroup(_ mappings: [SSORoleMapping]) -> [String: String] {
        var roles: [String: String] = [:]
        for mapping in mappings { for group in mapping.groups { roles[group] = mapping.role } }
        return roles
    }
}
