internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// Which events a command is about. Conditions that are given must all hold.
struct AuditConditions: ParsableArguments {
    @Option(help: "Events of this user: a login ID, or the sub, also of a user who is deleted.") var user: String?
    @Option(help: "Events of this client.") var client: String?
    @Option(help: "Events of this kind, such as sign_in.failed; may be repeated.") var action: [String] = []
    @Option(
        help: ArgumentHelp(
            "From this time on: 30m, 12h or 7d ago, 2026-11-22, or 2026-11-22T06:30:00Z.", valueName: "time"))
    var since: AuditTime?
    @Option(help: ArgumentHelp("Up to this time, written like --since; a day counts whole.", valueName: "time"))
    var until: AuditTime?

    func validate() throws {
        guard action.count <= Limits.searchValuesMax else { throw ValidationError("--action is given too often.") }
    }

    func query(_ stores: Stores) async throws -> AuditQuery {
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
