import Foundation
import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

/// Calls of the methods' wire, as an app would make them.
extension TestServer {
    /// Posts JSON; `refresh` is the session presented, `address` is where it comes from, for a server that trusts the header.
    func call(_ path: String, _ body: JSONValue, refresh: String? = nil, from address: String? = nil) async throws
        -> EndpointAnswer
    {
        let bearer = ["Bearer test", refresh].compactMap(\.self).joined(separator: ":")
        return try await send(
            "POST", "/v1/auth/\(path)",
            headers: [("Authorization", bearer), ("Content-Type", "application/json")]
                + (address.map { [("X-Forwarded-For", $0)] } ?? []),
            body: String(decoding: body.serialized, as: UTF8.self))
    }

    /// The newest message that somebody really gets. A second passes, so that the next one is newer.
    func message(to address: String) async throws -> OutgoingMessage {
        let messages = try await services.messages.newest(limit: 100).map(\.message)
        clock.advance(1)
        return try #require(messages.last { $0.to == address })
    }

    /// How many messages somebody got.
    func messageCount(to address: String) async throws -> Int {
        try await services.messages.newest(limit: 100).count { $0.message.to == address }
    }

    /// Signs up by a code, as far as the session.
    func signUpByCode(_ email: String) async throws -> EndpointAnswer {
        let sent = try await call("otp/signup/email", ["loginId": .string(email), "user": ["name": "Somebody"]])
        #expect(sent.status == 200)
        let code = try #require(try await message(to: email).code)
        return try await call("otp/verify/email", ["loginId": .string(email), "code": .string(code)])
    }

    /// Signs in by a code.
    func signInByCode(_ email: String) async throws -> EndpointAnswer {
        _ = try await call("otp/signin/email", ["loginId": .string(email)])
        let code = try #require(try await message(to: email).code)
        return try await call("otp/verify/email", ["loginId": .string(email), "code": .string(code)])
    }
}

extension EndpointAnswer {
    /// The `errorCode` of a refusal.
    var errorCode: String? { json["errorCode"]?.stringValue }
    var refreshJWT: String? { json["refreshJwt"]?.stringValue }
    /// The `amr` of the session token.
    var methods: [String] {
        let parts = json["sessionJwt"]?.stringValue?.split(separator: ".") ?? []
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return [] }
        return (try? JSONValue(parsing: bytes))?["amr"]?.stringArrayValue ?? []
    }
}
