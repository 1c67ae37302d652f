internal import Authority
internal import KeyturnBase
internal import Model
internal import SignIn
internal import StoreSQL

/// Brings a file of users into a database: reads the next batch while the one before is written.
struct UserImporter {
    let store: any UserImportStore
    let reader: UserRowReader
    let passwords: RowPasswords
    /// Fetches the seal when a row has an authenticator: most files have none.
    let authenticators: RowAuthenticators
    let plan: UserImportPlan
    let ledger: NameLedger

    private struct Row: Sendable {
        let line: Int
        let content: Result<UserRow, Refusal>
    }

    /// Goes through every row; whatever is told to `report` is in the database by then.
    func run(_ rows: inout UserRows, _ report: inout ImportReport) async throws {
        var batch = try next(&rows)
        while !batch.isEmpty {
            let current = batch
            async let entries = write(current)
            batch = try next(&rows)
            try report.note(await entries)
        }
    }

    private func next(_ rows: inout UserRows) throws -> [Row] {
        var batch: [Row] = []
        var byteCount = 0
        while batch.count < ImportLimits.batchRowsMax, byteCount < ImportLimits.batchBytesMax,
            let raw = try rows.next()
        {
            let row = raw.map(reader.read)
            batch.append(Row(line: row.line, content: row.content))
            byteCount += row.byteCount
        }
        return batch
    }

    private func write(_ batch: [Row]) async throws -> [ImportReport.Entry] {
        var entries: [Int: ImportReport.Entry] = [:]
        let valid = try withoutRepetitions(batch, &entries)
        let users = try await authenticators.seal(
            valid.map(\.row), into: try await passwords.resolve(valid.map(\.row), plan))
        let outcomes = try await store.apply(
            users, plan, by: try AuditedDatabase.permit(Acts.ImportUsers.self, on: .project(tenant: nil)),
            at: reader.ambient.now())
        for (row, outcome) in zip(valid, outcomes) {
            entries[row.line] = ImportReport.Entry(line: row.line, outcome: outcome)
        }
        return batch.compactMap { entries[$0.line] }
    }

    /// The rows that can be brought in; of the others, why not.
    private func withoutRepetitions(_ batch: [Row], _ entries: inout [Int: ImportReport.Entry]) throws
        -> [(line: Int, row: UserRow)]
    {
        var valid: [(line: Int, row: UserRow)] = []
        for row in batch {
            switch row.content {
            case .success(let user): valid.append((row.line, user))
            case .failure(let refusal): entries[row.line] = ImportReport.Entry(line: row.line, refusal: refusal)
            }
        }
        let earlier = try ledger.note(valid.map { (number: $0.line, names: Self.names($0.row.user)) })
        for (row, earlier) in zip(valid, earlier) where earlier != nil {
            entries[row.line] = ImportReport.Entry(
                line: row.line,
                refusal: Refusal(
                    "line \(earlier ?? 0) has the same sub, or one of the same login IDs",
                    "Join the two rows, or give each its own."))
        }
        return zip(valid, earlier).compactMap { $1 == nil ? $0 : nil }
    }

    private static func names(_ user: ImportedUser) -> [String] {
        user.identifiers.keys.map { "\($0.kind.rawValue):\($0.value)" } + (user.id.map { ["sub:\($0.rawValue)"] } ?? [])
    }
}

/// Hashes what rows have in clear text.
struct RowPasswords: Sendable {
    let users: any UserStore
    let passwords: Passwords
    /// Hashed at the same time.
    let width: Int

    /// The rows' users with hashes. A password that its user has already is not said again, so that the row counts as
    /// unchanged; neither is one that would change nothing.
    func resolve(_ rows: [UserRow], _ plan: UserImportPlan) async throws -> [ImportedUser] {
        var users = rows.map(\.user)
        let clear = rows.indices.filter { rows[$0].password != nil }
        for start in stride(from: 0, to: clear.count, by: width) {
            let part = clear[start..<min(start + width, clear.count)]
            let hashes = try await withThrowingTaskGroup { group in
                for index in part {
                    group.addTask { (index, try await hash(rows[index], plan)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for index in part { users[index].passwordHash = hashes[index] ?? nil }
        }
        return users
    }

    private func hash(_ row: UserRow, _ plan: UserImportPlan) async throws -> String? {
        guard let password = row.password else { return nil }
        if let stored = try await account(of: row.user)?.passwordHash {
            guard plan.replacesPasswords else { return nil }
            guard try await passwords.check(password, against: stored) == .wrong else { return nil }
        }
        // A dry run writes nothing, so it does not matter.
        return plan.isRehearsal ? "" : try await passwords.hash(password)
    }

    private func account(of user: ImportedUser) async throws -> Account? {
        if let id = user.id { return try await users.account(id) }
        for identifier in user.identifiers.keys {
            if let account = try await users.account(identifier) { return account }
        }
        return nil
    }
}
