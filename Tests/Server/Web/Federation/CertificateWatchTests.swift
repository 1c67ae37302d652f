import Identity
import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Certificates that end")
struct CertificateWatchTests {
    private static let day: Int64 = 86_400

    /// A kind of connection whose certificate is known.
    private struct Certified: ConnectionProtocol {
        let certificate: CertificateSummary

        func begin(_ start: ConnectionStart, at connection: Connection) async throws(ConnectionProblem)
            -> ConnectionDeparture
        { throw ConnectionProblem(.misconfigured, code: "none") }

        func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
            async throws(ConnectionProblem) -> FederatedProfile
        { throw ConnectionProblem(.misconfigured, code: "none") }

        func certificates(of connection: Connection) -> [CertificateSummary] {
            [CertificateSummary(fingerprint: "00", expiresAt: UnixTime(rawValue: 0)), certificate]
        }
    }

    private static func protocols(_ fingerprint: String, end: UnixTime) -> ConnectionProtocols {
        ConnectionProtocols(openID: Certified(certificate: .init(fingerprint: fingerprint, expiresAt: end)))
    }

    @Test func `the contact is told once at each step, whichever process looks`() async throws {
        let server = try await TestServer.start()
        let services = server.services
        var connection = Connection.scripted()
        connection.contact = "it@customer.example"
        let start = services.ambient.now()
        let end = start + 40 * Self.day
        var sent: [Int64] = []
        for day: Int64 in [0, 9, 10, 11, 20, 33, 34, 39, 40, 41, 60] {
            for _ in 0..<2 {
                let watch = CertificateWatch(replay: services.stores.spent, sender: services.messages)
                let warnings = try await watch.look(
                    [connection], Self.protocols("aa", end: end), at: start + day * Self.day)
                #expect(warnings.isEmpty == (day < 10))
                if warnings.first?.isSent == true { sent.append(day) }
            }
        }
        #expect(sent == [10, 33, 39, 40])
        let messages = try await services.messages.newest(limit: 9).map(\.message)
        #expect(messages.count == 4 && messages.allSatisfy { $0.to == "it@customer.example" })
        #expect(messages.allSatisfy { $0.kind == .certificateExpiring })
        await server.stop()
    }

    @Test func `a new certificate, another contact and a first look after the end each begin anew`() async throws {
        let server = try await TestServer.start()
        let services = server.services
        let now = services.ambient.now()
        let watch = CertificateWatch(replay: services.stores.spent, sender: services.messages)
        var connection = Connection.scripted()
        func isSent(_ fingerprint: String, _ contact: String?) async throws -> Bool? {
            connection.contact = contact
            return try await watch.look([connection], Self.protocols(fingerprint, end: now - 1), at: now).first?.isSent
        }
        #expect(try await isSent("aa", nil) == false, "the log alone")
        #expect(try await isSent("aa", "it@customer.example") == true)
        #expect(try await isSent("aa", "it@customer.example") == false)
        #expect(try await isSent("bb", "it@customer.example") == true)
        #expect(try await isSent("bb", "new@customer.example") == true)
        connection.isEnabled = false
        #expect(try await isSent("cc", "it@customer.example") == nil, "a connection that is turned off")
        await server.stop()
    }
}
