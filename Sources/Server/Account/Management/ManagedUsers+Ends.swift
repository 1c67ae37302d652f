public import Authority
internal import KeyturnBase
public import KeyturnWire
internal import Model

/// Ends of users and of their sessions.
extension ManagedUsers {
    /// Removes a user with everything that belongs to it.
    public func delete(_ body: MethodBody, by actor: Actor) async throws {
        let account = try await find(body)
        let allowed = try project.rulebook.permit(
            Acts.DeleteAccount.self, to: actor.caller, on: account.subject)
        try Self.requireOther(account, actor)
        let isRemoved: Bool
        do throws(StoreError) {
            isRemoved = try await stores.users.delete(by: allowed, at: ambient.now())
        } catch {
            throw Self.refusal(error)
        }
        guard isRemoved else { throw MethodProblem.managementUserNotFound }
        record("user.deleted", account, by: actor)
    }

    /// Removes every test user, in batches.
    public func deleteTestUsers(by actor: Actor) async throws {
        var removed: [UserID]
        repeat {
            let allowed = try project.rulebook.permit(
                Acts.DeleteAccount.self, to: actor.caller, on: .project(tenant: nil))
            removed = try await stores.users.deleteTestUsers(by: allowed, limit: Limits.usersOfBatchMax)
            for id in removed {
                audit.record(
                    AuditEvent(.init(rawValue: "user.deleted"), at: ambient.now(), userID: id, actor: actor.name))
            }
        } while removed.count == Limits.usersOfBatchMax
    }

    /// Ends all sessions of a user's apps and browsers.
    ///
    /// - Returns: how many there were.
    public func logout(_ body: MethodBody, by actor: Actor) async throws -> Int {
        let account = try await find(body)
        try project.rulebook.require(.endSessions, to: actor.caller, on: account.subject)
        let ended = try await stores.grants.endEverything(
            of: account.user.id, reason: .administrator, at: ambient.now())
        record("user.logged_out", account, by: actor)
        return ended
    }
}
