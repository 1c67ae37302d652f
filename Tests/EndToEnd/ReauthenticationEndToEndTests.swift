import Foundation
import Keyturn
import KeyturnBase
import ServerTesting
import Testing

@Suite("End to end: a reauthentication by another person")
struct ReauthenticationEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"

    /// In the browser of the first user, and in one that knows neither.
    @Test(arguments: [true, false])
    func `another person on the page gets no further, and the app is told why`(isOwnBrowser: Bool) async throws {
        let server = try await TestServer.start()
        try await server.addSecondUser()
        let desk = SharedBrowser(server)
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test"), storage: .memory, browser: desk,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: Self.callback)
        let before = await auth.idToken
        await desk.seatSecondUser()
        if !isOwnBrowser { await desk.forgetEverything() }
        let error = await #expect(throws: AuthError(.differentPerson, "")) {
            try await auth.reauthenticate(redirectURI: Self.callback, maxAge: 0)
        }
        #expect(error?.server?.code == "login_required")
        #expect(await auth.idToken?.compact == before?.compact)
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await server.liveClients() == ["tool"])
        await server.stop()
    }
}
