import ServerTesting
import Testing

@Suite("How the body of a request is framed")
struct TransferCodingTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
    private static let chunks = "3\r\na=b\r\n0\r\n\r\n"
    private static let next = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    /// The statuses of a request with this head and a body in chunks, and of one behind it; the last one ends the
    /// connection.
    private func answer(_ version: String, _ fields: String, at server: TestServer) async throws -> RawConnection {
        let connection = try await server.answers(
            to: "POST /oauth2/token HTTP/\(version)\r\nHost: a\r\n\(Self.form)\(fields)\r\n" + Self.chunks + Self.next)
        try await connection.wait { $0.statuses.count > 1 || !$0.isActive }
        return connection
    }

    @Test func `115: a message of HTTP 1.0 with codings is faulty, and ends the connection`() async throws {
        let server = try await TestServer.start()
        let codings = ["chunked", "Chunked", "gzip, chunked", "identity", "gzip", ""]
        for coding in codings {
            for kept in ["Connection: keep-alive\r\n", ""] {
                let field = "Transfer-Encoding: \(coding)\r\n"
                for fields in [kept + field, field + kept] {
                    let answer = try await answer("1.0", fields, at: server)
                    #expect(answer.statuses == ["400"], "\(fields): \(answer.text)")
                    #expect(answer.text.contains("onnection: close") && answer.text.hasSuffix("\r\n\r\n"))
                    answer.close()
                }
            }
        }
        // Without codings HTTP/1.0 may keep its connection.
        let plain = try await server.answers(
            to: "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n", count: 2)
        #expect(plain.statuses == ["200", "200"])
        await server.stop()
    }

    @Test(arguments: [
        "gzip, chunked", "gzip,chunked", "GZIP , Chunked", "deflate, gzip, chunked", "identity, chunked",
        "gzip;q=1, chunked", "x, chunked", "gzip\r\nTransfer-Encoding: chunked", "\tgzip\t,\tchunked\t",
    ])
    func `115: codings that this server does not know get 501, and the connection ends`(_ codings: String) async throws
    {
        let server = try await TestServer.start()
        let answer = try await answer("1.1", "Transfer-Encoding: \(codings)\r\n", at: server)
        #expect(answer.statuses == ["501"], "\(answer.text)")
        #expect(answer.text.contains("onnection: close") && answer.text.hasSuffix("\r\n\r\n"))
        await server.stop()
    }

    @Test(arguments: [
        "gzip", "identity", "chunked, gzip", "chunked, identity", "chunked, chunked", "gzip, chunked, chunked",
        "xchunked",
        "chunkedx", "chunked;a=b", "\"chunked\"", "chun ked", "", ",", "chunked,", ",chunked", "gzip,,chunked",
        "chunked\r\nTransfer-Encoding: chunked", "chunked\r\nTransfer-Encoding: gzip", "chunked\r\nTransfer-Encoding:",
        "chunked\r\nContent-Length: 3", "chunked\u{0B}",
    ])
    func `115: a body whose end is in doubt gets 400, and the connection ends`(_ codings: String) async throws {
        let server = try await TestServer.start()
        let answer = try await answer("1.1", "Transfer-Encoding: \(codings)\r\n", at: server)
        #expect(answer.statuses == ["400"], "\(answer.text)")
        #expect(answer.text.contains("onnection: close") && answer.text.hasSuffix("\r\n\r\n"))
        await server.stop()
    }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED", "  chunked", "chunked ", "\tchunked  "])
    func `a single coding in chunks is read to its end, and the next request follows`(_ coding: String) async throws {
        let server = try await TestServer.start()
        let answer = try await answer("1.1", "Transfer-Encoding:\(coding)\r\n", at: server)
        #expect(answer.statuses.count == 2 && answer.statuses.last == "200", "\(answer.text)")
        #expect(answer.statuses.first == "401" || answer.text.contains("invalid_"))
        await server.stop()
    }
}
