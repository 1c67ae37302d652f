internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// `keyturn audit`: what mattered for security, and who did it.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show the audit log: sign-ins, refusals, and every change.",
        discussion: """
            The newest events come last. Conditions that are given must all hold:

              keyturn audit --user ann@example.com --since 7d
              keyturn audit --action sign_in.failed --action sign_in.throttled --since 1h
              keyturn audit --client web --since 2026-11-01 --until 2026-11-30 --json
              keyturn audit --follow

            Changes by these commands are done by operator:NAME, the system user; changes by the management interface \
            by management:DIGEST, the beginning of the key's SHA-256. Events are kept for a year and hold no secret.
            """)

    @OptionGroup var options: AdministrationOptions
    @Option(help: "Events of this user: a login ID, or the sub, also of a user who is deleted.") var user: String?
    @Option(help: "Events of this client.") var client: String?
    @Option(help: "Events of this kind, such as sign_in.failed; may be repeated.") var action: [String] = []
    @Option(
        help: ArgumentHelp(
            "From this time on: 30m, 12h or 7d ago, 2026-11-22, or 2026-11-22T06:30:00Z.", valueName: "time"))
    var since: AuditTime?
    @Option(help: ArgumentHelp("Up to this time, written like --since; a day counts whole.", valueName: "time"))
    var until: AuditTime?
    @Option(help: "Show at most so many, the newest.") var limit = 50
    @Flag(help: "Go on showing events as they happen, until Ctrl-C. With --json: one object a line.") var follow = false

    func validate() throws {
        guard (1...Limits.auditOfPageMax).contains(limit) else {
            throw ValidationError("--limit is 1 to \(Limits.auditOfPageMax); narrow it down with --since and --until.")
        }
        guard action.count <= Limits.searchValuesMax else { throw ValidationError("--action is given too often.") }
        guard !follow || until == nil else { throw ValidationError("--follow has no --until.") }
    }

    func run() async throws {
        try await options.withStores { stores in
            var query = try await query(stores)
            query.limit = limit
            guard follow else {
                let records = Array(try await stores.audit.records(query).reversed())
                return show(records, AuditTable(records))
            }
            // Before the search: an event in between is shown by it, or is new.
            var follower = AuditFollower(last: try await stores.audit.lastNumber())
            try await news(query, stores, &follower) { _ in }
            let records = Array(try await stores.audit.records(query).reversed())
            _ = follower.new(records, at: Ambient.live.now())
            let table = AuditTable(records)
            if options.json { records.forEach(line) } else { Live.write(table.header + table.lines(records)) }
            try await follow(query, stores, &follower, table)
        }
    }

    private func show(_ records: [AuditRecord], _ table: AuditTable) {
        guard !options.json else { return Report.json(.array(records.map(\.json))) }
        guard !records.isEmpty else { return print("No such events.") }
        Live.write(table.header + table.lines(records))
        guard records.count == limit else { return }
        // A program that reads the table must not take this for a row.
        Live.writeError("There may be older ones: say --limit, or --until.\n")
    }

    private func follow(
        _ query: AuditQuery, _ stores: Stores, _ follower: inout AuditFollower, _ table: AuditTable
    ) async throws {
        while true {
            try await news(query, stores, &follower) { records in
                if options.json { records.forEach(line) } else { Live.write(table.lines(records)) }
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    /// Every event that was not seen yet, in pages.
    private func news(
        _ query: AuditQuery, _ stores: Stores, _ follower: inout AuditFollower, _ show: ([AuditRecord]) -> Void
    ) async throws {
        var query = query
        (query.after, query.order, query.limit) = (follower.after, .oldestFirst, Limits.auditOfPageMax)
        while true {
            let records = try await stores.audit.records(query)
            let new = follower.new(records, at: Ambient.live.now())
            if !new.isEmpty { show(new) }
            guard let last = records.last, records.count == query.limit else { break }
            query.after = last.number
        }
        follower.advance(at: Ambient.live.now())
    }

    /// The server itself writes events once a second.
    private static let pollInterval = Duration.seconds(1)

    private func line(_ record: AuditRecord) {
        Live.write(String(decoding: record.json.serialized, as: UTF8.self) + "\n")
    }

    private func query(_ stores: Stores) async throws -> AuditQuery {
        var query = AuditQuery()
        query.kinds = action.map(AuditEvent.Kind.init(rawValue:))
        query.clients = client.map { [$0] } ?? []
        if let user {
            var found: Account?
            if let identifier = Identifier(loginID: user) { found = try await stores.users.account(identifier) }
            query.users = [found?.user.id ?? UserID(rawValue: user)]
        }
        let now = Ambient.live.now()
        query.from = since?.first(at: now)
        query.to = until?.last(at: now)
        return query
    }
}

extension AuditRecord {
    /// The event as programs read it; what does not apply is left out.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "number": .integer(number), "at": .integer(event.at.rawValue), "action": .string(event.kind.rawValue),
        ]
        let texts = [
            "user": event.userID?.rawValue, "client": event.clientID, "session": event.sessionID?.rawValue,
            "address": event.address, "reason": event.reason, "actor": event.actor, "target": event.target,
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        if !loginIDs.isEmpty { members["login_ids"] = .array(loginIDs.map(JSONValue.string)) }
        if !tenants.isEmpty { members["tenants"] = .array(tenants.map(JSONValue.string)) }
        return .object(members)
    }
}
