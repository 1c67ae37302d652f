import Foundation
import HTTPTypes
import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Readiness: what a balancer is told")
struct ReadinessTests {
    @Test func `a server that is told to stop says so, answers, and asks for other connections`() async throws {
        let server = try await TestServer.start()
        #expect(try await server.get("/readyz").status == 200)
        server.services.readiness.stop()
        let answer = try await server.get("/readyz")
        #expect(answer.status == 503 && answer.body == "the server is stopping\n")
        let health = try await server.get("/healthz")
        #expect(health.status == 200 && health.headers["connection"] == "close")
        await server.stop()
    }
}
