import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import Delivery

@Suite("Requests to identity providers")
struct ProviderHTTPClientTests {
    private static let client = ProviderHTTPClient(issuer: "https://id.example")

    @Test(arguments: [
        "https://127.0.0.1/token", "https://localhost/token", "https://[::1]/token", "https://[::ffff:127.0.0.1]/token",
        "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/token", "https://192.168.1.1/token",
        "https://172.16.0.1/token", "https://[fd00::1]/token", "https://[fe80::1]/token", "https://0.0.0.0/token",
        "https://100.64.0.1/token",
    ])
    func `F-27: a provider at a private address is not asked`(_ address: String) async throws {
        let problem = await #expect(throws: OutgoingProblem.self) {
            try await Self.client.send(OutgoingRequest(.get, address, allowsPrivateAddress: false))
        }
        #expect(problem == .privateAddress)
    }

    @Test(arguments: [
        "http://provider.example/token", "ftp://provider.example/", "file:///etc/passwd", "https:///token", "",
        "https://user@provider.example/token",
    ])
    func `F-27: an address that is no https address of a host is not asked`(_ address: String) async throws {
        let problem = await #expect(throws: OutgoingProblem.self) {
            try await Self.client.send(OutgoingRequest(.get, address, allowsPrivateAddress: false))
        }
        #expect(problem == .address)
    }

    @Test func `F-27: a redirect is an answer, and is not followed`() async throws {
        let server = try await TestServer.start()
        let address = "\(server.address)/settings"
        let refused = await #expect(throws: OutgoingProblem.self) {
            try await Self.client.send(OutgoingRequest(.get, address, allowsPrivateAddress: false))
        }
        #expect(refused == .address)
        // The machine that runs the tests may be slow.
        let patient = ProviderHTTPClient(issuer: "https://id.example", seconds: 60)
        let answer = try await patient.send(OutgoingRequest(.get, address, allowsPrivateAddress: true))
        #expect(answer.status == 303)
        // A server on loopback may ask its own network.
        let local = ProviderHTTPClient(issuer: server.issuer, seconds: 60)
        #expect(try await local.send(OutgoingRequest(.get, address, allowsPrivateAddress: false)).status == 303)
        await server.stop()
    }
}
