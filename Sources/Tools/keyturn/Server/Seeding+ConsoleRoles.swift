internal import Authority
internal import Identity
internal import KeyturnBase
internal import Logging
internal import Model

extension Seeding {
    /// The role of the file replaces the one that the user has; without one nothing changes.
    static func setConsoleRole(of user: UserConfiguration, _ services: IdentityServices, _ logger: Logger) async throws
    {
        guard let role = user.consoleRole, let account = try await find(user, services) else { return }
        let now = services.ambient.now()
        let known = user.loginIDs.compactMap(Identifier.init(loginID:)).first(where: account.provedAddresses.contains)
        let change: ConsoleRoleChange
        do {
            change = try await services.stores.consoleOperators.give(
                role,
                by: try services.project.rulebook.permit(
                    Acts.GiveConsoleRole.self, to: actor.caller, on: account.subject),
                named: actor.name, knownBy: known, keepingOwner: false, at: now)
        } catch let error as StoreError where error.cause is UnknownAddress {
            // What an operator did to the account must not keep the server from starting.
            return logger.warning(
                """
                a user of the file gets no role in the console: others have set up a way to sign in to the account, and \
                the file names no address of it that was proved
                """, metadata: ["user": "\(account.user.id.rawValue)"])
        }
        guard case .changed(let former, _) = change else { return }
        services.auditLog.record(
            AuditEvent(
                .operatorGranted, at: now, userID: account.user.id, reason: role.rawValue, actor: actor.name,
                changes: .between(former, role, services.ambient)))
    }
}
