import NIOCore
import ServerTesting
import Testing

@testable import Web

@Suite("What HTTP itself refuses, before any route")
struct RequestHeadTests {
    @Test func `115: one Host field that names a host, or 400, whatever the method`() async throws {
        let server = try await TestServer.start()
        let fields = [
            "", "Host: a\r\nHost: a\r\n", "Host: a\r\nX-Other: b\r\nhOST: a\r\n", "Host:\r\n", "Host: a/b\r\n",
            "Host: a b\r\n", "Host: a:b\r\n", "Host: u@a\r\n", "Host: [a\r\n", "Host: []\r\n", "Host: a:123456\r\n",
        ]
        for method in ["GET", "HEAD", "POST", "OPTIONS", "DELETE"] {
            for field in fields {
                let answer = try await server.answers(to: "\(method) /healthz HTTP/1.1\r\n\(field)\r\n")
                #expect(answer.statuses == ["400"], "\(method) \(field): \(answer.text)")
                #expect(answer.text.contains("onnection: close") && answer.text.hasSuffix("\r\n\r\n"))
                answer.close()
            }
        }
        for good in ["a", "a.example:8080", "[::1]:80", "[::1]", "a_b.example", "a:", "127.0.0.1"] {
            let answer = try await server.answers(to: "GET /healthz HTTP/1.1\r\nHost: \(good)\r\n\r\n")
            #expect(answer.statuses == ["200"], "\(good)")
            answer.close()
        }
        #expect(try await server.answers(to: "GET /healthz HTTP/1.0\r\n\r\n").statuses == ["200"])
        await server.stop()
    }

    @Test func `115: a broken chunk is 400, and no route sees the request`() async throws {
        let server = try await TestServer.start()
        let bodies = ["zz\r\na=b\r\n0\r\n\r\n", "-1\r\na\r\n", "ffffffffffffffffff\r\n", "3\r\na=bXX0\r\n\r\n"]
        for path in ["/oauth2/token", "/healthz", "/nothing", "/v1/auth/otp/signup/email"] {
            for body in bodies {
                let answer = try await server.answers(
                    to: "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
                #expect(answer.statuses == ["400"] && answer.text.hasSuffix("\r\n\r\n"), "\(path) \(answer.text)")
                answer.close()
            }
        }
        await server.stop()
    }

    @Test func `115: a body that is too large is refused by its route, which closes the connection`() async throws {
        let server = try await TestServer.start()
        let head = "POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        let announced = try await server.answers(to: head + "Content-Length: 50000000\r\n\r\n")
        #expect(announced.statuses == ["413"] && announced.text.contains("onnection: close"), "\(announced.text)")
        let chunk = "1000\r\n" + String(repeating: "a", count: 0x1000) + "\r\n"
        let sent = try await server.answers(
            to: head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 40))
        #expect(sent.statuses == ["413"] && sent.text.contains("invalid_request"), "\(sent.text)")
        await server.stop()
    }

    @Test func `a client that waits for 100 Continue gets it, and one that expects something else does not`()
        async throws
    {
        let server = try await TestServer.start()
        let head = "POST /oauth2/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        let connection = try await server.answers(to: head + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        #expect(connection.statuses == ["100"])
        try await connection.send("a=b")
        try await connection.wait { $0.statuses.count == 2 }
        #expect(connection.statuses[1] == "401" || connection.statuses[1] == "400", "\(connection.text)")
        let other = try await server.answers(to: head + "Expect: tea\r\nContent-Length: 3\r\n\r\n")
        #expect(other.statuses == ["417"])
        await server.stop()
    }

    @Test func `HEAD has no body, and other protocols get this one, once`() async throws {
        let server = try await TestServer.start()
        let head = try await server.answers(to: "HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try await head.wait { !$0.isActive }
        #expect(head.text.hasSuffix("\r\n\r\n") && head.statuses == ["200"], "\(head.text)")
        let upgrade = try await server.answers(
            to: "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n")
        #expect(upgrade.statuses == ["200"] && upgrade.text.contains("onnection: close"))
        await server.stop()
    }
}

@Suite("Where one request ends")
struct RequestSplitTests {
    @Test func `no part reaches into the next request, however the bytes arrive`() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\n\r\n"
        let body = "a\n\nb\r\n\r\nc"
        for size in 1...head.utf8.count {
            var split = RequestSplit()
            var seen = ""
            var waiting = ByteBuffer()
            var ends: [Int] = []
            for start in stride(from: 0, to: (head + body + head).utf8.count, by: size) {
                waiting.writeBytes(Array((head + body + head).utf8).dropFirst(start).prefix(size))
                while let part = split.next(of: &waiting) {
                    seen += String(buffer: part)
                    if seen == head { split.expectBody(of: body.utf8.count) }
                    ends.append(seen.utf8.count)
                }
            }
            #expect(seen == head + body + head)
            #expect(ends.contains(head.utf8.count) && ends.contains((head + body).utf8.count), "in pieces of \(size)")
        }
    }
}
