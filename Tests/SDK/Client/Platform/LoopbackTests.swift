#if os(Linux) || os(macOS)
    import Crypto
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("The loopback listener, RFC 8252 §7.3")
    struct LoopbackTests {
        static let state = "the-state"

        /// A sign-in that waits, and what to knock with.
        struct Waiting {
            let webSession: any WebAuthenticationSession
            let callback: Task<String, any Error>
            let port: UInt16

            init(
                path: String = "/callback", timeoutSeconds: Int64 = 20,
                page: String = "https://id.example.com/authorize"
            ) async throws {
                let agent = LoopbackBrowserAgent.announcing(timeoutSeconds: timeoutSeconds) { _ in }
                let webSession = try await agent.prepare(redirectURI: "http://127.0.0.1" + path)
                self.webSession = webSession
                callback = Task { try await webSession.open(page, state: state) }
                port = try #require(LoopbackRedirect(webSession.redirectURI)?.port)
            }

            /// Sends bytes and returns the whole answer.
            func knock(_ text: String) async throws -> String {
                let guest = try Knocker(port: port)
                guest.send(Array(text.utf8))
                return try await guest.answer()
            }

            func get(_ target: String, host: String? = nil) async throws -> String {
                try await knock("GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n")
            }
        }

        @Test func `the right callback ends the wait`() async throws {
            let waiting = try await Waiting()
            #expect(waiting.webSession.redirectURI == "http://127.0.0.1:\(waiting.port)/callback")
            let page = try await waiting.get("/callback?code=c&state=\(Self.state)")
            #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(page.contains("You can close this window"))
            #expect(page.contains("Content-Security-Policy: default-src 'none'"))
            #expect(page.contains("Cache-Control: no-store"))
            for outside in ["<script", "<img", "<link", "src=", "http://", "https://", Self.state] {
                #expect(!page.contains(outside))
            }
            #expect(try await waiting.callback.value == waiting.webSession.redirectURI + "?code=c&state=\(Self.state)")
        }

        @Test func `the way back from a sign-out has nothing but the state`() async throws {
            let waiting = try await Waiting(page: "https://id.example.com/end?post_logout_redirect_uri=http%3A%2F%2Fx")
            for other in ["/callback?state=guess", "/callback?state=\(Self.state)&x=1", "/callback"] {
                #expect(try await waiting.get(other).hasPrefix("HTTP/1.1 400"))
            }
            #expect(try await waiting.get("/callback?state=\(Self.state)").contains("Back to your app"))
            #expect(try await waiting.callback.value == waiting.webSession.redirectURI + "?state=\(Self.state)")
        }

        @Test func `the page takes its own style and nothing else`() async throws {
            let waiting = try await Waiting()
            let page = try await waiting.get("/nothing-here")
            let style = try #require(page.firstMatch(of: #/<style>([\s\S]*)<\/style>/#)?.1)
            let digest = Data(SHA256.hash(data: Array(style.utf8))).base64EncodedString()
            #expect(
                page.contains(
                    "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; "
                        + "form-action 'none'; frame-ancestors 'none'\r\n"))
            #expect(!page.contains("unsafe-inline") && style.contains("prefers-color-scheme:dark"))
            await waiting.webSession.close()
            waiting.callback.cancel()
        }

        @Test func `a refusal is a callback too`() async throws {
            let waiting = try await Waiting()
            let page = try await waiting.get("/callback?error=access_denied&state=\(Self.state)")
            #expect(page.contains("Not signed in"))
            #expect(try await waiting.callback.value.contains("error=access_denied"))
        }

        struct Stranger: Sendable, CustomTestStringConvertible {
            let name: String
            let request: @Sendable (UInt16) -> String
            let status: String
            var testDescription: String { name }

            init(_ name: String, _ status: String, _ request: @escaping @Sendable (UInt16) -> String) {
                self.name = name
                self.request = request
                self.status = status
            }
        }

        static func get(_ target: String) -> @Sendable (UInt16) -> String {
            { "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\n\r\n" }
        }

        static let strangers = [
            Stranger("an icon", "404", get("/favicon.ico")),
            Stranger("another path", "404", get("/callback/x?code=c&state=\(state)")),
            Stranger("a wrong state", "400", get("/callback?code=evil&state=guess")),
            Stranger("no state", "400", get("/callback?code=evil")),
            Stranger("state twice", "400", get("/callback?code=evil&state=\(state)&state=\(state)")),
            Stranger("no query", "400", get("/callback")),
            Stranger("neither code nor error", "400", get("/callback?state=\(state)")),
            Stranger("a post", "405") {
                "POST /callback?code=c&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\n\r\n"
            },
            Stranger("a look without a visit", "405") {
                "HEAD /callback?code=c&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\n\r\n"
            },
            Stranger("another host (DNS rebinding)", "400") { _ in
                "GET /callback?code=c&state=\(state) HTTP/1.1\r\nHost: evil.example.com\r\n\r\n"
            },
            Stranger("no host", "400") { _ in "GET /callback?code=c&state=\(state) HTTP/1.1\r\n\r\n" },
            Stranger("two hosts", "400") {
                "GET /callback?code=c&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\($0)\r\nHost: 127.0.0.1:\($0)\r\n\r\n"
            },
            Stranger("not HTTP", "400") { _ in "hello\r\n\r\n" },
            Stranger("not a path", "400") { _ in "GET http://127.0.0.1/callback HTTP/1.1\r\n\r\n" },
            Stranger("a NUL", "400") { _ in "GET /\0 HTTP/1.1\r\n\r\n" },
            Stranger("something huge", "431") { _ in
                "GET /callback HTTP/1.1\r\nX: " + String(repeating: "a", count: 52_000)
            },
            Stranger("a callback longer than any", "431") { port in
                "GET /callback?code=c&state=\(state)&x=\(String(repeating: "a", count: 33_000)) HTTP/1.1\r\n"
                    + "Host: 127.0.0.1:\(port)\r\n\r\n"
            },
        ]

        @Test(arguments: strangers)
        func `whoever else knocks is turned away, and the wait goes on`(_ stranger: Stranger) async throws {
            let waiting = try await Waiting()
            let answer = try await waiting.knock(stranger.request(waiting.port))
            #expect(answer.hasPrefix("HTTP/1.1 \(stranger.status) "))
            #expect(!answer.contains("evil"))
            _ = try await waiting.get("/callback?code=c&state=\(Self.state)")
            #expect(try await waiting.callback.value.hasSuffix("?code=c&state=\(Self.state)"))
        }

        @Test func `those who say nothing keep nobody from coming in`() async throws {
            let waiting = try await Waiting()
            let silent = try (0..<30).map { _ in try Knocker(port: waiting.port) }
            silent[0].send(Array("GET /call".utf8))
            _ = try await waiting.get("/callback?code=c&state=\(Self.state)")
            #expect(try await waiting.callback.value.contains("code=c"))
        }

        @Test func `a request in pieces is put together`() async throws {
            let waiting = try await Waiting()
            let guest = try Knocker(port: waiting.port)
            let pieces = [
                "GET /callback?code=c&st", "ate=\(Self.state) HTTP/1.1\r\nHo", "st: localhost:\(waiting.port)\r\n",
                "\r\n",
            ]
            for piece in pieces {
                guest.send(Array(piece.utf8))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await guest.answer().hasPrefix("HTTP/1.1 200"))
            #expect(try await waiting.callback.value.contains("code=c"))
        }

        @Test func `afterwards nobody listens`() async throws {
            let waiting = try await Waiting()
            _ = try await waiting.get("/callback?code=c&state=\(Self.state)")
            _ = try await waiting.callback.value
            await waiting.webSession.close()
            #expect(throws: Knocker.Refused.self) { try Knocker(port: waiting.port) }
        }

        @Test func `cancelling the task ends the wait`() async throws {
            let waiting = try await Waiting()
            waiting.callback.cancel()
            await #expect(throws: AuthError(.cancelled, "")) { try await waiting.callback.value }
        }

        @Test func `closing ends the wait`() async throws {
            let waiting = try await Waiting()
            await waiting.webSession.close()
            await #expect(throws: AuthError(.cancelled, "")) { try await waiting.callback.value }
        }

        @Test func `a person who never comes back has cancelled`() async throws {
            let agent = LoopbackBrowserAgent.announcing { _ in }
            let redirect = try #require(LoopbackRedirect("http://127.0.0.1/callback"))
            let webSession = try LoopbackSession(
                redirectURI: redirect, launch: BrowserLaunch(startsBrowser: false, announce: { _ in }),
                timeoutSeconds: 0)
            await #expect(throws: AuthError(.cancelled, "")) { try await webSession.open("https://x", state: "s") }
            await #expect(throws: AuthError(.misconfigured, "")) { try await agent.prepare(redirectURI: "myapp://x") }
        }

        @Test(arguments: [
            "https://127.0.0.1/callback", "http://127.0.0.2/callback", "http://example.com/callback",
            "http://127.0.0.1.example.com/", "http://a@127.0.0.1/", "http://127.0.0.1:99999/", "http://127.0.0.1:x/",
            "http://127.0.0.1/callback?x=y", "http://127.0.0.1/#f", "http://127.0.0.1/a b", "myapp://callback",
            "http://127.0.0.1:+80/", "http://127.0.0.1:080/", "http://127.0.0.1:/", "http://127.1/", "http://[::1]/",
            "http://[::ffff:127.0.0.1]/", "http://app.localhost/", "HTTP://127.0.0.1/", "http://LOCALHOST/",
        ])
        func `only the loopback interface is listened on`(_ redirectURI: String) async throws {
            let agent = LoopbackBrowserAgent.announcing { _ in }
            await #expect(throws: AuthError(.misconfigured, "")) { try await agent.prepare(redirectURI: redirectURI) }
        }

        @Test func `a port that is taken is said to be`() async throws {
            let waiting = try await Waiting()
            let agent = LoopbackBrowserAgent.announcing { _ in }
            await #expect(throws: AuthError(.unavailable, "")) {
                try await agent.prepare(redirectURI: "http://127.0.0.1:\(waiting.port)/callback")
            }
        }

        @Test func `a whole sign-in over the loopback interface`() async throws {
            let world = try World()
            let (urls, sink) = AsyncStream.makeStream(of: String.self)
            let auth = Keyturn(
                .openID(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .memory,
                browser: LoopbackBrowserAgent.announcing { sink.yield($0) }, transport: world.service,
                ambient: world.clock.ambient)
            let signIn = Task { try await auth.authorize(redirectURI: "http://127.0.0.1/callback") }
            var iterator = urls.makeAsyncIterator()
            let callback = try await world.service.follow(try #require(await iterator.next()))
            let parts = try #require(URLComponents(string: callback))
            let guest = try Knocker(port: UInt16(try #require(parts.port)))
            let target = callback.dropFirst("http://127.0.0.1:\(try #require(parts.port))".count)
            guest.send(Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(try #require(parts.port))\r\n\r\n".utf8))
            #expect(try await guest.answer().contains("Back to your app"))
            #expect(try await signIn.value.idToken?.subject == "andy")
        }
    }

    @Suite("Starting a browser")
    struct BrowserLaunchTests {
        @Test func `BROWSER comes first, and the URL is one argument`() {
            let commands = BrowserLaunch.commands(["BROWSER": "firefox --new-tab:lynx -x=%s -y", "DISPLAY": ":0"])
            #if os(Linux)
                #expect(commands == [["firefox", "--new-tab"], ["lynx", "-x=%s", "-y"], ["xdg-open"]])
                #expect(BrowserLaunch.commands([:]).isEmpty)
            #endif
            let url = "https://x/?a=b&c=$(reboot) %s"
            #expect(BrowserLaunch.arguments(commands[0], url: url) == ["firefox", "--new-tab", url])
            #expect(BrowserLaunch.arguments(commands[1], url: url) == ["lynx", "-x=" + url, "-y"])
        }

        @Test func `a browser that starts is enough`() async throws {
            let launch = BrowserLaunch(startsBrowser: true, announce: nil, commands: [["true"]])
            try await launch.show("https://x")
        }

        @Test func `without a browser the URL is announced, or it is an error`() async throws {
            let (urls, sink) = AsyncStream.makeStream(of: String.self)
            let missing = [["false"], ["keyturn-no-such-browser"]]
            let announcing = BrowserLaunch(startsBrowser: true, announce: { sink.yield($0) }, commands: missing)
            try await announcing.show("https://x")
            var iterator = urls.makeAsyncIterator()
            #expect(await iterator.next() == "https://x")
            await #expect(throws: AuthError(.unsupported, "")) {
                try await BrowserLaunch(startsBrowser: true, announce: nil, commands: missing).show("https://x")
            }
        }
    }
#endif
