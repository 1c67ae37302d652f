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
        let idToken: IDToken?
        /// Why it cannot be read, if it cannot.
        let problem: String?

        var person: String {
            idToken?.claims["email"]?.stringValue ?? idToken?.subject ?? problem ?? ""
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
        // Other programs of this user have containers as well; `default` is listed even if it is theirs.
        Set(KnownContainers.live?.read().keys ?? [:].keys).union(["default"]).sorted()
    }

    private static func entry(_ name: String) async -> Entry? {
        do throws(AuthError) {
            guard let auth = try await Keyturn.stored(name: name, transport: NetworkTransport()) else { return nil }
            let state = try await LockState(auth).kind
            var problem: String?
            if case .locked = state { problem = "(locked)" }
            return Entry(name: name, service: auth.service, idToken: await auth.idToken, problem: problem)
        } catch {
            guard let choice = KnownContainers.live?.read()[name] else { return nil }
            return Entry(name: name, service: choice.value, idToken: nil, problem: "(\(error.code.rawValue))")
        }
    }

    private static func json(_ entry: Entry) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(entry.name), "issuer": .string(entry.service.issuer),
            "client_id": .string(entry.service.clientID),
        ]
        members["subject"] = entry.idToken.map { .string($0.subject) }
        members["auth_time"] = entry.idToken?.authTime.map { .integer($0.rawValue) }
        members["problem"] = entry.problem.map { .string($0) }
        return .object(members)
    }
}
