internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension DescopeSessions {
    /// Ends the presented session, or all sessions of the user's apps and browsers. One that is held in the name of another
    /// user ends itself alone.
    ///
    /// - Throws: ``MethodProblem`` with what is missing if all are to end and the session may not: nothing has ended.
    public func revoke(_ presented: PresentedRefresh, all: Bool) async throws {
        let now = ambient.now()
        let grant = presented.grant
        if try all && mayEndAll(presented, at: now) {
            _ = try await stores.grants.endEverything(of: grant.userID, reason: .logout, at: now)
        } else {
            _ = try await stores.grants.end(grant.id, clientID: grant.clientID, reason: .logout, at: now)
            if let older = grant.supersedes {
                _ = try await stores.grants.end(older, clientID: project.id, reason: .superseded, at: now)
            }
        }
        audit.record(
            AuditEvent(
                .signedOut, at: now, userID: grant.userID, clientID: grant.clientID,
                sessionID: all ? nil : grant.tokenSessionID,
                reason: all ? "all" : "current"))
    }

    private func mayEndAll(_ presented: PresentedRefresh, at now: UnixTime) throws -> Bool {
        do throws(Denial) {
            try project.rulebook.require(
                .endSessions, to: .session(presented.standing(at: now)), on: presented.account.subject)
            return true
        } catch {
            guard case .missing = error else { return false }
            throw MethodProblem(error)
        }
    }
}
