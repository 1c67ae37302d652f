internal import ArgumentParser
internal import Delivery
internal import KeyturnBase
internal import Model

/// `keyturn audit show`, or `keyturn audit` alone: what mattered for security, and who did it.
struct AuditShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show events, the newest last; follow them as they happen.")

    @OptionGroup var options: AdministrationOptions
    @OptionGroup(title: "Through the network") var network: NetworkOptions
    @OptionGroup var conditions: AuditConditions
    @Option(help: "Show at most so many, the newest.") var limit = 50
    @Flag(help: "Go on showing events as they happen, until Ctrl-C. With --json: one object a line.") var follow = false

    func validate() throws {
        guard (1...Limits.auditOfPageMax).contains(limit) else {
            throw ValidationError("--limit is 1 to \(Limits.auditOfPageMax); narrow it down with --since and --until.")
        }
        guard !follow || conditions.until == nil else { throw ValidationError("--follow has no --until.") }
    }

    func run() async throws {
        if let server = try await network.remote(options) { return try await run(on: server) }
        try await options.withStores { stores in
            var query = try await conditions.query(stores)
            query.limit = limit
            guard follow else {
                let records = Array(try await stores.audit.records(query).reversed())
                return show(records, AuditTable(records))
            }
            // Before the search: an event in between is shown by it, or is new.
            var follower = AuditFollower(last: try await stores.audit.head().number)
            try await news(query, stores, &follower) { _ in }
            let records = Array(try await stores.audit.records(query).reversed())
            _ = follower.new(records, at: Ambient.live.now())
            let table = AuditTable(records)
            if options.json { records.forEach(line) } else { Live.write(table.header + table.lines(records)) }
            try await follow(query, stores, &follower, table)
        }
    }

    func show(_ records: [AuditRecord], _ table: AuditTable) {
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
}
