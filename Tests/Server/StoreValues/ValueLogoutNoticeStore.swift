internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The queue of logout notices.
struct ValueLogoutNoticeStore: LogoutNoticeStore {
    let database: ValueDatabase

    func hasDue(at now: UnixTime) throws(StoreError) -> Bool {
        try database.read { world in world.logoutNotices.contains { $0.dueAt <= now } }
    }

    func claim(
        limit: Int, ofClientMax: Int, except clients: Set<String>, leaseSeconds: Int64, at now: UnixTime
    ) throws(StoreError) -> [LogoutNoticeClaim] {
        try database.write { world in
            let due = world.logoutNotices.filter { $0.dueAt <= now && !clients.contains($0.notice.clientID) }
            let turns = Dictionary(grouping: due.sorted { $0.rank < $1.rank }, by: \.notice.clientID).values.flatMap {
                $0.prefix(ofClientMax).enumerated().map { (turn: $0.offset, row: $0.element) }
            }
            let picked = turns.sorted { one, other in
                one.turn == other.turn ? one.row.rank < other.row.rank : one.turn < other.turn
            }.prefix(limit).map(\.row.notice.number)
            var claims: [LogoutNoticeClaim] = []
            for index in world.logoutNotices.indices where picked.contains(world.logoutNotices[index].notice.number) {
                world.logoutNotices[index].dueAt = now + leaseSeconds
                world.logoutNotices[index].attempts += 1
                let row = world.logoutNotices[index]
                claims.append(LogoutNoticeClaim(notice: row.notice, attempt: row.attempts))
            }
            return claims
        }
    }

    func remove(_ claim: LogoutNoticeClaim) throws(StoreError) -> Bool {
        try database.write { world in
            guard let index = world.index(of: claim) else { return false }
            world.logoutNotices.remove(at: index)
            return true
        }
    }

    func postpone(_ claim: LogoutNoticeClaim, until due: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard let index = world.index(of: claim) else { return false }
            world.logoutNotices[index].dueAt = due
            return true
        }
    }

    func waiting(limit: Int) throws(StoreError) -> [LogoutNotice] {
        try database.read { world in world.logoutNotices.prefix(limit).map(\.notice) }
    }
}

extension LogoutNoticeRow {
    fileprivate var rank: (Int64, UnixTime, Int64) { (attempts, dueAt, notice.number) }
}

extension StoreWorld {
    fileprivate func index(of claim: LogoutNoticeClaim) -> Int? {
        logoutNotices.firstIndex {
            $0.notice.number == claim.notice.number && $0.attempts == claim.attempt
                && $0.notice.createdAt == claim.notice.createdAt
        }
    }

    /// Adds a notice for each session of a client that takes notices, where live grants are meant or derive from those
    /// that are. Call it before the grants end.
    mutating func addLogoutNotices(at now: UnixTime, where condition: (GrantRow) -> Bool) {
        guard clients.values.contains(where: { $0.client.metadata.backchannelLogoutURI != nil }) else { return }
        let meant = Set(grants.filter { $0.value.endedAt == nil && condition($0.value) }.keys)
        let told = derived(from: meant) { $0.endedAt == nil }.compactMap { grants[$0] }.filter { row in
            row.isLive(at: now) && clients[row.grant.clientID]?.client.metadata.backchannelLogoutURI != nil
        }
        for row in told.sorted(by: { $0.grant.createdAt < $1.grant.createdAt }) {
            addLogoutNotice(row.grant.clientID, row.grant.userID, row.grant.tokenSessionID, at: now)
        }
    }

    /// A notice about the session that still waits is told anew.
    private mutating func addLogoutNotice(
        _ clientID: String, _ user: UserID, _ session: SessionID, at now: UnixTime
    ) {
        guard logoutNotices.count(where: { $0.notice.clientID == clientID }) < Limits.logoutNoticesOfClientMax else {
            return
        }
        let index = logoutNotices.firstIndex { $0.notice.clientID == clientID && $0.notice.sessionID == session }
        guard let index else {
            let notice = LogoutNotice(
                number: nextNumber(), clientID: clientID, userID: user, sessionID: session, createdAt: now)
            return logoutNotices.append(LogoutNoticeRow(notice: notice, dueAt: now, attempts: 0))
        }
        let old = logoutNotices[index].notice
        logoutNotices[index] = LogoutNoticeRow(
            notice: LogoutNotice(
                number: old.number, clientID: clientID, userID: old.userID, sessionID: session,
                createdAt: max(old.createdAt, now)),
            dueAt: now, attempts: 0)
    }
}
