import Foundation
import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

/// A link that was sent before there was an account ends with what ends the links of that account.
@Suite("Links of before the account")
struct EarlyLinkTests {
    enum End: CaseIterable { case nothing, signOut, newPassword, disabled }

    private static let name = "bea@example.com"
    private static let login: JSONValue = .string(name)

    private func end(_ end: End, _ server: TestServer, _ own: EndpointAnswer) async throws {
        switch end {
        case .nothing: break
        case .signOut:
            #expect(try await server.call("logoutall", [:], refresh: own.refreshJWT).status == 200)
        case .newPassword:
            let body: JSONValue = ["loginId": Self.login, "newPassword": "another-horse-battery"]
            #expect(try await server.call("password/update", body, refresh: own.refreshJWT).status == 200)
        case .disabled:
            for status in ["disabled", "enabled"] {
                let body: JSONValue = ["loginId": Self.login, "status": .string(status)]
                #expect(try await server.manage("user/update/status", body).status == 200)
            }
        }
    }

    private func token(_ link: String?) throws -> JSONValue {
        .string(try #require(link?.components(separatedBy: "t=").last))
    }

    @Test(arguments: End.allCases)
    func `a link of before the account opens it until something ends its links`(_ end: End) async throws {
        let server = try await TestServer.start()
        #expect(try await server.call("magiclink/signup-in/email", ["loginId": Self.login]).status == 200)
        let early = try token(try await server.message(to: Self.name).links.first)
        let own = try await server.signUpByCode(Self.name)
        #expect(own.status == 200)
        try await self.end(end, server, own)
        let opened = try await server.call("magiclink/verify", ["token": early])
        #expect((opened.status == 200) == (end == .nothing), "\(opened.json)")
        #expect(end == .nothing || opened.errorCode == "E063010" && opened.refreshJWT == nil)
        // Whoever asks for a new one gets in.
        server.clock.advance(1)
        _ = try await server.call("magiclink/signup-in/email", ["loginId": Self.login])
        let late = try token(try await server.message(to: Self.name).links.first)
        #expect(try await server.call("magiclink/verify", ["token": late]).status == 200)
        await server.stop()
    }

    @Test func `who asks for two links to sign up opens both`() async throws {
        let server = try await TestServer.start()
        var tokens: [JSONValue] = []
        for _ in 0..<2 {
            #expect(try await server.call("magiclink/signup-in/email", ["loginId": Self.login]).status == 200)
            tokens.append(try token(try await server.message(to: Self.name).links.first))
        }
        for token in tokens { #expect(try await server.call("magiclink/verify", ["token": token]).status == 200) }
        await server.stop()
    }
}
