import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: every settings action, by the SDK at our server")
struct SettingsChangesEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    /// How an app has a change made.
    enum Way: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case perform, startAndFinish
        var testDescription: String { rawValue }
    }

    /// A signed-in app, its user, and its server.
    private struct World {
        let server: TestServer
        let person: SettingsPerson
        let auth: Keyturn
        let before: KeptAccount?

        func make(_ change: SettingsMethods.Change, _ way: Way, _ callback: String) async throws {
            switch way {
            case .perform: try await auth.settings.perform(change, redirectURI: callback)
            case .startAndFinish:
                let url = try await auth.settings.start(change, redirectURI: callback)
                try await auth.settings.finish(change, callbackURL: try await person.walk(url))
            }
        }
    }

    private func world(_ action: SettingsActionCase, cancelsAt number: Int? = nil) async throws -> World {
        // Passkeys belong to a name, not to an address.
        let server = try await TestServer.start(
            issuer: "http://localhost:8080", methodSettings: MethodSettings(offersUsernames: true),
            connections: [.scripted()], protocols: ConnectionProtocols(openID: ScriptedProvider(.person())))
        let person = SettingsPerson(server)
        try await action.prepare(server, person)
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test"), storage: .memory, browser: person,
            transport: RehousedTransport(server), ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: callback)
        await person.plan(action.steps(server), cancelsAt: number)
        return World(server: server, person: person, auth: auth, before: try await KeptAccount(server))
    }

    @Test(arguments: SettingsActionCase.all, Way.allCases)
    func `it is done, the account has it, and nothing else has changed`(_ action: SettingsActionCase, _ way: Way)
        async throws
    {
        let world = try await world(action)
        var expected = world.before
        action.effect(&expected)
        try await world.make(action.change, way, callback)
        let after = try await KeptAccount(world.server)
        #expect(after == expected)
        #expect(await world.auth.state.isSignedIn == (after != nil))
        if after != nil { _ = try await world.auth.forceRefresh() }
        await world.server.stop()
    }

    @Test(arguments: SettingsActionCase.all, Way.allCases)
    func `a user who cancels is a cancel, on every page, and leaves everything as it was`(
        _ action: SettingsActionCase, _ way: Way
    ) async throws {
        for number in action.cancellable {
            let world = try await world(action, cancelsAt: number)
            let error = await #expect(throws: AuthError.self) { try await world.make(action.change, way, callback) }
            #expect(error?.code == .cancelled, "on page \(number): \(String(describing: error))")
            #expect(try await KeptAccount(world.server) == world.before)
            _ = try await world.auth.forceRefresh()
            await world.server.stop()
        }
    }
}
