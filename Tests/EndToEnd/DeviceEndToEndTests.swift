import Identity
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import Keyturn

@Suite("End to end: a device without a keyboard, with our SDK at our server")
struct DeviceEndToEndTests {
    /// Loses the first answer that holds tokens.
    private final class LossyTransport: HTTPTransport {
        private let inner: DatedTransport
        private let isLost = Atomic(false)

        init(_ inner: DatedTransport) { self.inner = inner }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            let response = try await inner.send(request)
            guard request.url.hasSuffix("/oauth2/token"), response.status == 200,
                !isLost.exchange(true, ordering: .sequentiallyConsistent)
            else { return response }
            throw AuthError(.unavailable, "the answer was lost")
        }
    }

    @Test func `47: a person lets the device in, the answer is lost, and the session is there all the same`()
        async throws
    {
        let server = try await TestServer.start(clients: [DevicePerson.television])
        server.clock.advance(11)
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "television"), storage: .memory,
            transport: LossyTransport(DatedTransport(server.clock)), ambient: server.clock.ambient)
        let pages = Mutex<[String?]>([])
        let person = DevicePerson(server)
        let result = try await auth.deviceSignIn(DeviceSignInOptions(), sleep: person) { progress in
            guard case .code(let code) = progress else { return }
            let page = try? await person.decide("allow", code).page
            pages.withLock { $0.append(page) }
        }
        #expect(pages.withLock { $0 } == ["device-done"])
        #expect(result.idToken?.subject == TestServer.subject.rawValue && result.userInfo.name == "Andy Rhoads")
        #expect(await auth.state == .signedIn(.fresh))
        // The refresh token is bound to the device's key, and works.
        let first = try await auth.accessToken()
        #expect(try await auth.forceRefresh() != first)
        let grants = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        #expect(grants.count == 1 && grants.first?.keyThumbprint != nil)
        await server.stop()
    }

    @Test func `a person refuses, and the device learns it`() async throws {
        let server = try await TestServer.start(clients: [DevicePerson.television])
        server.clock.advance(11)
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "television"), storage: .memory,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        let person = DevicePerson(server)
        let error = await #expect(throws: AuthError.self) {
            _ = try await auth.deviceSignIn(DeviceSignInOptions(), sleep: person) { progress in
                if case .code(let code) = progress { _ = try? await person.decide("deny", code) }
            }
        }
        #expect(error?.code == .cancelled && error?.server?.code == "access_denied")
        #expect(try await auth.start() == .signedOut)
        await server.stop()
    }
}
