public import Authority
internal import KeyturnBase
public import KeyturnWire
public import Model
internal import SignIn

/// Calls that change one thing about a user.
extension ManagedUsers {
    /// - Throws: ``MethodProblem/invalidRequest`` for the operator's own account: the last owner would be gone.
    static func requireOther(_ account: Account, _ actor: Actor) throws(MethodProblem) {
        guard account.user.id.rawValue != actor.name else {
            throw .invalidRequest.saying("An operator's own account cannot be disabled, deleted or merged here")
        }
    }

    public func setStatus(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let status = try UserDetails.status(try body.requiredText("status"))
        let account = try await find(body)
        try project.rulebook.require(
            status == .active ? .restoreAccess : .changeStatus, to: actor.caller, on: account.subject)
        try Self.requireOther(account, actor)
        return try await change(account, "user.status", as: .changeStatus, by: actor) {
            $0.user.status = status
        }
    }

    /// Sets, or with an empty address removes, the email address or the telephone number. An address that is also a
    /// login ID of the user is replaced there too.
    public func setAddress(_ kind: Identifier.Kind, _ body: MethodBody, by actor: Actor) async throws -> Account {
        let text = try body.text(kind == .email ? "email" : "phone")
        let identifier = text.flatMap(Identifier.init(loginID:))
        guard text == nil || identifier?.kind == kind else {
            throw MethodProblem.invalidArguments.saying("This is no such address")
        }
        let isVerified = try body.flag("verified") ?? false
        let found = try await find(body)
        if let identifier, found.identifiers[identifier] == nil {
            try identifier.requireNoFlaw(kind == .email ? "email" : "phone")
        }
        if try body.flag("failOnConflict") ?? false, let identifier,
            let other = try await stores.users.account(identifier), other.user.id != found.user.id
        {
            throw MethodProblem.userExists
        }
        return try await change(found, "user.\(kind.rawValue)", as: .choosePrimaryAddress, by: actor) { account in
            let old = (kind == .email ? account.email : account.phone).flatMap(Identifier.init(loginID:))
            if let old, old != identifier, account.identifiers[old] != nil, account.identifiers.count > 1 || text != nil
            {
                account.identifiers[old] = nil
                if let identifier { account.identifiers[identifier] = .unverified }
            }
            account.set(kind, identifier?.value, isVerified: isVerified)
        }
    }

    public func setNames(_ body: MethodBody, by actor: Actor) async throws -> Account {
        var names: [String: JSONValue] = [:]
        for (member, claim) in [
            ("displayName", "name"), ("givenName", "given_name"), ("middleName", "middle_name"),
            ("familyName", "family_name"),
        ] {
            if let text = try body.text(member) { names[claim] = .string(text) }
        }
        return try await change(try await find(body), "user.name", as: .changeProfile, by: actor) { [names] account in
            account.user.claims.merge(names) { _, new in new }
        }
    }

    public func setPicture(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let picture = try body.text("picture")
        return try await change(try await find(body), "user.picture", as: .changeProfile, by: actor) {
            $0.user.claims["picture"] = picture.map(JSONValue.string)
        }
    }

    /// Replaces a login ID, or removes it if the call names no new one; never the last one.
    public func setLoginID(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let old = try identifiers([try body.requiredText("loginId")], for: nil)[0]
        let found = try await find(body)
        let new = try body.text("newLoginId").map { try identifiers([$0], for: found)[0] }
        guard new != nil || found.identifiers.count > 1 else {
            throw MethodProblem.invalidRequest.saying("The last login ID cannot be removed")
        }
        return try await change(found, "user.login_id", as: .addAddress, by: actor) { account in
            account.identifiers[old] = nil
            if let new { account.identifiers[new] = new.kind == .username ? .verified : .unverified }
        }
    }

    public func setAttribute(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let name = try body.requiredText("attributeKey")
        guard name.utf8.count <= Limits.nameBytesMax else {
            throw MethodProblem.invalidArguments.saying("The attributeKey field is too long")
        }
        let value = body.members["attributeValue"].flatMap { $0 == .null ? nil : $0 }
        return try await change(try await find(body), "user.attribute", as: .changeAttributes, by: actor) {
            $0.user.attributes[name] = value
        }
    }

    /// What a call does with the roles in its body.
    public enum RoleChange: Sendable {
        case set, add, remove
    }

    /// - Throws: ``MethodProblem/invalidRequest`` if a role is unknown, or the user is not in the tenant.
    public func changeRoles(_ body: MethodBody, _ change: RoleChange, by actor: Actor) async throws -> Account {
        let tenant = try body.text("tenantId")
        let roles = try roles(try body.texts("roleNames"), in: tenant)
        let found = try await find(body)
        if let tenant, found.memberships.tenants[tenant] == nil {
            throw MethodProblem.invalidRequest.saying("The user is not in this tenant")
        }
        return try await self.change(found, "user.roles", as: .changeMemberships, by: actor) { account in
            switch change {
            case .set:
                if let tenant {
                    if account.memberships.tenants[tenant] != nil { account.memberships.tenants[tenant] = roles }
                } else {
                    account.memberships.roles = roles
                }
            case .add: for role in roles { account.memberships.add(role: role, in: tenant) }
            case .remove: for role in roles { account.memberships.remove(role: role, in: tenant) }
            }
        }
    }

    /// Adds the user to a tenant, with the tenant's default roles.
    public func join(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let tenant = try body.requiredText("tenantId")
        guard directory.tenant(tenant) != nil else {
            throw MethodProblem.invalidRequest.saying("There is no such tenant")
        }
        let defaults = directory.defaultRoles(of: tenant)
        return try await change(try await find(body), "user.tenants", as: .changeMemberships, by: actor) { account in
            if account.memberships.tenants[tenant] == nil { account.memberships.tenants[tenant] = defaults }
        }
    }

    public func leave(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let tenant = try body.requiredText("tenantId")
        return try await change(try await find(body), "user.tenants", as: .changeMemberships, by: actor) {
            $0.memberships.tenants[tenant] = nil
        }
    }
}
