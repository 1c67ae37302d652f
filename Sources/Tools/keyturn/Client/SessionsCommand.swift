internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn sessions`: who is signed in on this machine, under which names.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the sessions that this machine keeps, and where.",
        discussion: """
            Asks no network: a session that the service has ended meanwhile is listed until it is used. A session is \
            in the desktop's keyring, or else in a sealed file in the folder that is shown; it stays where it began.
            """)

    @Option(help: ArgumentHelp("Only this one.", valueName: "container"))
    var name: String?

    @Flag(help: "Print one JSON array instead of text.")
    var json = false

    func run() async throws {
        var entries: [SessionEntry] = []
        for name in name.map({ [$0] }) ?? Self.names() {
            if let entry = await SessionEntry.find(name) { entries.append(entry) }
        }
        guard !json else { return Report.json(.array(entries.map(\.json))) }
        guard !entries.isEmpty else {
            let login = Advice(name: name ?? Advice.plain.name, options: ["--issuer", "URL"]).login
            return Live.write("Nobody is signed in. Run `\(login)`.\n")
        }
        Report.table(["NAME", "PERSON", "CLIENT", "ISSUER", "STORED IN"], entries.map(\.row))
    }

    private static func names() -> [String] {
        // Other programs of this user have containers of their own, which are not listed. `default` is this command line's,
        // or what an earlier release left there.
        Set(KnownContainers.live?.read().keys ?? [:].keys).union([Advice.plain.name]).sorted()
    }
}

/// A line of the list.
private struct SessionEntry {
    let name: String
    /// `nil`: it cannot be read, and is not remembered elsewhere.
    var issuer: String?
    var clientID: String?
    var idToken: IDToken?
    /// What the session says of its person.
    var claims: [String: JSONValue] = [:]
    /// Who signed in last under this name.
    var known: ServiceChoice.Person?
    /// Why it cannot be used as it is, if it cannot.
    var problem: String?
    /// Whether a client signed in as itself.
    var isClient = false
    var place: SessionPlace?

    /// What is signed in under a name; `nil`: nothing.
    static func find(_ name: String) async -> SessionEntry? {
        let choice = KnownContainers.live?.read()[name]
        do throws(AuthError) {
            guard let auth = try await Keyturn.stored(name: name, transport: NetworkTransport()) else {
                return try await client(name)
            }
            return try await user(auth, name, choice)
        } catch {
            var entry = SessionEntry(name: name, issuer: choice?.issuer, clientID: choice?.clientID)
            entry.problem = "(\(error.code.rawValue))"
            return entry
        }
    }

    private static func user(
        _ auth: Keyturn, _ name: String, _ choice: ServiceChoice?
    ) async throws(AuthError) -> SessionEntry {
        var entry = SessionEntry(name: name, issuer: auth.service.issuer, clientID: auth.service.clientID)
        if case .locked = try await LockState(auth).kind { entry.problem = "(locked)" }
        if await auth.state.isInteractionRequired { entry.problem = "(sign in again)" }
        entry.idToken = await auth.idToken
        entry.claims = entry.idToken?.claims ?? auth.sessionManager.session?.userClaims ?? [:]
        entry.known = choice?.person
        entry.place = await SessionPlace.find(name)
        return entry
    }

    private static func client(_ name: String) async throws(AuthError) -> SessionEntry? {
        guard let client = try await StoredClients().find(name)?.client else { return nil }
        var entry = SessionEntry(name: name, issuer: client.issuer, clientID: client.clientID)
        entry.isClient = true
        entry.place = await SessionPlace.find(StoredClients.place(name))
        return entry
    }

    private var subject: String? { claims["sub"]?.stringValue }

    /// A name or an address, before the identifier.
    private var person: String? {
        WhoamiCommand.name(in: claims, known: known).map(WhoamiCommand.printable) ?? subject
    }

    var row: [String] {
        let who = [isClient ? "(the client itself)" : person, problem].compactMap(\.self).joined(separator: " ")
        return [name, who, clientID ?? "-", issuer ?? "-", LoginReport.word(place)]
    }

    var json: JSONValue {
        var members = LoginReport.members(place)
        members["name"] = .string(name)
        members["issuer"] = issuer.map { .string($0) }
        members["client_id"] = clientID.map { .string($0) }
        members["subject"] = subject.map { .string($0) }
        members["person"] = subject == nil ? nil : person.map { .string($0) }
        members["auth_time"] = idToken?.authTime.map { .integer($0.rawValue) }
        members["problem"] = problem.map { .string($0) }
        members["method"] = isClient ? "client_credentials" : nil
        return .object(members)
    }
}
