public import Authority
public import KeyturnBase
public import Model

/// From what a provider said to a user: finds, links or makes the account.
public struct FederatedSignIn: Sendable {
    let stores: Stores
    let directory: AccessDirectory
    /// Sign-ins that are under way.
    public let states: FederationStates
    /// Which domains tenants have proven.
    public let domains: any ProvenDomains
    let notices: SecurityNotices
    let signUp: SignUpGate
    let audit: any AuditLog
    let ambient: Ambient

    public init(
        stores: Stores, directory: AccessDirectory, secrets: ServerSecrets, domains: TenantDomains,
        rulebook: Rulebook, notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.directory = directory
        states = FederationStates(secrets, store: stores.federation, ambient: ambient)
        self.domains = domains
        self.notices = notices
        signUp = SignUpGate(rulebook, domains: domains)
        self.audit = audit
        self.ambient = ambient
    }

    /// What came of a sign-in at a provider.
    public enum Outcome: Sendable {
        /// The user signs in.
        case user(Account, isNew: Bool)
        /// The user must sign in another way first; then the identity is linked.
        case ask
        case refused(FederationRefusal)
    }

    /// Finds, links or makes the account of an identity.
    ///
    /// - Parameter address: the client's network address, for the audit log.
    public func complete(_ profile: FederatedProfile, at connection: Connection, from address: NetworkAddress?)
        async throws(StoreError) -> Outcome
    {
        if try await isTakenBack(profile, at: connection) { return refuse(.state, connection, nil, address) }
        // A user or an identity that another request made meanwhile is found in the next round.
        for _ in 0..<4 {
            let rules = try await LinkingFacts(stores: stores, domains: domains).rules(profile, connection)
            let decision = rules.decide()
            let caller = connection.caller
            if decision.account?.user.status == .invited, !signUp.admitsInvited(caller) {
                return refuse(.unknownUser, connection, rules.known, address)
            }
            switch decision {
            case .refuse(let refusal): return refuse(refusal, connection, rules.known, address)
            case .ask: return .ask
            case .signIn(let account):
                let isBack = rules.absence == .held
                if let user = try await applied(profile, connection, to: account, isBack: isBack, address) {
                    return .user(user, isNew: false)
                }
            case .create(let email):
                guard
                    let permission = try await signUp.permit(caller, proving: email)
                else { return refuse(.unknownUser, connection, nil, address) }
                if let account = try await create(profile, connection, email, by: permission) {
                    return .user(account, isNew: true)
                }
            case .link(let account), .occupy(let account):
                // Nothing but the tenant holds an account that its directory alone made.
                let isBack = decision == .occupy(account) || rules.absence == .held
                if let linked = try await link(account, profile, connection, isBack: isBack, address) {
                    return .user(linked, isNew: false)
                }
            case .release(let account, let email): try await release(email, from: account, connection, address)
            case .reclaim(let account, let email):
                if let fresh = try await reclaim(email, from: account, connection, address),
                    let linked = try await link(fresh, profile, connection, isBack: true, address)
                {
                    return .user(linked, isNew: false)
                }
            }
        }
        throw StoreError(.conflict)
    }

    /// Whether the provider has signed the user out since it said what an app brings only now.
    private func isTakenBack(_ profile: FederatedProfile, at connection: Connection) async throws(StoreError) -> Bool {
        guard let issuedAt = profile.issuedAt,
            let signedOutAt = try await stores.identities.identity(profile.key(at: connection.id))?.signedOutAt
        else { return false }
        return issuedAt <= signedOutAt
    }

    private func refuse(
        _ refusal: FederationRefusal, _ connection: Connection, _ account: Account?, _ address: NetworkAddress?
    ) -> Outcome {
        audit.recordOnce(
            AuditEvent(
                .identityRefused, at: ambient.now(), userID: account?.user.id, address: address?.text,
                reason: refusal.rawValue, target: connection.id))
        return .refused(refusal)
    }

    /// - Returns: `nil` if another request was faster.
    private func create(
        _ profile: FederatedProfile, _ connection: Connection, _ email: Identifier?,
        by permission: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) -> Account? {
        let change = FederatedAccount(connection: connection, profile: profile, directory: directory)
        let (account, roles) = change.make(email: email, by: permission, ambient)
        var identity = identity(of: account, profile, connection)
        (identity.providedRoles, identity.providedIn) = (roles, connection.tenantID)
        guard try await stores.identities.create(account, with: identity, by: permission) else { return nil }
        audit.record(
            AuditEvent(
                .userCreated, at: ambient.now(), userID: account.user.id, target: connection.id,
                changes: .between(nil, account, ambient)))
        return account
    }

    /// - Parameter isBack: as in ``applied(_:_:to:isBack:_:)``.
    /// - Returns: `nil` if the account changed meanwhile.
    private func link(
        _ account: Account, _ profile: FederatedProfile, _ connection: Connection, isBack: Bool,
        _ address: NetworkAddress?
    ) async throws(StoreError) -> Account? {
        if account.user.status == .invited {
            let allowed = try signUp.rulebook.changePermission(
                .acceptInvitation, to: connection.caller, on: account.subject)
            let active = try await stores.users.change(by: allowed, at: ambient.now()) { $0.user.status = .active }
            return try await link(active, profile, connection, isBack: isBack, address)
        }
        guard
            [.linked, .present].contains(
                try await add(
                    identity(of: account, profile, connection), to: account, by: connection.caller, from: nil))
        else { return nil }
        return try await applied(profile, connection, to: account, isBack: isBack, address)
    }

    func identity(
        of account: Account, _ profile: FederatedProfile, _ connection: Connection, isByOwner: Bool = false
    ) -> FederatedIdentity {
        let now = ambient.now()
        return FederatedIdentity(
            key: profile.key(at: connection.id), userID: account.user.id, email: profile.shownEmail,
            name: profile.shownName, linkedAt: now, usedAt: now, isByOwner: isByOwner)
    }

    /// Links an identity, and tells the owner.
    func add(
        _ identity: FederatedIdentity, to account: Account, by caller: Caller, from address: NetworkAddress?
    ) async throws(StoreError) -> IdentityLinking {
        let linking = try await stores.identities.link(
            identity,
            by: try signUp.rulebook.permission(Acts.LinkIdentity.self, to: caller, on: account.subject))
        guard linking == .linked else { return linking }
        let now = ambient.now()
        audit.record(
            AuditEvent(
                .identityLinked, at: now, userID: account.user.id, address: address?.text,
                target: identity.key.connectionID))
        await notices.send(
            .identityLinked, to: account, from: SessionOrigin(address: address?.text, device: nil), at: now)
        return .linked
    }

    /// Removes whatever was set up at an account whose address its owner proves only now: password, sessions, factors,
    /// identities, keys and other addresses (an invitation has none of them).
    ///
    /// - Returns: the account as its owner gets it; `nil` if it has another owner, who keeps it without the address, or
    ///   changed meanwhile.
    private func reclaim(
        _ email: Identifier, from account: Account, _ connection: Connection, _ address: NetworkAddress?
    ) async throws(StoreError) -> Account? {
        let now = ambient.now()
        if account.user.status == .invited {
            let changed = try await stores.users.change(by: try proof(account, connection), at: now) { account in
                guard account.user.status == .invited, account.identifiers[email] == .unverified else { return }
                account.noteVerified(email)
            }
            return changed.isOwned(by: email) ? changed : nil
        }
        audit.record(
            AuditEvent(.addressReclaimed, at: now, userID: account.user.id, address: address?.text, reason: "email"))
        guard !account.hasProvenAddress else {
            // The user has verified another address, and only claimed this one.
            try await takeBack(email, from: account, connection)
            return nil
        }
        try await stores.passwords.void(
            by: try signUp.rulebook.permission(
                Acts.VoidCredentials.self, to: connection.caller, on: account.subject),
            keeping: nil, at: now)
        let changed = try await stores.users.change(by: try proof(account, connection), at: now) { account in
            guard account.identifiers[email] == .unverified, !account.hasProvenAddress else { return }
            NewAccount.forgetStrangers(&account, keeping: email)
            account.memberships = .none
            account.user.attributes = [:]
            account.user.claims = account.user.claims.filter { ["email", "email_verified"].contains($0.key) }
        }
        return changed.isOwned(by: email) ? changed : nil
    }

    /// The permission to believe an address of an account, by the provider's word.
    private func proof(_ account: Account, _ connection: Connection) throws(StoreError) -> Allowed<Acts.ChangeAccount> {
        try signUp.rulebook.changePermission(.proveAddress, to: connection.caller, on: account.subject)
    }

    /// The account stays its owner's, without an address that they only claimed.
    private func release(
        _ email: Identifier, from account: Account, _ connection: Connection, _ address: NetworkAddress?
    ) async throws(StoreError) {
        audit.record(
            AuditEvent(
                .addressReclaimed, at: ambient.now(), userID: account.user.id, address: address?.text, reason: "email"))
        try await takeBack(email, from: account, connection)
    }

    private func takeBack(_ email: Identifier, from account: Account, _ connection: Connection)
        async throws(StoreError)
    {
        let allowed = try signUp.rulebook.changePermission(
            .releaseAddress, to: connection.caller, on: account.subject)
        let now = ambient.now()
        let changed = try await stores.users.change(by: allowed, at: now) { account in
            guard account.identifiers[email] == .unverified else { return }
            guard !account.hasProvenAddress else { return account.release(email) }
            account.identifiers[email] = nil
            if account.email.flatMap(Identifier.init(loginID:)) == email { account.set(.email, nil, isVerified: false) }
        }
        guard changed.identifiers[email] == nil else { return }
        await notices.send(.addressRemoved(email), to: account, from: .unknown, at: now)
    }
}

extension Connection {
    /// Whether the operator trusts what its provider says of users: a directory of the whole project, or `trust_email`.
    var isTrusted: Bool {
        switch settings {
        case .openID(let settings): settings.trustsEmail
        case .saml(let settings): settings.trustsEmail
        case .ldap(let settings): settings.trustsEmail || tenantID == nil
        }
    }

    /// Its provider, for the rulebook.
    var caller: Caller { .provider(tenant: tenantID) }
}

extension Account {
    /// Whether the address is proven, and no other one stands beside it.
    fileprivate func isOwned(by email: Identifier) -> Bool {
        identifiers[email] == .verified
            && identifiers.allSatisfy { $0.key == email || ![.email, .phone].contains($0.key.kind) }
    }
}

extension FederatedProfile {
    /// The address as it is shown to its owner: bounded, without control characters.
    var shownEmail: String? { email.flatMap { Self.shown($0, max: 254) } }
    /// The name as it is shown to its owner.
    var shownName: String? {
        (claims["name"] ?? claims["preferred_username"])?.stringValue.flatMap { Self.shown($0, max: 128) }
    }

    private static func shown(_ text: String, max: Int) -> String? {
        let clean = text.unicodeScalars.filter {
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        let result = String(String(String.UnicodeScalarView(clean)).prefix(max))
        return result.isEmpty ? nil : result
    }
}
