public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model
internal import SignIn

/// A tenant's providers by the management calls of the methods' wire (`mgmt.sso`): each is a connection of the tenant,
/// found by its `ssoId`. Settings of one call replace those that were there.
public struct TenantSSO: Sendable {
    let editor: ConnectionEditor
    let access: AccessDirectory
    let issuer: String
    let ambient: Ambient

    /// - Parameters:
    ///   - editor: changes connections.
    ///   - access: the tenants.
    ///   - issuer: this server's.
    ///   - ambient: the time.
    public init(editor: ConnectionEditor, access: AccessDirectory, issuer: String, ambient: Ambient) {
        self.editor = editor
        self.access = access
        self.issuer = issuer
        self.ambient = ambient
    }

    /// `POST /v1/mgmt/sso/settings/new`: a configuration without settings, which is not offered yet.
    ///
    /// - Throws: ``MethodProblem``; ``ConnectionRefusal``; ``StoreError``.
    public func create(_ body: MethodBody, by actor: Actor) async throws -> Connection {
        let target = try target(body)
        guard target.present == nil else {
            throw MethodProblem.invalidRequest.saying("There is one of this name already")
        }
        var connection = target.blank(at: ambient.now())
        connection.isEnabled = false
        if let name = try body.text("displayName") { connection.name = try ManagedAccess.name(name) }
        if let mistake = ConnectionRules.identifier(connection.id) { throw ConnectionRefusal([mistake]) }
        return try await editor.keep(connection, isNew: true, by: actor)
    }

    /// `DELETE /v1/mgmt/sso/settings`.
    public func remove(_ body: MethodBody, by actor: Actor) async throws {
        try await editor.remove(try existing(body).id, by: actor)
    }

    /// `POST /v1/mgmt/sso/settings/authtype`: `none` turns the connection off, its kind turns it on.
    public func setKind(_ body: MethodBody, by actor: Actor) async throws {
        let present = try existing(body)
        var connection = present
        let kind = try body.requiredText("authType")
        guard ["none", "saml", "oidc"].contains(kind) else {
            throw MethodProblem.invalidArguments.saying("authType is none, saml or oidc")
        }
        connection.isEnabled = kind != "none"
        if connection.isEnabled {
            guard connection.wireKind == kind else {
                throw MethodProblem.invalidRequest.saying("The settings of \(kind) must be configured first")
            }
            _ = try await editor.save(connection, over: present, by: actor)
        } else {
            _ = try await editor.keep(connection, isNew: false, by: actor)
        }
    }

    /// `POST /v1/mgmt/sso/redirect`: where the browser ends if an app names no address.
    public func setRedirect(_ body: MethodBody, by actor: Actor) async throws {
        var connection = try existing(body)
        let name = connection.wireKind == "saml" ? "samlRedirectUrl" : "oauthRedirectUrl"
        guard body.names(name) else { return }
        connection.defaultRedirect = try redirect(try body.text(name))
        _ = try await editor.keep(connection, isNew: false, by: actor)
    }

    /// `POST /v1/mgmt/sso/mapping`: roles by groups, and attributes of a SAML provider.
    public func setMapping(_ body: MethodBody, by actor: Actor) async throws {
        let present = try existing(body)
        var connection = present
        if body.names("roleMappings") {
            connection.roles = SSORoleMapping.byGroup(try SSORoleMapping.all(in: body, "roleMappings"))
        }
        if body.names("attributeMapping"), case .saml(var settings) = connection.settings {
            let read = try SSOSAMLSettings(
                MethodBody(["attributeMapping": .object(try body.object("attributeMapping"))]))
            settings.mapping = try Self.attributes(read.mapping)
            connection.settings = .saml(settings)
        }
        _ = try await editor.save(connection, over: present, by: actor)
    }

    /// `POST /v1/mgmt/sso/oidc`.
    public func configureOpenID(_ body: MethodBody, by actor: Actor) async throws {
        let target = try target(body)
        let wire = try SSOOpenIDSettings(try body.body("settings"))
        try Self.refuse(wire)
        var connection = target.present ?? target.blank(at: ambient.now())
        var settings = OpenIDConnectionSettings(issuer: wire.issuer, clientID: wire.clientID ?? "")
        settings.scopes = wire.scope.filter { !["openid", "email", "profile"].contains($0) }
        settings.prompt = wire.prompt
        settings.keepsTokens = wire.managesProviderTokens
        settings.endpoints["authorization_endpoint"] = wire.authorizationURL
        settings.endpoints["token_endpoint"] = wire.tokenURL
        settings.endpoints["userinfo_endpoint"] = wire.userDataURL
        settings.endpoints["jwks_uri"] = wire.keysURL
        settings.mapping = try Self.claims(wire.mapping)
        // The tenant's own provider speaks for the tenant's domains, as soon as they are proven, and for no others.
        settings.trustsEmail = true
        settings.clientSecret = wire.clientSecret?.exposed() ?? target.present?.secret(keptFor: settings)
        if case .openID(let before)? = target.present?.settings { settings.nativeClientIDs = before.nativeClientIDs }
        connection.settings = .openID(settings)
        if let name = wire.name { connection.name = try ManagedAccess.name(name) }
        connection.defaultRedirect = try redirect(wire.redirectURL)
        try await finish(connection, target, try body.texts("domains"), by: actor)
    }

    /// `POST /v1/mgmt/sso/saml` and `/saml/metadata`.
    public func configureSAML(_ body: MethodBody, by actor: Actor) async throws {
        let target = try target(body)
        let wire = try SSOSAMLSettings(try body.body("settings"))
        guard wire.others.isEmpty else {
            throw MethodProblem.invalidArguments.saying(
                "These settings mean nothing here: \(wire.others.sorted().joined(separator: ", "))")
        }
        var connection = target.present ?? target.blank(at: ambient.now())
        connection.settings = .saml(
            SAMLConnectionSettings(
                entityID: wire.entityID ?? "", signOnURL: wire.signOnURL ?? "",
                certificates: [wire.certificate].compactMap(\.self) + wire.additionalCertificates,
                metadataURL: wire.metadataURL, signsRequests: !wire.omitsSignature,
                mapping: try Self.attributes(wire.mapping)))
        connection.roles = SSORoleMapping.byGroup(wire.roles)
        connection.defaultRedirect = try redirect(try body.text("redirectUrl"))
        try await finish(connection, target, try body.texts("domains"), by: actor)
    }

    /// The deprecated calls: `POST /v1/mgmt/sso/settings` and `/v1/mgmt/sso/metadata`, in one object.
    public func configureFlat(_ body: MethodBody, by actor: Actor) async throws {
        var settings: [String: JSONValue] = [:]
        settings["idpUrl"] = try body.text("idpURL").map(JSONValue.string)
        settings["entityId"] = try body.text("entityId").map(JSONValue.string)
        settings["idpCert"] = try body.text("idpCert").map(JSONValue.string)
        settings["idpMetadataUrl"] = try body.text("idpMetadataURL").map(JSONValue.string)
        var members: [String: JSONValue] = ["settings": .object(settings)]
        members["tenantId"] = try body.text("tenantId").map(JSONValue.string)
        members["redirectUrl"] = try body.text("redirectURL").map(JSONValue.string)
        members["domains"] = .array(try body.texts("domains").map(JSONValue.string))
        try await configureSAML(MethodBody(members), by: actor)
    }

    private func finish(_ connection: Connection, _ target: Target, _ domains: [String], by actor: Actor) async throws {
        var connection = connection
        connection.domains = domains.map { EmailDomain($0)?.name ?? $0 }
        connection.vouchedDomains = connection.vouchedDomains.filter(connection.domains.contains)
        connection.isEnabled = true
        if let present = target.present, !connection.asksOnly(addressesOf: present) {
            // The operator allowed the addresses that were there.
            connection.allowsPrivateAddresses = false
        }
        _ = try await editor.save(connection, over: target.present, by: actor)
    }

    /// An address of an app. Whether links may lead there, each sign-in asks again.
    private func redirect(_ text: String?) throws(MethodProblem) -> String? {
        guard let text else { return nil }
        guard RedirectURI.flaw(in: text) == nil else {
            throw .invalidArguments.saying("The redirect address is no absolute address without a fragment")
        }
        return text
    }
}
