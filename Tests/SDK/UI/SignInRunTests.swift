import Keyturn
import KeyturnBase
import ServerTesting
import Testing

@testable import KeyturnUI

@Suite("A sign-in that a view begins")
@MainActor struct SignInRunTests {
    /// What was reported, in order.
    final class Reports {
        var codes: [AuthError.Code?] = []
    }

    private func ends(_ run: SignInRun) async throws {
        for _ in 0..<2_000 where run.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        #expect(!run.isRunning)
    }

    @Test func `signs in once, however often it is begun`() async throws {
        let world = try await ModelWorld()
        let auth = world.container()
        let (run, reports) = (SignInRun(), Reports())
        for _ in 0..<3 {
            run.begin { () async throws(AuthError) in
                try await auth.authorize(ModelWorld.options)
            } report: {
                reports.codes.append($0?.code)
            }
        }
        #expect(run.isRunning)
        try await ends(run)
        #expect(reports.codes == [nil])
        #expect(await auth.state.isSignedIn)
        await world.server.stop()
    }

    @Test func `a user who gives up has not failed, and anything else has`() async throws {
        let world = try await ModelWorld()
        let (run, reports) = (SignInRun(), Reports())
        let auth = world.container(.givesUp)
        run.begin { () async throws(AuthError) in
            try await auth.authorize(ModelWorld.options)
        } report: {
            reports.codes.append($0?.code)
        }
        try await ends(run)
        #expect(reports.codes == [nil])
        await world.server.stop()
        let offline = world.container()
        run.begin { () async throws(AuthError) in
            try await offline.authorize(ModelWorld.options)
        } report: {
            reports.codes.append($0?.code)
        }
        try await ends(run)
        #expect(reports.codes == [nil, nil, .unavailable])
    }

    @Test func `ends with its view, and reports nothing any more`() async throws {
        let (started, cancelled) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let reports = Reports()
        var run: SignInRun? = SignInRun()
        run?.begin { () async throws(AuthError) in
            started.continuation.yield()
            try? await Task.sleep(for: .seconds(60))
            if Task.isCancelled { cancelled.continuation.yield() }
            throw AuthError(.unavailable, "late")
        } report: {
            reports.codes.append($0?.code)
        }
        for await _ in started.stream { break }
        run = nil
        for await _ in cancelled.stream { break }
        for _ in 0..<20 { await Task.yield() }
        #expect(reports.codes == [nil])
    }
}

@Suite("The window that sheets are shown over")
@MainActor struct PresentationWindowTests {
    /// Stands for a window.
    final class Window: Sendable {}

    @Test func `is the one that was named, in tasks below as well, and none afterwards`() async throws {
        let window = Window()
        #expect(PresentationWindow.current == nil)
        try await PresentationWindow.over(window) { () async throws(AuthError) in
            #expect(PresentationWindow.current === window)
            await Task { @MainActor in #expect(PresentationWindow.current === window) }.value
        }
        #expect(PresentationWindow.current == nil)
    }

    @Test func `is known to a browser that the container calls`() async throws {
        let world = try await ModelWorld()
        let window = Window()
        let browser = NotingBrowser(person: PersonAtBrowser(browser: world.server.browser()))
        let auth = Keyturn(
            .keyturn(issuer: world.server.issuer, clientID: "tool"), storage: .memory, browser: browser,
            transport: DatedTransport(world.server.clock), ambient: world.server.clock.ambient)
        let scene = SceneWindow()
        scene.window = window
        try await SceneWindow.present(over: scene) { () async throws(AuthError) in
            try await auth.authorize(ModelWorld.options)
        }
        #expect(browser.seen.withLock { $0 } === window)
        await world.server.stop()
    }

    @Test func `errors pass through`() async throws {
        await #expect(throws: AuthError(.refused, "")) {
            try await PresentationWindow.over(Window()) { () async throws(AuthError) in
                throw AuthError(.refused, "no")
            }
        }
    }

    @Test func `is not kept alive by tasks that go on`() async throws {
        var window: Window? = Window()
        let (closed, closing) = AsyncStream.makeStream(of: Void.self)
        let scene = SceneWindow()
        scene.window = window
        var task: Task<Bool, Never>?
        try await SceneWindow.present(over: scene) { () async throws(AuthError) in
            task = Task { @MainActor in
                for await _ in closed { break }
                return PresentationWindow.current == nil
            }
        }
        window = nil
        #expect(scene.window == nil)
        closing.yield()
        #expect(await task?.value == true)
    }

    /// Notes over which window its sheet would be.
    struct NotingBrowser: BrowserAgent {
        let person: PersonAtBrowser
        let seen = Locked<Window?>(nil)

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            Session(inner: try await person.prepare(redirectURI: redirectURI), seen: seen)
        }

        struct Session: WebAuthenticationSession {
            let inner: any WebAuthenticationSession
            let seen: Locked<Window?>
            var redirectURI: String { inner.redirectURI }

            func open(_ url: String, state: String) async throws(AuthError) -> String {
                let window = await MainActor.run { PresentationWindow.current as? Window }
                seen.withLock { $0 = window }
                return try await inner.open(url, state: state)
            }

            func close() async { await inner.close() }
        }
    }
}
