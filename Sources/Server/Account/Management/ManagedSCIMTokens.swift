public import Authority
package import KeyturnBase
public import KeyturnWire
package import Model
internal import SignIn

/// The tokens of tenants' directories.
public struct ManagedSCIMTokens: Sendable {
    let stores: Stores
    let directory: AccessDirectory
    let rulebook: Rulebook
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        stores: Stores, directory: AccessDirectory, rulebook: Rulebook, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.directory = directory
        self.rulebook = rulebook
        self.audit = audit
        self.ambient = ambient
    }

    /// The tokens of the tenant in the body of a call (`tenantId`).
    package func all(_ body: MethodBody) async throws -> [SCIMToken] {
        try await stores.provisioningTokens.tokens(of: try tenant(body))
    }

    /// Makes a token, with the members `tenantId`, `name`, and `days` (1 to 3650) if it expires.
    ///
    /// - Returns: the token, and its secret, which is shown once.
    /// - Throws: ``MethodProblem``; ``StoreError``.
    package func create(_ body: MethodBody, by actor: Actor) async throws -> (token: SCIMToken, secret: Secret) {
        let tenant = try tenant(body)
        let permission = try permission(for: tenant, actor)
        try await requireOwner(toJoin: tenant, by: actor)
        let name = try body.text("name") ?? ""
        guard name.utf8.count <= Limits.nameBytesMax else {
            throw MethodProblem.invalidArguments.saying("A name has at most \(Limits.nameBytesMax) bytes")
        }
        let days = try body.integer("days")
        guard days.map({ (1...3_650).contains($0) }) ?? true else {
            throw MethodProblem.invalidArguments.saying("days is 1 to 3650")
        }
        let now = ambient.now()
        let secret = Secret("ktscim_" + ambient.randomToken(byteCount: 32))
        let token = SCIMToken(
            id: UserID.make(ambient).rawValue, tenantID: tenant, name: name, createdAt: now,
            expiresAt: days.map { now + $0 * 86_400 })
        guard try await stores.provisioningTokens.create(token, digest: SecretDigest(of: secret), by: permission) else {
            throw MethodProblem.invalidRequest.saying("A tenant has at most \(Limits.scimTokensMax) tokens: revoke one")
        }
        record(.provisioningTokenMade, token.tenantID, token.id, .between(nil, token, ambient), by: actor)
        return (token, secret)
    }

    /// Revokes a token, with the members `tenantId` and `id`: it is refused at once.
    ///
    /// - Throws: ``MethodProblem``; ``StoreError``.
    public func revoke(_ body: MethodBody, by actor: Actor) async throws {
        let (tenant, id) = (try tenant(body), try body.requiredText("id"))
        guard try await stores.provisioningTokens.revoke(id, by: try permission(for: tenant, actor)) else {
            throw MethodProblem.invalidRequest.saying("There is no such token")
        }
        record(.provisioningTokenRevoked, tenant, id, by: actor)
    }

    /// A directory gives its users the tenant's default roles and those of its groups. Where one of them acts as others, an
    /// owner says who the directory is.
    private func requireOwner(toJoin tenant: String, by actor: Actor) async throws {
        let acting = ActingPermissions.roles(in: tenant, directory)
        guard !acting.isEmpty else { return }
        var isGiven = acting.contains(where: \.isDefault)
        let ids = Set(acting.map(\.id))
        var query = SCIMQuery(tenantID: tenant, kind: .group)
        query.limit = Limits.scimPageMax
        while !isGiven {
            let groups = try await stores.provisioned.search(query)
            isGiven = groups.contains { $0.roleID.map(ids.contains) ?? false }
            guard let last = groups.last, groups.count == query.limit else { break }
            query.after = last.number
        }
        if isGiven { try rulebook.require(.takeConsoleRole, to: actor.caller, on: .project(tenant: nil)) }
    }

    private func permission(for tenant: String, _ actor: Actor) throws(Denial) -> Allowed<Acts.MakeProvisioningToken> {
        try rulebook.permit(Acts.MakeProvisioningToken.self, to: actor.caller, on: .project(tenant: tenant))
    }

    private func tenant(_ body: MethodBody) throws(MethodProblem) -> String {
        guard let tenant = directory.tenant(try body.requiredText("tenantId")) else {
            throw .invalidRequest.saying("There is no such tenant")
        }
        return tenant.id
    }

    private func record(
        _ kind: AuditEvent.Kind, _ tenant: String, _ id: String, _ changes: AuditChanges? = nil, by actor: Actor
    ) {
        audit.record(
            AuditEvent(kind, at: ambient.now(), reason: id, actor: actor.name, target: tenant, changes: changes))
    }
}
