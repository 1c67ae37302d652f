import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting

/// Calls of the key service, as devices make them.
extension TestServer {
    /// Posts to an endpoint of the key service.
    ///
    /// - Parameters:
    ///   - realm: whose path it goes to; `nil`: none.
    ///   - name: of a request that may come twice.
    ///   - network: where it comes from, as the proxy says.
    func keyService(
        _ endpoint: String, _ body: JSONValue, realm: String? = nil, token: String? = nil, name: String? = nil,
        network: String? = nil
    ) async throws -> EndpointAnswer {
        var headers = [("Content-Type", "application/json; charset=utf-8")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if let name { headers.append(("Idempotency-Key", name)) }
        if let network { headers.append(("X-Forwarded-For", network)) }
        return try await send(
            "POST", Self.keyServicePath(endpoint, realm: realm), headers: headers,
            body: String(decoding: body.serialized, as: UTF8.self))
    }

    static func keyServicePath(_ endpoint: String, realm: String? = nil) -> String {
        (realm.map { "/auth/realms/\($0)" } ?? "") + "/keyservice/v1/\(endpoint)"
    }

    /// Makes a key.
    func makeKey(_ secret: String = "1234", realm: String? = nil, token: String? = nil, name: String? = nil)
        async throws -> KeyServiceAnswer
    {
        let answer = try await keyService(
            "createkey", ["secret": .string(secret)], realm: realm, token: token, name: name)
        guard answer.status == 200, let key = KeyServiceAnswer(parsing: Array(answer.body.utf8)) else {
            throw TestFailure("no key was made: \(answer.status) \(answer.body)")
        }
        return key
    }

    /// Asks for a key with a secret.
    func unlock(_ id: String, _ secret: String, realm: String? = nil) async throws -> EndpointAnswer {
        try await keyService("key", ["keyid": .string(id), "secret": .string(secret)], realm: realm)
    }

    /// The same with a long secret.
    func unlock(_ id: String, longSecret: Secret?, realm: String? = nil) async throws -> EndpointAnswer {
        let text = longSecret?.exposed() ?? ""
        return try await keyService("key", ["keyid": .string(id), "longsecret": .string(text)], realm: realm)
    }

    /// An access token of the person that every test server knows.
    func accessToken(_ client: Client = TestClients.tool) async throws -> String {
        try await tokens(client).accessToken
    }

    /// Signs in, and redeems the code.
    func tokens(_ client: Client, _ change: (inout AuthorizationRequest) -> Void = { _ in }) async throws
        -> TokenResponse
    {
        let proof = PKCE(ambient: .live)
        let response = try await signIn(client, proof: proof, change)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let answer = try await redeem(code, client, proof: proof)
        guard answer.status == 200 else { throw TestFailure("the code was refused: \(answer.body)") }
        return try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.utf8))
    }
}

extension EndpointAnswer {
    /// The key that it hands out.
    var dataKey: String? { json["key"]?.stringValue }
    /// Wrong secrets that are left, as it says.
    var remaining: Int64? { json["remaining_attempts"]?.integerValue }
}
