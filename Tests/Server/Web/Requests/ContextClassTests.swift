import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("How people must sign in: acr, max_age, RFC 9470")
struct ContextClassTests {
    private func claims(_ values: [String], isEssential: Bool = true) -> String {
        let list = values.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"id_token":{"acr":{"essential":\#(isEssential),"values":[\#(list)]}}}"#
    }

    @Test func `a class that no sign-in is of cannot be met, and is said to be so before anybody signs in`()
        async throws
    {
        let server = try await TestServer.start()
        var request = server.request(TestClients.portal, proof: nil)
        request.claims = claims(["urn:example:gold"])
        let screen = try await server.authorize(request, in: server.browser())
        #expect(try TestServer.callback(screen)?.refusal == .unmetAuthenticationRequirements)
        let pushed = try await server.push(request, as: TestClients.portal)
        #expect(pushed.status == 400 && pushed.error == "unmet_authentication_requirements")
        request.claims = claims(["urn:example:gold"], isEssential: false)
        #expect(try await server.authorize(request, in: server.browser()).page == "login")
        request.claims = nil
        request.acrValues = "urn:example:gold"
        #expect(try await server.authorize(request, in: server.browser()).page == "login")
        await server.stop()
    }

    @Test func `a sign-in of another class than the request insists on gives no code`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let password = AuthenticationFacts.passwordClass
        let single = AuthenticationFacts.singleFactorClass
        let met = try await server.signIn(TestClients.portal, proof: nil, in: browser) {
            $0.claims = claims([password, "urn:example:gold"])
        }
        #expect(met.code != nil)
        let unmet = try await server.signIn(TestClients.portal, proof: nil, in: browser) {
            $0.claims = claims([single])
        }
        #expect(
            unmet.refusal == .unmetAuthenticationRequirements, "a password is no such thing, and was asked for again")
        let voluntary = try await server.signIn(TestClients.portal, proof: nil, in: browser) {
            $0.claims = claims([single], isEssential: false)
        }
        #expect(voluntary.code != nil)
        await server.stop()
    }

    @Test func `71: a challenge of a resource is met by signing in again, and the new token says so`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let old = try await server.tokens(TestClients.portal, in: browser)
        server.clock.advance(600)
        let stale = try JSONValue(parsing: try #require(Base64URL.decode(old.accessToken.split(separator: ".")[1])))
        let fresh = try await server.tokens(TestClients.portal, in: browser) {
            $0.acrValues = AuthenticationFacts.passwordClass
            $0.maxAge = "300"
        }
        let claims = try JSONValue(parsing: try #require(Base64URL.decode(fresh.accessToken.split(separator: ".")[1])))
        let now = server.clock.now.rawValue
        #expect((stale["auth_time"]?.integerValue ?? 0) + 300 < now)
        #expect((claims["auth_time"]?.integerValue ?? 0) + 300 >= now)
        #expect(claims["acr"]?.stringValue == AuthenticationFacts.passwordClass)
        await server.stop()
    }
}
