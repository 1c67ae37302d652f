import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import Model
import ServerTesting
import SignIn
import Testing

/// What apps and people do in the tests of the methods.
extension TestServer {
    /// An app of this project that keeps nothing on disk.
    func app(projectID: String = "test") -> Keyturn {
        Keyturn(
            .keyturn(issuer: issuer, clientID: "tool", projectID: projectID), storage: .memory,
            transport: DatedTransport(clock), ambient: clock.ambient)
    }

    /// The backend of that app.
    var sessionTokens: SessionTokenVerifier { SessionTokenVerifier(issuer: issuer, projectID: "test") }

    /// What was last sent to somebody. A second passes, so that the next message is newer.
    func newestMessage(to address: String) async throws -> OutgoingMessage {
        let messages = try await services.messages.newest(limit: 100).map(\.message)
        clock.advance(1)
        return try #require(messages.last { $0.to == address })
    }

    /// The newest message to somebody that has links.
    func newestLinks(to address: String) async throws -> OutgoingMessage {
        let messages = try await services.messages.newest(limit: 100).map(\.message)
        clock.advance(1)
        return try #require(messages.last { $0.to == address && !$0.links.isEmpty })
    }

    /// The token in an address that a link led to.
    static func token(in link: String?) throws -> String {
        let items = try #require(link.flatMap { URLComponents(string: $0) }?.queryItems)
        return try #require(items.first { $0.name == "t" }?.value)
    }
}

extension TOTPCode {
    /// What an authenticator app shows after its user typed the key in.
    init(typed key: String) throws {
        self.init(try #require(TOTPSecret(typed: Secret(key))))
    }
}
