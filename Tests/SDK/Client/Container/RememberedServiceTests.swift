import KeyturnBase
import Testing

@testable import Keyturn

@Suite("A stored session's service is found again")
struct RememberedServiceTests {
    private static let services: [Service] = [
        .keyturn(issuer: "https://id.example.com", clientID: "app", projectID: "P"),
        .openID(issuer: "https://id.example.com/", clientID: "app"),
        .descope(projectID: "P", baseURL: "https://descope.example.com"),
        .snapAuth(publishableKey: "pubkey_1", host: "https://snap.example.com"),
        .box(
            clientID: "app", clientSecret: nil,
            configuration: .box(
                apiURL: "https://api.example.com", uploadURL: "https://up.example.com",
                authorizeURL: "https://account.example.com/authorize")),
        .tim(issuer: "https://id.example.com/r", keyServiceURL: "https://keys.example.com/r", clientID: "app"),
        .authgear(clientID: "app", endpoint: "https://a.example.com"),
        .authgear(
            clientID: "app", endpoint: "https://a.example.com", isSSOEnabled: true, isPreAuthenticatedURLEnabled: true),
    ]

    @Test(arguments: services.indices)
    func `with all that differs`(_ index: Int) throws {
        let service = Self.services[index]
        let found = try #require(
            Service.remembered(
                kind: service.kind, issuer: service.issuer, clientID: service.clientID, projectID: service.projectID,
                details: service.details))
        #expect(found.issuer == service.issuer && found.clientID == service.clientID)
        #expect(found.keyServiceURL == service.keyServiceURL && found.wire.endpoints == service.wire.endpoints)
        #expect(found.defaultScope == service.defaultScope && found.details == service.details)
        #expect(found.wire.authgear?.isSSOEnabled == service.wire.authgear?.isSSOEnabled)
    }

    @Test func `a record keeps it`() async throws {
        let world = AuthgearWorld()
        _ = try await world.signedIn(
            service: .authgear(
                clientID: FakeAuthgear.clientID, endpoint: FakeAuthgear.origin, isPreAuthenticatedURLEnabled: true))
        let stored = try SessionRecord(try #require(await world.store.read("default").record))
        #expect(stored.service?.wire.authgear?.isPreAuthenticatedURLEnabled == true)
        #expect(try SessionRecord(stored.stored) == stored)
    }
}
