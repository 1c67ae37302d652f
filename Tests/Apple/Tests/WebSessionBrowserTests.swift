import AuthenticationServices
import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("The browser sheet")
    @MainActor struct WebSessionBrowserTests {
        let system = StandInBrowser.shared
        let window = ASPresentationAnchor()
        static let page = "https://id.example.com/authorize?state=s"
        static let callback = "myapp://callback?code=c&state=s"

        init() {
            StandInBrowser.shared.reset()
        }

        func webSession(
            _ redirectURI: String = "myapp://callback", isEphemeral: Bool = false
        ) async throws -> any WebAuthenticationSession {
            let window = window
            return try await WebSessionBrowser(isEphemeral: isEphemeral) { window }.prepare(redirectURI: redirectURI)
        }

        func outcome(_ answers: [StandInBrowser.Answer]) async throws -> Result<String, AuthError> {
            system.answers = answers
            let webSession = try await webSession()
            do throws(AuthError) {
                return .success(try await webSession.open(Self.page, state: "s"))
            } catch {
                return .failure(error)
            }
        }

        func failure(_ answers: StandInBrowser.Answer...) async throws -> AuthError {
            switch try await outcome(answers) {
            case .success: throw AuthError(.refused, "this was to fail")
            case .failure(let error): error
            }
        }

        @Test func `brings back the callback`() async throws {
            let result = try await outcome([.callback(Self.callback)])
            #expect(try result.get() == Self.callback)
            let sheet = try #require(system.sheets.first)
            #expect(sheet.url == Self.page)
            #expect(sheet.watched == "myapp:")
            #expect(sheet.window === window)
            #expect(!sheet.isEphemeral)
        }

        @Test func `is ephemeral when asked`() async throws {
            system.answers = [.callback(Self.callback)]
            _ = try await webSession(isEphemeral: true).open(Self.page, state: "s")
            #expect(system.sheets.map(\.isEphemeral) == [true])
        }

        @Test func `watches for a page of the app's domain`() async throws {
            system.answers = [.callback("https://app.example.com/back?code=c")]
            let webSession = try await webSession("https://app.example.com/back")
            #expect(webSession.redirectURI == "https://app.example.com/back")
            #expect(try await webSession.open(Self.page, state: "s") == "https://app.example.com/back?code=c")
            #expect(system.sheets.map(\.watched) == ["https://app.example.com/back"])
        }

        @Test func `the first of several answers counts, whatever follows`() async throws {
            for _ in 0..<50 {
                let twice = try await outcome([.callback(Self.callback), .callback("myapp://callback?code=other")])
                #expect(try twice.get() == Self.callback)
                let cancelled = try await failure(
                    .failure(ASWebAuthenticationSessionError(.canceledLogin)), .callback(Self.callback), .nothing)
                #expect(cancelled.code == .cancelled)
            }
        }

        @Test func `a person who gives up is told from a task that ends, and both from a failure`() async throws {
            let person = try await failure(.failure(ASWebAuthenticationSessionError(.canceledLogin)))
            #expect(person.code == .cancelled)
            #expect(!person.isTaskCancelled)
            let other = try await failure(.failure(ASWebAuthenticationSessionError(.fromTheFuture)))
            #expect(other.code == .unavailable)
            #expect(try await failure(.failure(URLError(.timedOut))).code == .unavailable)
            #expect(try await failure(.nothing).code == .unavailable)
        }

        @Test func `a domain that is not associated looks cancelled and is not`() async throws {
            let reason = [NSLocalizedFailureReasonErrorKey: "Application is not associated with domain"]
            let error = try await failure(
                .failure(ASWebAuthenticationSessionError(.canceledLogin, userInfo: reason)))
            #expect(error.code == .misconfigured)
            #expect(error.detail.contains("webcredentials"))
        }

        @Test(arguments: [
            ASWebAuthenticationSessionError.Code.presentationContextNotProvided, .presentationContextInvalid,
        ])
        func `a window that will not do is the app's fault`(_ code: ASWebAuthenticationSessionError.Code) async throws {
            #expect(try await failure(.failure(ASWebAuthenticationSessionError(code))).code == .misconfigured)
        }

        @Test func `a sheet that does not start is unavailable`() async throws {
            system.starts = false
            #expect(try await failure().code == .unavailable)
        }

        @Test func `without a window nothing is shown`() async throws {
            let webSession = try await WebSessionBrowser { nil }.prepare(redirectURI: "myapp:/callback")
            await #expect(throws: AuthError(.misconfigured, "")) {
                _ = try await webSession.open(Self.page, state: "s")
            }
            #expect(system.sheets.isEmpty)
        }

        @Test func `the sheet goes when the task is cancelled`() async throws {
            let webSession = try await webSession()
            let shown = AsyncStream.makeStream(of: Void.self)
            system.onShow = { shown.continuation.yield() }
            let task = Task { try await webSession.open(Self.page, state: "s") }
            for await _ in shown.stream { break }
            task.cancel()
            let error = await #expect(throws: AuthError.self) { _ = try await task.value }
            #expect(error?.isTaskCancelled == true)
            #expect(system.cancels == 1)
        }

        @Test func `a task that is cancelled already shows nothing`() async throws {
            let webSession = try await webSession()
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await webSession.open(Self.page, state: "s")
            }
            let error = await #expect(throws: AuthError.self) { _ = try await task.value }
            #expect(error?.isTaskCancelled == true)
            #expect(system.sheets.isEmpty)
        }

        @Test func `closing ends the wait and takes the sheet away, even if the system stays silent`() async throws {
            let webSession = try await webSession()
            let shown = AsyncStream.makeStream(of: Void.self)
            system.onShow = { shown.continuation.yield() }
            let task = Task { try await webSession.open(Self.page, state: "s") }
            for await _ in shown.stream { break }
            await webSession.close()
            let error = await #expect(throws: AuthError.self) { _ = try await task.value }
            #expect(error?.code == .cancelled)
            #expect(error?.isTaskCancelled == false)
            #expect(system.cancels == 1)
            await webSession.close()
        }

        @Test func `two visits at a time get each its own answer`() async throws {
            let (first, second) = (try await webSession(), try await webSession())
            let shown = AsyncStream.makeStream(of: Void.self)
            system.onShow = { shown.continuation.yield() }
            let waiting = Task { try await first.open(Self.page, state: "s") }
            for await _ in shown.stream { break }
            await #expect(throws: AuthError(.misconfigured, "")) { _ = try await first.open(Self.page, state: "s") }
            system.answers = [.callback(Self.callback)]
            #expect(try await second.open(Self.page, state: "s") == Self.callback)
            waiting.cancel()
            await #expect(throws: AuthError(.cancelled, "")) { _ = try await waiting.value }
        }

        @Test(arguments: [
            "http://127.0.0.1/callback", "http://example.com", "javascript:alert(1)", "callback", "", "myapp://a#b",
            "https://app.example.com:444/back", "https://user@app.example.com/back", "https:///back", "my app://a",
            "file:///etc", "about:blank",
        ])
        func `a redirect URI that no sheet receives is refused`(_ redirectURI: String) async {
            await #expect(throws: AuthError(.misconfigured, "")) { _ = try await webSession(redirectURI) }
        }

        @Test(arguments: [
            ("MyApp://callback", WebCallback.scheme("myapp")),
            ("com.example.app:/callback", .scheme("com.example.app")),
            ("https://app.example.com", .page(host: "app.example.com", path: "/")),
            ("https://app.example.com/a/b?c=d", .page(host: "app.example.com", path: "/a/b")),
        ])
        func `redirect URIs are watched for as they are meant`(_ redirectURI: String, _ callback: WebCallback) {
            #expect(WebCallback(redirectURI: redirectURI) == callback)
        }
    }
}
