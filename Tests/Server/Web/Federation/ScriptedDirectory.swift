import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization

/// A directory of the test's people. What real ones send is tested with a real one.
final class ScriptedDirectory: PasswordDirectory {
    struct Person: Sendable {
        var profile: FederatedProfile
        var password: String
        var names: Set<String>
        var isDisabled = false
    }

    private struct State {
        var people: [Person] = []
        var problem: ConnectionProblem?
        var searches: [String] = []
        var binds: [String?] = []
    }

    private let state = Mutex(State())

    func add(_ person: Person) { state.withLock { $0.people.append(person) } }
    func change(_ subject: String, _ change: @Sendable (inout Person) -> Void) {
        state.withLock { state in
            for index in state.people.indices where state.people[index].profile.subject == subject {
                change(&state.people[index])
            }
        }
    }
    func remove(_ subject: String) { state.withLock { $0.people.removeAll { $0.profile.subject == subject } } }
    func fails(_ problem: ConnectionProblem?) { state.withLock { $0.problem = problem } }
    /// Names that were searched.
    var searches: [String] { state.withLock { $0.searches } }
    /// Subjects that were bound with; `nil`: of nobody.
    var binds: [String?] { state.withLock { $0.binds } }

    func find(_ name: String, at connection: Connection) async throws(ConnectionProblem) -> DirectoryEntry? {
        try state.withLock { state throws(ConnectionProblem) in
            state.searches.append(name)
            if let problem = state.problem { throw problem }
            let found = state.people.filter { $0.names.contains(name) }
            return found.count == 1 ? Self.entry(found[0]) : nil
        }
    }

    func find(subject: String, at connection: Connection) async throws(ConnectionProblem) -> DirectoryEntry? {
        try state.withLock { state throws(ConnectionProblem) in
            if let problem = state.problem { throw problem }
            return state.people.first { $0.profile.subject == subject }.map(Self.entry)
        }
    }

    func check(_ password: Secret, of entry: DirectoryEntry?, at connection: Connection)
        async throws(ConnectionProblem) -> DirectoryVerdict
    {
        try state.withLock { state throws(ConnectionProblem) in
            state.binds.append(entry?.profile.subject)
            if let problem = state.problem { throw problem }
            let person = state.people.first { $0.profile.subject == entry?.profile.subject }
            return person?.password == password.exposed() && person?.isDisabled == false
                ? .right : .wrong(reason: "wrong")
        }
    }

    private static func entry(_ person: Person) -> DirectoryEntry {
        DirectoryEntry(
            name: "uid=\(person.profile.subject),dc=acme", isDisabled: person.isDisabled, profile: person.profile)
    }
}

/// A server with a scripted directory.
struct DirectoryFixture {
    let server: TestServer
    let directory: ScriptedDirectory

    static let password = "the-password-at-the-directory"

    static func profile(
        _ subject: String = "jane", email: String? = "jane@a.example", trust: FederatedProfile.EmailTrust = .trusted,
        groups: [String]? = nil
    ) -> FederatedProfile {
        FederatedProfile(
            issuer: "ldap", subject: subject, email: email, emailTrust: trust, claims: ["name": "Jane Doe"],
            groups: groups, methods: ["pwd"])
    }

    static func connection(tenant: String? = nil, roles: [String: String] = [:]) -> Connection {
        Connection(
            id: "staff", tenantID: tenant, name: "Acme directory", domains: tenant == nil ? [] : ["a.example"],
            roles: roles,
            settings: .ldap(
                LDAPConnectionSettings(url: "ldaps://d.example", bindDN: "cn=s", bindPassword: "s", baseDN: "dc=a")),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
    }

    static func start(
        _ profile: FederatedProfile = profile(), at connection: Connection = connection(),
        journeys: [Journey] = [], onStatement: (@Sendable (String) -> Void)? = nil
    ) async throws -> DirectoryFixture {
        let directory = ScriptedDirectory()
        directory.add(.init(profile: profile, password: password, names: ["jane", "jane@a.example"]))
        let server = try await TestServer.start(
            project: { Project(id: "test", name: "Test", issuer: $0, journeys: journeys) }, trustsForwarding: true,
            connections: [connection], passwordDirectory: directory, onStatement: onStatement)
        if let tenant = connection.tenantID {
            try await server.services.stores.tenants.create(
                Tenant(id: tenant, name: "A", createdAt: UnixTime(rawValue: 0)))
            try await server.services.directory.reload()
        }
        return DirectoryFixture(server: server, directory: directory)
    }

    /// Types a name and a password on the first page.
    func type(_ name: String, _ password: String = Self.password, in browser: ScriptedBrowser? = nil) async throws
        -> ScriptedBrowser.Screen
    {
        let browser = browser ?? server.browser()
        let page = try await server.loginPage(browser)
        return try await browser.submit(page, ["username": name, "password": password])
    }

    func signsIn(_ name: String, _ password: String = Self.password) async throws -> Bool {
        let browser = server.browser()
        let done = try await server.complete(
            try await server.loginPage(browser), in: browser, username: name, password: password)
        return try FederationFixture.hasCode(done)
    }

    /// Signs in by the methods' wire.
    func call(_ name: String, _ password: String = Self.password) async throws -> EndpointAnswer {
        try await server.method(
            "password/signin", nil, ["loginId": .string(name), "password": .string(password)])
    }

    var holder: UserID? {
        get async throws {
            try await server.services.stores.identities.identity(Self.profile().key(at: "staff"))?.userID
        }
    }
}
