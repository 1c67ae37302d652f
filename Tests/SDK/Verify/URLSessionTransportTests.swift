import KeyturnBase
import KeyturnVerify
import Testing

@Suite("URL session transport", .timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    let transport = URLSessionTransport(responseBytesMax: 100_000)

    /// Runs `body` against a server that answers as told.
    func serving(
        _ answer: @escaping @Sendable (String) -> [RawServer.Step], _ body: (RawServer) async throws -> Void
    ) async throws {
        let server = try await RawServer.start(answer)
        try await body(server)
        try await server.stop()
    }

    static func ok(_ body: String, _ headers: String = "") -> [RawServer.Step] {
        [.send("HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")]
    }

    @Test func `a request arrives as it was written, and the answer as well`() async throws {
        try await serving({ Self.ok($0, "X-Name: a\r\nx-name: b\r\n") }) { server in
            let response = try await transport.send(
                HTTPRequest(
                    method: "PUT", url: server.base + "/path?q=%20a", headers: [("X-Mine", "1")],
                    body: Array("body".utf8)))
            let echo = String(decoding: response.body, as: UTF8.self).lowercased()
            #expect(response.status == 200)
            #expect(echo.hasPrefix("put /path?q=%20a http/1.1"))
            #expect(echo.contains("x-mine: 1"))
            #expect(echo.contains("content-length: 4"))
            #expect(response.header("x-NAME")?.contains("b") == true)
            #expect(response.header("absent") == nil)
        }
    }

    @Test(arguments: ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect"])
    func `a redirect is an answer`(_ status: String) async throws {
        let redirect: @Sendable (String) -> [RawServer.Step] = { _ in
            [.send("HTTP/1.1 \(status)\r\nLocation: /elsewhere\r\nContent-Length: 2\r\n\r\nhi")]
        }
        try await serving(redirect) { server in
            let response = try await transport.send(HTTPRequest(url: server.base + "/"))
            #expect(response.status == Int(status.prefix(3)))
            #expect(response.header("location") == "/elsewhere")
        }
    }

    @Test func `cookies are not kept`() async throws {
        try await serving({ Self.ok($0, "Set-Cookie: a=b; Path=/\r\n") }) { server in
            for _ in 0..<3 {
                let response = try await transport.send(HTTPRequest(url: server.base + "/"))
                #expect(!String(decoding: response.body, as: UTF8.self).lowercased().contains("cookie"))
            }
        }
    }

    @Test(arguments: ["Basic realm=\"x\"", "Bearer error=\"invalid_token\"", "Digest realm=\"x\", nonce=\"y\""])
    func `a 401 is an answer, and nobody is asked for a password`(_ challenge: String) async throws {
        let refuse: @Sendable (String) -> [RawServer.Step] = { _ in
            [.send("HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno")]
        }
        try await serving(refuse) { server in
            for method in ["GET", "POST"] {
                let response = try await transport.send(
                    HTTPRequest(method: method, url: server.base + "/", body: method == "POST" ? [1] : nil))
                #expect(response.status == 401)
                #expect(response.body == Array("no".utf8))
            }
        }
    }

    @Test func `115: an answer that says it is too large is refused`() async throws {
        let large: @Sendable (String) -> [RawServer.Step] = { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\nx"), .pause(milliseconds: 5_000)]
        }
        try await serving(large) { server in
            await #expect(throws: AuthError(.protocolViolation, "")) {
                try await transport.send(HTTPRequest(url: server.base + "/"))
            }
        }
    }

    @Test func `115: an answer that turns out too large is refused while it arrives`() async throws {
        let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
        let endless: @Sendable (String) -> [RawServer.Step] = { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
                + [RawServer.Step](repeating: .send(chunk), count: 2_000)
        }
        try await serving(endless) { server in
            await #expect(throws: AuthError(.protocolViolation, "")) {
                try await transport.send(HTTPRequest(url: server.base + "/"))
            }
        }
        let fits = String(repeating: "x", count: 100_000)
        try await serving({ _ in Self.ok(fits) }) { server in
            let response = try await transport.send(HTTPRequest(url: server.base + "/"))
            #expect(response.body.count == 100_000)
        }
    }

    @Test func `115: the rest of a refused answer does not go on arriving`() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try await RawServer.start(closed: { continuation.yield() }) { _ in
            let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
            return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
                + [RawServer.Step](repeating: .send(chunk), count: 7) + [.pause(milliseconds: 600_000)]
        }
        let clock = ContinuousClock()
        let began = clock.now
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await transport.send(HTTPRequest(url: server.base + "/"))
        }
        for await _ in closed { break }
        #expect(clock.now - began < .seconds(28), "closed by us, not by the session's own timeout of 30 seconds")
        try await server.stop()
    }

    @Test func `115: a server that sends a byte now and then does not hold us`() async throws {
        let slow: @Sendable (String) -> [RawServer.Step] = { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")]
                + (0..<100).flatMap { _ in [RawServer.Step.pause(milliseconds: 200), .send("x")] }
        }
        try await serving(slow) { server in
            let clock = ContinuousClock()
            let began = clock.now
            await #expect(throws: AuthError(.unavailable, "")) {
                try await transport.send(HTTPRequest(url: server.base + "/", timeoutSeconds: 1))
            }
            #expect(clock.now - began < .seconds(18), "the whole answer takes 20 seconds")
        }
    }

    @Test func `a silent server, a closed connection and a closed port are unavailable`() async throws {
        try await serving({ _ in [] }) { server in
            await #expect(throws: AuthError(.unavailable, "")) {
                try await transport.send(HTTPRequest(url: server.base + "/", timeoutSeconds: 1))
            }
        }
        try await serving({ _ in [.close] }) { server in
            await #expect(throws: AuthError(.unavailable, "")) {
                try await transport.send(HTTPRequest(url: server.base + "/", timeoutSeconds: 5))
            }
        }
        let server = try await RawServer.start { _ in [] }
        try await server.stop()
        await #expect(throws: AuthError(.unavailable, "")) {
            try await transport.send(HTTPRequest(url: server.base + "/", timeoutSeconds: 5))
        }
    }

    @Test func `cancelling the task cancels the request`() async throws {
        try await serving({ _ in [] }) { server in
            let task = Task { try await transport.send(HTTPRequest(url: server.base + "/")) }
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
            let error = await #expect(throws: AuthError.self) { try await task.value }
            #expect(error?.code.rawValue == "task.cancelled")
        }
    }

    static let unusable = [
        "http://example.com/", "http://127.0.0.1.example.com/", "http://127.1/", "http://localhost.example.com/",
        "ftp://127.0.0.1/", "file:///etc/passwd", "/relative", "", "https://user@example.com/",
        "https://user:secret@example.com/", "https://example.com/#fragment", "https:///", "http://0.0.0.0/",
        "http://0177.0.0.1/", "http://2130706433/", "http://app.localhost/", "https://example.com./",
        "https://example.com:/",
        "https://example.com:0/", "https://bücher.example/", "https://example.com\\@evil.test/",
        "https://[fe80::1%25eth0]/",
        "https://example.com/\r\nX: y", "https://%65xample.com/",
    ]

    @Test(arguments: unusable)
    func `a URL that may not be used is refused before anything is sent`(_ url: String) async throws {
        await #expect(throws: AuthError(.misconfigured, "")) { try await transport.send(HTTPRequest(url: url)) }
    }

    @Test(arguments: ["https://example.com/", "http://127.0.0.1:8080/a", "http://[::1]:1/", "http://localhost/"])
    func `a URL that is safe is used`(_ url: String) throws {
        _ = try HTTPRequest(url: url).checkedURL()
    }

    @Test func `plain http elsewhere needs a loud word`() throws {
        _ = try HTTPRequest(url: "http://example.com/").checkedURL(allowInsecureRequests: true)
    }

    @Test func `nothing of a request is in its error or its description`() async throws {
        let request = HTTPRequest(
            url: "http://127.0.0.1:1/?token=secret-1", headers: [("Authorization", "Bearer secret-2")],
            body: Array("secret-3".utf8), timeoutSeconds: 5)
        let error = await #expect(throws: AuthError.self) { try await transport.send(request) }
        for text in [
            "\(request)", String(reflecting: request), String(reflecting: error), "\(String(describing: error?.cause))",
        ] {
            #expect(!text.contains("secret"))
        }
    }

    @Test func `many requests at once get their own answers`() async throws {
        try await serving({ Self.ok(String($0.prefix { !$0.isNewline })) }) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let response = try await transport.send(HTTPRequest(url: server.base + "/\(number)"))
                        #expect(response.body == Array("GET /\(number) HTTP/1.1".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
