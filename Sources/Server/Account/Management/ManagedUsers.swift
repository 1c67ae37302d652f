public import Authority
package import KeyturnBase
public import KeyturnWire
public import Model
package import SignIn

/// Management of users by the operator's programs. Each change is one transaction and one audit event.
public struct ManagedUsers: Sendable {
    let project: Project
    let stores: Stores
    let directory: AccessDirectory
    let passwords: Passwords
    let authenticators: TOTPSeal
    let messages: any MessageSender
    let notices: SecurityNotices
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        project: Project, stores: Stores, directory: AccessDirectory, passwords: Passwords,
        authenticators: TOTPSeal, messages: any MessageSender, notices: SecurityNotices, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        self.directory = directory
        self.passwords = passwords
        self.authenticators = authenticators
        self.messages = messages
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// The user that a call names by `loginId` or `userId`.
    ///
    /// - Throws: ``MethodProblem/managementUserNotFound``.
    public func find(_ body: MethodBody) async throws -> Account {
        try await find(userID: body.text("userId"), loginID: body.text("loginId"))
    }

    /// The user that a call names in one of two ways. A `userID` is only compared with identifiers: users choose their
    /// login IDs, and one that looks like another user's identifier must not match.
    ///
    /// - Throws: ``MethodProblem/missing(_:)``; ``MethodProblem/managementUserNotFound``.
    public func find(userID: String?, loginID: String?) async throws -> Account {
        guard let userID else {
            guard let loginID else { throw MethodProblem.missing("loginId") }
            return try await find(loginID)
        }
        guard let account = try await stores.users.account(UserID(rawValue: userID)) else {
            throw MethodProblem.managementUserNotFound
        }
        return account
    }

    /// The user of this identifier or login ID, for calls that accept either: users cannot choose the identifier.
    ///
    /// - Throws: ``MethodProblem/managementUserNotFound``.
    public func find(_ name: String) async throws -> Account {
        if let account = try await stores.users.account(UserID(rawValue: name)) { return account }
        guard let identifier = Identifier(loginID: name), let account = try await stores.users.account(identifier)
        else {
            throw MethodProblem.managementUserNotFound
        }
        return account
    }

    /// Adds a user, with the password and the authenticator in the body, if there are any.
    ///
    /// - Throws: ``MethodProblem/userExists`` if a login ID belongs to another user; the rulebook's `Denial`.
    public func create(_ body: MethodBody, isTest: Bool, by actor: Actor) async throws -> Account {
        let allowed = try project.rulebook.permit(Acts.CreateAccount.self, to: actor.caller, on: .newUser)
        let details = try UserDetails(body)
        // The codes of test users are told, and so are those of a seed.
        if try isTest || details.isTest || body.secret("seed") != nil {
            try project.rulebook.require(.openSessions, to: actor.caller, on: .newUser)
        }
        guard let loginID = details.loginID else { throw MethodProblem.missing("loginId") }
        let now = ambient.now()
        let isInvited = try body.flag("invite") ?? false
        let status = details.status ?? (isInvited ? .invited : .active)
        let user = User(
            id: .make(ambient), status: status, isTest: isTest || details.isTest, createdAt: now, updatedAt: now)
        var account = Account(user: user, identifiers: [:], passwordHash: try await passwordHash(body))
        for identifier in try identifiers([loginID] + (details.additionalLoginIDs ?? []), for: account) {
            account.identifiers[identifier] = identifier.kind == .username ? .verified : .unverified
        }
        details.replace(in: &account)
        account.memberships = try memberships(details)
        try requireOwner(toGive: account.memberships, besides: .none, by: actor)
        try checkSize(account)
        try await requireOwnAddresses(account, was: nil, by: actor)
        let authenticator = try authenticator(body)
        account.hasAuthenticator = authenticator != nil
        try await releaseClaims(on: account, was: nil, by: actor)
        do {
            try await stores.users.create(account, authenticator: authenticator, by: allowed)
        } catch {
            throw Self.refusal(error)
        }
        let note = ChangeNote(ambient, roleName: directory.roleName)
        note.set(from: nil, to: account)
        record("user.created", account, note.changes, by: actor)
        if isInvited { try await invite(account, body, by: actor) }
        return account
    }

    /// Replaces everything that a call of `update` contains or leaves out.
    public func update(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let details = try UserDetails(body)
        let found = try await find(body)
        let memberships = try memberships(details)
        let loginID = try details.loginID.map { try identifiers([$0], for: found) } ?? []
        let additional = try details.additionalLoginIDs.map { try identifiers($0, for: found) }
        return try await change(
            found, "user.updated", as: .changeProfile, saysStatus: details.status != nil, by: actor
        ) { account in
            if let additional {
                let names = Set(loginID + additional)
                account.identifiers = account.identifiers.filter { names.contains($0.key) }
                for name in names where account.identifiers[name] == nil {
                    account.identifiers[name] = name.kind == .username ? .verified : .unverified
                }
            }
            details.replace(in: &account)
            account.memberships = memberships
        }
    }

    /// Changes only what a call of `patch` contains.
    public func patch(_ body: MethodBody, by actor: Actor) async throws -> Account {
        let details = try UserDetails(body)
        let found = try await find(body)
        let memberships = try memberships(details)
        return try await change(
            found, "user.updated", as: .changeProfile, saysStatus: details.status != nil, by: actor
        ) { account in
            details.patch(&account)
            if details.roleNames != nil { account.memberships.roles = memberships.roles }
            if details.tenants != nil { account.memberships.tenants = memberships.tenants }
        }
    }

    /// Changes one user in one transaction, and records it.
    ///
    /// - Parameters:
    ///   - act: what the call is for. What the change does besides is asked for, too.
    ///   - saysStatus: whether the call names a status. Also for the one that the user has: from then on it is this
    ///     caller who decides, and no directory.
    /// - Throws: the rulebook's `Denial`; ``MethodProblem``; ``StoreError``.
    public func change(
        _ found: Account, _ kind: String, as act: Act, saysStatus: Bool = false, by actor: Actor,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws -> Account {
        var draft = found
        rule(&draft)
        var acts = [act] + UserChangeActs.acts(from: found, to: draft)
        if saysStatus { acts.append(.changeStatus) }
        let believed = Self.believed(found, draft)
        if !believed.isEmpty { acts.append(.proveAddress) }
        let isStrangers = found.isStrangers(onceItBecomes: draft)
        let allowed = try project.rulebook.permitChange(acts, to: actor.caller, on: found.subject)
        try requireOwner(toGive: draft.memberships, besides: found.memberships, by: actor)
        try await requireOwnAddresses(draft, was: found, by: actor)
        try checkSize(draft, was: found)
        if isStrangers {
            try await requireFree(draft.identifiers.keys.filter { found.identifiers[$0] == nil }, for: found)
        }
        let now = ambient.now()
        do {
            if isStrangers {
                try await stores.passwords.void(
                    by: try project.rulebook.permission(
                        Acts.VoidCredentials.self, to: actor.caller, on: found.subject), keeping: nil, at: now)
            }
            try await releaseClaims(on: draft, was: found, by: actor)
            let note = ChangeNote(ambient, roleName: directory.roleName)
            let noted = note.noting { (account: inout Account) in
                NewAccount.forgetStrangers(&account, keeping: believed)
                rule(&account)
            }
            let changed = try await stores.users.change(by: allowed, at: now, noted)
            record(kind, changed, note.changes, by: actor)
            await notices.addresses(of: found, changedTo: changed, at: now)
            return changed
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Translates an error of the store for a call; other errors stay as they are.
    static func refusal(_ error: StoreError) -> any Error {
        switch error.code {
        case .conflict: MethodProblem.userExists
        case .missing: MethodProblem.managementUserNotFound
        case .forbidden where error.cause is LastOwner: MethodProblem.lastOwner
        case .forbidden, .full, .unavailable: error
        }
    }

    /// The identifiers of the login IDs in a call, up to the limit.
    ///
    /// - Parameter account: has some of them already, however they look; `nil`: they are looked up.
    func identifiers(_ loginIDs: [String], for account: Account?) throws(MethodProblem) -> [Identifier] {
        guard loginIDs.count <= Limits.identifiersOfUserMax else {
            throw .invalidArguments.saying("A user has at most \(Limits.identifiersOfUserMax) login IDs")
        }
        var result: [Identifier] = []
        for text in loginIDs {
            guard let identifier = Identifier(loginID: text) else {
                throw .invalidArguments.saying("A login ID is empty, too long, or has control characters")
            }
            if let account, account.identifiers[identifier] == nil, let flaw = identifier.flaw {
                throw .invalidArguments.saying("A login ID \(flaw)")
            }
            if !result.contains(identifier) { result.append(identifier) }
        }
        return result
    }

    /// Replaces role and tenant names by identifiers, and adds the default roles of the tenants.
    func memberships(_ details: UserDetails) throws(MethodProblem) -> Memberships {
        var result = Memberships(roles: try roles(details.roleNames ?? [], in: nil))
        for (tenant, names) in details.tenants ?? [] {
            guard directory.tenant(tenant) != nil else {
                throw .invalidRequest.saying("There is no such tenant")
            }
            let given = try roles(names, in: tenant)
            result.tenants[tenant] = given + directory.defaultRoles(of: tenant).filter { !given.contains($0) }
        }
        return result
    }

    /// - Throws: ``MethodProblem/invalidRequest`` for an unknown role.
    public func roles(_ names: [String], in tenant: String?) throws(MethodProblem) -> [String] {
        var result: [String] = []
        for name in names {
            guard let role = directory.role(named: name, in: tenant) else {
                throw .invalidRequest.saying("There is no such role")
            }
            if !result.contains(role.id) { result.append(role.id) }
        }
        return result
    }

    /// Checks the size of a user. A change that makes nothing larger is allowed, such as disabling a large user.
    private func checkSize(_ account: Account, was old: Account? = nil) throws(MethodProblem) {
        let grew = { (size: (Account) -> Int) in old.map { size(account) > size($0) } ?? true }
        guard
            account.memberships.isWithinLimits
                || !grew({ $0.memberships.count })
        else {
            throw .invalidArguments.saying("The user has too many tenants or roles")
        }
        guard account.identifiers.count <= Limits.identifiersOfUserMax || !grew({ $0.identifiers.count }) else {
            throw .invalidArguments.saying("A user has at most \(Limits.identifiersOfUserMax) login IDs")
        }
        for members in [\User.attributes, \User.claims] {
            let size = { (account: Account) in JSONValue.object(account.user[keyPath: members]).serialized.count }
            guard size(account) <= Limits.attributesBytesMax || !grew(size) else {
                throw .invalidArguments.saying("What is known of a user has at most \(Limits.attributesBytesMax) bytes")
            }
        }
    }

    func record(_ kind: String, _ account: Account, _ changes: AuditChanges? = nil, by actor: Actor) {
        let kind = AuditEvent.Kind(rawValue: kind)
        audit.record(
            AuditEvent(
                kind, at: ambient.now(), userID: account.user.id,
                reason: kind == .userStatusChanged ? account.user.status.rawValue : nil, actor: actor.name,
                changes: changes)
        )
    }
}
