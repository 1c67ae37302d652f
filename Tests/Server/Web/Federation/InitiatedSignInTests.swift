import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Sign-ins that a provider initiates")
struct InitiatedSignInTests {
    private static let path = "/federation/acme/initiate"
    private static let issuer = "https%3A%2F%2Fprovider.example"

    @Test func `F-38: a normal sign-in begins, and ends at an approved address`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let start = "\(Self.path)?iss=\(Self.issuer)&login_hint=jane&target_link_uri=https%3A%2F%2Fapp.example%2Fstart"
        let begun = try await browser.open(start)
        #expect(begun.status == 303 && begun.header("cross-origin-opener-policy") == "same-origin")
        #expect(begun.header("location")?.hasPrefix("https://provider.example/") == true)
        let handle = try FederationFixture.handle(begun)
        let back = try await fixture.comeBack(browser, handle)
        #expect(back.header("location")?.hasPrefix("https://app.example/start?code=") == true)
        // The state is this browser's.
        let other = try FederationFixture.handle(try await browser.open(start))
        #expect(try await fixture.comeBack(fixture.server.browser(), other).status == 400)
        await fixture.server.stop()
    }

    @Test func `F-38: an unknown issuer, a missing one, and a foreign address begin nothing`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        for query in [
            "", "?iss=https%3A%2F%2Fevil.example&target_link_uri=https%3A%2F%2Fapp.example%2F",
            "?iss=\(Self.issuer)&target_link_uri=https%3A%2F%2Fevil.example%2F",
            "?iss=\(Self.issuer)&target_link_uri=https%3A%2F%2Fapp.example.evil.example%2F",
            "?iss=\(Self.issuer)&target_link_uri=javascript%3Aalert(1)",
            "?iss=\(Self.issuer)&iss=\(Self.issuer)", "?iss=\(Self.issuer)",
        ] {
            let answer = try await browser.open(Self.path + query)
            #expect(answer.status == 400 && answer.header("location") == nil, "\(query)")
        }
        #expect(try await browser.open("/federation/none/initiate?iss=\(Self.issuer)").status == 400)
        await fixture.server.stop()
    }
}
