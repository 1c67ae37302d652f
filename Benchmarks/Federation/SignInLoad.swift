import AsyncHTTPClient
import Foundation
import KeyturnBase
import NIOCore
import NIOHTTP1

/// Sixteen people who sign in over and over at a provider that answers at once: the app asks for the address, the
/// browser goes to our page and comes back with a code, and the app fetches its session.
struct SignInLoad {
    let base: String
    private static let people = 16
    private static let seconds = 4.0
    private static let app = "https%3A%2F%2Fapp.example.test%2Fback"
    private static let project = "Bearer P2KeyturnBench0000000000000000"

    func signInsPerSecond() async throws -> Double {
        try await together { client, person in
            let start = try await send(
                client, .POST, "/v1/auth/oauth/authorize?provider=bench&redirectURL=\(Self.app)")
            let page = try path(start.json["url"]?.stringValue)
            let gone = try await send(client, .GET, page)
            let asked = query(gone.location)
            guard let state = asked["state"], let nonce = asked["nonce"] else {
                throw CocoaError(.coderInvalidValue)
            }
            let back = try await send(
                client, .GET, "/federation/bench/callback?state=\(state)&code=person-\(person).\(nonce)",
                cookies: gone.cookies)
            guard let code = query(back.location)["code"] else { throw CocoaError(.coderInvalidValue) }
            let session = try await send(
                client, .POST, "/v1/auth/oauth/exchange", body: ["code": .string(code)])
            guard session.json["sessionJwt"]?.stringValue != nil else { throw CocoaError(.coderInvalidValue) }
        }
    }

    /// The same client, and as many answers: two constants, one of a server that asks the same provider for the token
    /// and checks its signature, and one with a signature of its own.
    func limitPerSecond() async throws -> Double {
        try await together { client, person in
            _ = try await send(client, .POST, "/constant")
            _ = try await send(client, .GET, "/constant")
            _ = try await send(client, .GET, "/callback?code=person-\(person).nonce")
            _ = try await send(client, .POST, "/signed", body: ["code": "code"])
        }
    }

    /// How often all of them together do it within the time.
    private func together(
        _ signIn: @escaping @Sendable (HTTPClient, Int) async throws -> Void
    ) async throws -> Double {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
        let end = ContinuousClock.now + .seconds(Self.seconds)
        defer { client.shutdown { _ in } }
        let count = try await withThrowingTaskGroup(of: Double.self) { group in
            for person in 0..<Self.people {
                group.addTask {
                    var count = 0.0
                    while ContinuousClock.now < end {
                        try await signIn(client, person)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return count / Self.seconds
    }

    /// An answer that ends the measurement.
    private struct Refused: Error {
        let path: String
        let status: Int
    }

    private struct Answer {
        let json: JSONValue
        let location: String?
        let cookies: String
    }

    private func send(
        _ client: HTTPClient, _ method: HTTPMethod, _ path: String, cookies: String = "", body: JSONValue = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: base + path)
        request.method = method
        // From a network of its own each time: one alone may not begin so many. The range is that for benchmarks.
        let network = "198.\(UInt8.random(in: 18...19)).\(UInt8.random(in: 0...255)).\(UInt8.random(in: 0...255))"
        request.headers.add(name: "X-Forwarded-For", value: network)
        if !cookies.isEmpty { request.headers.add(name: "Cookie", value: cookies) }
        if method == .POST {
            request.headers.add(name: "Authorization", value: Self.project)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body.serialized))
        }
        let response = try await client.execute(request, timeout: .seconds(10))
        let bytes = try await response.body.collect(upTo: 65_536)
        guard (200...399).contains(response.status.code) else {
            throw Refused(path: path, status: Int(response.status.code))
        }
        let isJSON = response.headers.first(name: "Content-Type")?.hasPrefix("application/json") == true
        return Answer(
            json: isJSON ? try JSONValue(parsing: bytes.readableBytesView) : .null,
            location: response.headers.first(name: "Location"),
            cookies: response.headers["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }.joined(separator: "; "))
    }

    private func path(_ address: String?) throws -> String {
        guard let address, address.hasPrefix(base) else { throw CocoaError(.coderInvalidValue) }
        return String(address.dropFirst(base.count))
    }

    /// Single parameters of an address, as they stand there.
    private func query(_ address: String?) -> [String: String] {
        let pairs = (address ?? "").drop { $0 != "?" }.dropFirst().split(separator: "&").map {
            $0.split(separator: "=")
        }
        return Dictionary(pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }
}
