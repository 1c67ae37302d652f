import NIOCore
import ServerTesting
import Testing

@testable import Web

@Suite("A connection: how long, how much, and in whose turn")
struct ConnectionTests {
    private static let health = "GET /healthz HTTP/1.1\r\nHost: a.example\r\n\r\n"

    private func start(_ change: (inout ConnectionLimits) -> Void) async throws -> TestServer {
        var limits = ConnectionLimits()
        change(&limits)
        return try await TestServer.start(connection: limits)
    }

    /// The last one is passed on before it is whole, and its route refuses a request without a key at once.
    private static let slowRequests: [(opening: String, status: String)] = [
        ("GET /", "408"), ("GET /healthz HTTP/1.1\r\nHost: a.example\r\nX-Slow: ", "408"),
        ("POST /oauth2/token HTTP/1.1\r\nHost: a.example\r\nContent-Length: 30000\r\n\r\n", "408"),
        ("POST /v1/mgmt/user/create HTTP/1.1\r\nHost: a.example\r\nContent-Length: 900000\r\n\r\n", "401"),
    ]

    @Test(arguments: slowRequests)
    func `115: a request has one deadline, from its first byte to its last`(opening: String, status: String)
        async throws
    {
        let server = try await start { $0.request = .milliseconds(300) }
        let connection = try await RawConnection.open(server)
        try await connection.send(opening)
        try await connection.drip("a", every: .milliseconds(20))
        try await connection.wait { !$0.isActive || $0.isClosed }
        #expect(connection.statuses == [status], "\(connection.text)")
        await server.stop()
    }

    @Test func `the deadline of a request does not count the pause before it, and a pause has its own`() async throws {
        let server = try await start {
            $0.request = .milliseconds(400)
            $0.idle = .seconds(4)
        }
        let connection = try await RawConnection.open(server)
        for count in 1...3 {
            try await Task.sleep(for: .milliseconds(500))
            try await connection.send(Self.health)
            try await connection.wait { $0.statuses.count == count }
        }
        #expect(connection.statuses == ["200", "200", "200"])
        try await connection.wait { !$0.isActive }
        let silent = try await RawConnection.open(server)
        try await silent.wait { !$0.isActive }
        #expect(silent.text.isEmpty)
        await server.stop()
    }

    @Test func `115: a client that does not read its answers is let go of`() async throws {
        let server = try await start {
            $0.answer = .milliseconds(400)
            $0.systemBytes = 4_096
        }
        let connection = try await RawConnection.open(server, reads: false)
        let page = "GET /.well-known/openid-configuration HTTP/1.1\r\nHost: a.example\r\n\r\n"
        // The server reads no more than it answers: not all of this is ever sent.
        let sending = Task { try? await connection.send(String(repeating: page, count: 20_000)) }
        try await connection.wait { !$0.isActive }
        connection.close()
        await sending.value
        #expect(try await server.answers(to: Self.health).statuses == ["200"])
        await server.stop()
    }

    @Test func `115: pipelined requests are answered in order, however they are cut`() async throws {
        let server = try await start { _ in }
        let hidden = "grant_type=a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: b\r\n\r\n"
        let form = "POST /nothing HTTP/1.1\r\nHost: a.example\r\n"
        let requests = [
            Self.health, form + "Content-Length: \(hidden.utf8.count)\r\n\r\n" + hidden, Self.health,
            form + "Transfer-Encoding: chunked\r\n\r\n" + String(hidden.utf8.count, radix: 16) + "\r\n" + hidden
                + "\r\n0\r\nX-Trailer: a\r\n\r\n", Self.health,
        ].joined()
        for size in [1_000_000, 41, 3] {
            let connection = try await RawConnection.open(server)
            var rest = requests[...]
            while !rest.isEmpty {
                try await connection.send(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            try await connection.wait { $0.statuses.count >= 5 }
            #expect(connection.statuses == ["200", "404", "200", "404", "200"], "in pieces of \(size)")
            connection.close()
        }
        await server.stop()
    }

    @Test func `115: thousands of pipelined requests take turns with a neighbour's one`() async throws {
        let server = try await start { _ in }
        // While one waits for its turn, another one has it.
        var floods: [RawConnection] = []
        for _ in 0..<3 {
            let flood = try await RawConnection.open(server)
            try await flood.send(String(repeating: Self.health, count: 2_000))
            floods.append(flood)
        }
        let neighbour = try await server.answers(to: Self.health)
        #expect(neighbour.statuses == ["200"])
        let answered = floods.map(\.statuses.count)
        #expect(answered.min() ?? 0 < 2_000, "the neighbour came after \(answered) of others' requests")
        for flood in floods {
            try await flood.wait { $0.statuses.count == 2_000 }
        }
        await server.stop()
    }

    @Test func `what has begun when the server stops is answered, and the connection closed`() async throws {
        let server = try await start { _ in }
        let idle = try await server.answers(to: Self.health)
        let connection = try await server.answers(to: Self.health)
        try await connection.send("GET /healthz HTTP/1.1\r\n")
        try await Task.sleep(for: .milliseconds(50))
        async let stopped: Void = server.stop()
        try await idle.wait { !$0.isActive }
        try await connection.send("Host: a.example\r\n\r\n" + Self.health)
        try await connection.wait { $0.statuses.count == 2 }
        #expect(connection.text.contains("onnection: close"))
        connection.close()
        await stopped
        #expect(connection.statuses == ["200", "200"], "and nothing after it")
    }

    @Test func `an answer reaches a client that has closed its side`() async throws {
        let server = try await start { _ in }
        let connection = try await RawConnection.open(server)
        try await connection.send(Self.health + Self.health)
        try await connection.endInput()
        try await connection.wait { !$0.isActive }
        #expect(connection.statuses == ["200", "200"])
        let half = try await RawConnection.open(server)
        try await half.send("GET /healthz HTTP/1.1\r\nHo")
        try await half.endInput()
        try await half.wait { !$0.isActive }
        #expect(half.statuses == ["400"])
        await server.stop()
    }
}
