internal import Authority
internal import KeyturnBase
internal import Model

/// What a sign-in at a provider changes about the account that its identity belongs to.
extension FederatedSignIn {
    /// Records the sign-in, and brings profile, tenant and roles up to date.
    ///
    /// - Parameter isBack: whether this brings a user back who was taken out of the tenant.
    /// - Returns: the account as it is then; `nil` if another request changed it meanwhile.
    func applied(
        _ profile: FederatedProfile, _ connection: Connection, to account: Account, isBack: Bool,
        _ address: NetworkAddress?
    ) async throws(StoreError) -> Account? {
        var change = FederatedAccount(connection: connection, profile: profile, directory: directory)
        if change.wouldFollow(account) { change.provenDomains = try await provenDomains(of: connection) }
        let rule = change
        let changed = try await used(
            profile, connection, by: account, address: rule.vouchedAddress, isBack: isBack
        ) { rule.apply(to: &$0, $1) }
        guard let changed else { return nil }
        await tell(account, changed, connection, address)
        return changed
    }

    /// As ``applied(_:_:to:isBack:_:)``, of an account that its owner connected: the provider sets tenant and roles alone.
    func appliedRoles(_ profile: FederatedProfile, _ connection: Connection, to account: Account)
        async throws(StoreError)
    {
        let change = FederatedAccount(connection: connection, profile: profile, directory: directory)
        _ = try await used(profile, connection, by: account, address: nil, isBack: true) {
            change.applyRoles(to: &$0, $1)
        }
    }

    private func used(
        _ profile: FederatedProfile, _ connection: Connection, by account: Account, address: Identifier?,
        isBack: Bool, _ rule: @escaping IdentityRule
    ) async throws(StoreError) -> Account? {
        let use = IdentityUse(
            key: profile.key(at: connection.id), email: profile.shownEmail,
            name: profile.shownName, tenantID: connection.tenantID, address: address, endsAbsence: isBack)
        do throws(StoreError) {
            return try await stores.identities.use(
                use, by: try profilePermission(account, connection), at: ambient.now(), rule)
        } catch {
            guard [.missing, .conflict, .forbidden].contains(error.code) else { throw error }
            return nil
        }
    }

    /// What the provider's word may change of an account: addresses, too, of its own tenant's users.
    private func profilePermission(_ account: Account, _ connection: Connection) throws(StoreError)
        -> Allowed<Acts.ChangeAccount>
    {
        let optional: [Act] = [.acceptInvitation, .addAddress, .removeAddress]
        let acts = optional.filter { signUp.rulebook.allows($0, to: connection.caller, on: account.subject) }
        return try signUp.rulebook.changePermission(
            [.changeProfile, .changeMemberships] + acts, to: connection.caller, on: account.subject)
    }

    private func provenDomains(of connection: Connection) async throws(StoreError) -> Set<String> {
        guard let tenant = connection.tenantID else { return [] }
        var proven: Set<String> = []
        for name in connection.domains {
            guard let domain = EmailDomain(name), try await domains.isProven(domain, of: tenant, for: connection) else {
                continue
            }
            proven.insert(domain.name)
        }
        return proven
    }

    /// The user is told of an address that the provider moved, at the old one as well.
    private func tell(
        _ before: Account, _ after: Account, _ connection: Connection, _ address: NetworkAddress?
    ) async {
        guard before.user.claims != after.user.claims || before.identifiers != after.identifiers else { return }
        let now = ambient.now()
        audit.record(
            AuditEvent(
                .profileChanged, at: now, userID: after.user.id, address: address?.text, target: connection.id,
                changes: .between(before, after, ambient)))
        let gone = Self.proven(before).subtracting(Self.proven(after)).min { $0.value < $1.value }
        let new = Self.proven(after).subtracting(Self.proven(before)).min { $0.value < $1.value }
        guard let gone else { return }
        let origin = SessionOrigin(address: address?.text, device: nil)
        await notices.send(
            new.map { .addressChanged(from: gone, to: $0) } ?? .addressRemoved(gone), to: before, from: origin, at: now)
    }

    private static func proven(_ account: Account) -> Set<Identifier> {
        Set(account.identifiers.filter { $0.key.kind == .email && $0.value == .verified }.keys)
    }
}
