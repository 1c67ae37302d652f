internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn sessions`: who is signed in on this machine, under which names.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the sessions that this machine keeps.",
        discussion: "Asks no network: a session that the service has ended meanwhile is listed until it is used.")

    @Option(help: ArgumentHelp("Only this one.", valueName: "container"))
    var name: String?

    @Flag(help: "Print one JSON array instead of text.")
    var json = false

    private struct Entry {
        let name: String
        let service: Service
        var idToken: IDToken?
        /// What the session says of its person.
        var claims: [String: JSONValue] = [:]
        /// Who signed in last under this name.
        var known: ServiceChoice.Person?
        /// Why it cannot be read, if it cannot.
        var problem: String?

        var subject: String? { claims["sub"]?.stringValue }

        /// A name or an address, before the identifier.
        var person: String {
            WhoamiCommand.name(in: claims, known: known).map(WhoamiCommand.printable) ?? subject ?? problem ?? ""
        }
    }

    func run() async throws {
        var entries: [Entry] = []
        for name in name.map({ [$0] }) ?? Self.names() {
            if let entry = await Self.entry(name) { entries.append(entry) }
        }
        guard !json else { return Report.json(.array(entries.map(Self.json))) }
        guard !entries.isEmpty else { return Live.write("Nobody is signed in. Run `keyturn login --issuer URL`.\n") }
        Report.table(
            ["NAME", "PERSON", "CLIENT", "ISSUER"],
            entries.map { [$0.name, $0.person, $0.service.clientID, $0.service.issuer] })
    }

    private static func names() -> [String] {
        // Other programs of this user have containers of their own, which are not listed. `default` is this command line's,
        // or what an earlier release left there.
        Set(KnownContainers.live?.read().keys ?? [:].keys).union(["default"]).sorted()
    }

    private static func entry(_ name: String) async -> Entry? {
        do throws(AuthError) {
            guard let auth = try await Keyturn.stored(name: name, transport: NetworkTransport()) else { return nil }
            let state = try await LockState(auth).kind
            var problem: String?
            if case .locked = state { problem = "(locked)" }
            let idToken = await auth.idToken
            return Entry(
                name: name, service: auth.service, idToken: idToken,
                claims: idToken?.claims ?? auth.sessionManager.session?.userClaims ?? [:],
                known: KnownContainers.live?.read()[name]?.person, problem: problem)
        } catch {
            guard let choice = KnownContainers.live?.read()[name] else { return nil }
            return Entry(name: name, service: choice.value, problem: "(\(error.code.rawValue))")
        }
    }

    private static func json(_ entry: Entry) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(entry.name), "issuer": .string(entry.service.issuer),
            "client_id": .string(entry.service.clientID),
        ]
        members["subject"] = entry.subject.map { .string($0) }
        members["person"] = entry.subject == nil ? nil : .string(entry.person)
        members["auth_time"] = entry.idToken?.authTime.map { .integer($0.rawValue) }
        members["problem"] = entry.problem.map { .string($0) }
        return .object(members)
    }
}
