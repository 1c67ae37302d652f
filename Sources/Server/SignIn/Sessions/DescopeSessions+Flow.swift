internal import Authority
internal import KeyturnBase
public import KeyturnWire
public import Model

/// Sessions of flows, which apps run in web views of their own.
extension DescopeSessions {
    /// Opens a session for the user who completed a flow. It is a grant of the project, as after a call of a method.
    ///
    /// - Parameters:
    ///   - user: as the browser's session said it; a sign-out everywhere since then wins.
    ///   - facts: how the user was verified.
    ///   - tenant: that the user chose; `nil`: none.
    ///   - isFirst: whether the account was made in this flow.
    ///   - address: the client's network address, for the audit log.
    /// - Throws: ``MethodProblem``, or ``StoreError``.
    public func open(
        afterFlowOf user: User, _ facts: AuthenticationFacts, tenant: String?, isFirst: Bool,
        from address: NetworkAddress?
    ) async throws -> SessionAnswer {
        let now = ambient.now()
        try await tokens.requireKey()
        guard let account = try await stores.users.account(user.id), account.user.status == .active,
            account.user.epoch == user.epoch
        else { throw MethodProblem.overtaken }
        guard secondFactor.missing(account, facts, on: .wire) == nil else { throw MethodProblem.overtaken }
        let grant = makeGrant(for: user.id, facts, claims: .none, tenant: tenant ?? facts.tenantID, at: now)
        guard try await stores.grants.open(grant, epoch: user.epoch, endingOthers: false, at: now) else {
            throw MethodProblem.overtaken
        }
        audit.record(
            AuditEvent(
                .signedIn, at: now, userID: user.id, clientID: project.id, address: address?.text, reason: "flow"))
        return try answer(grant, account, isFirst: isFirst, isSteppedUp: false, at: now)
    }
}
