package import Authority
package import KeyturnBase
package import Model

/// Addresses that an account only claims, when their owner proves them for another account, or an operator says whose they
/// are. Otherwise a user could keep an address from its owner by registering it first.
package struct UnprovedClaims: Sendable {
    private let stores: Stores
    private let rulebook: Rulebook
    private let notices: SecurityNotices
    private let audit: any AuditLog
    private let ambient: Ambient

    package init(
        stores: Stores, rulebook: Rulebook, notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.rulebook = rulebook
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// Takes an address out of the account that claims it. If that account has proved no other one, nothing in it is
    /// known to be its owner's: its password, factors and sessions end. Otherwise the owner is told.
    ///
    /// An address that another account has proved stays there, also if messages go to it and it is no login ID.
    /// Invitations, test users and accounts with a role in the console were made by an operator, and keep it.
    ///
    /// - Parameters:
    ///   - user: for whom the address was proved; `nil`: a user who is not there yet.
    ///   - caller: by whose word: the owner's, who proved it (``Caller/anonymous``), or an operator's.
    /// - Returns: whether no other account has the address now.
    @discardableResult
    package func release(_ address: Identifier, for user: UserID?, by caller: Caller = .anonymous)
        async throws(StoreError) -> Bool
    {
        if caller == .anonymous, try await stores.users.isContact(address, besides: user) { return false }
        guard let holder = try await stores.users.account(address), holder.user.id != user else { return true }
        guard address.kind != .username, holder.identifiers[address] == .unverified, holder.user.status != .invited,
            !holder.user.isTest, holder.consoleRole == nil
        else { return false }
        let now = ambient.now()
        let evidence = caller == .anonymous ? Evidence.addressProof : .none
        if !holder.hasProvenAddress {
            do throws(StoreError) {
                try await stores.passwords.void(
                    by: try rulebook.permission(
                        Acts.VoidCredentials.self, to: caller, on: holder.subject, showing: evidence),
                    keeping: nil, at: now)
            } catch {
                guard error.code == .forbidden else { throw error }
                return false
            }
        }
        let allowed = try rulebook.changePermission(
            .releaseAddress, to: caller, on: holder.subject, showing: evidence)
        let changed = try await stores.users.change(by: allowed, at: now) { account in
            guard account.identifiers[address] == .unverified else { return }
            guard !account.hasProvenAddress else { return account.release(address) }
            account.identifiers[address] = nil
            let known = address.kind == .phone ? account.phone : account.email
            if known.flatMap(Identifier.init(loginID:)) == address { account.set(address.kind, nil, isVerified: false) }
        }
        guard changed.identifiers[address] == nil else { return false }
        audit.record(
            AuditEvent(
                .identifierRemoved, at: now, userID: holder.user.id, reason: address.kind.rawValue,
                changes: .between(holder, changed, ambient)))
        await notices.send(.addressRemoved(address), to: holder, from: .unknown, at: now)
        return true
    }
}

extension Account {
    /// Removes an address that was claimed and not verified, if the user has verified another one.
    mutating func release(_ address: Identifier) {
        guard identifiers[address] == .unverified, hasProvenAddress else { return }
        identifiers[address] = nil
        let known = address.kind == .phone ? phone : email
        guard known.flatMap(Identifier.init(loginID:)) == address else { return }
        let rest = identifiers.filter { $0.key.kind == address.kind && $0.value == .verified }.keys
        set(address.kind, rest.map(\.value).min(), isVerified: true)
    }
}
