internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// Gets tokens for a client that signs in as itself (RFC 6749 §4.4), and ends them (RFC 7009).
struct ClientTokens: Sendable {
    let transport: any HTTPTransport
    var ambient = Ambient.live

    /// Longest token that is taken, in bytes.
    private static let tokenBytesMax = 65_536
    /// How much of the server's words is shown, in characters.
    private static let wordsMax = 256
    /// The longest life of a token that is believed: a year.
    private static let lifetimeSecondsMax: Int64 = 31_536_000

    /// The same client with a new token.
    ///
    /// A secret goes into the header (`client_secret_basic`) or into the form (`client_secret_post`). For which of them
    /// the client is registered is found out by asking, once.
    ///
    /// - Throws: `server.refused`; `transport.unavailable`; `protocol.violation`; `service.unsupported` if the server
    ///   takes no secrets.
    func renewed(_ client: StoredClient) async throws(AuthError) -> StoredClient {
        let metadata = try await Discovery(transport: transport).metadata(of: client.issuer)
        let endpoint = try metadata.endpoint(.tokenEndpoint)
        let request = TokenRequest.clientCredentials(scope: client.scope, resource: client.resource)
        var refusal = AuthError(
            .unsupported, "the server takes no secret of a client: neither client_secret_basic nor client_secret_post")
        for method in Self.methods(client, metadata) {
            do throws(AuthError) {
                let answer = try await post(request.parameters, to: endpoint, as: client, by: method)
                var next = client
                next.method = method
                next.token = try token(answer)
                return next
            } catch {
                guard error.server?.code == OAuthProblem.Code.invalidClient.rawValue else { throw error }
                refusal = error
            }
        }
        throw refusal
    }

    /// Ends the client's token at the server, if it has one and the server a place for that.
    ///
    /// - Throws: `transport.unavailable`; `server.refused`.
    func revoke(_ client: StoredClient) async throws(AuthError) {
        guard let token = client.token, token.secondsLeft(at: ambient.now()).map({ $0 > 0 }) ?? true,
            let method = client.method
        else { return }
        let metadata = try await Discovery(transport: transport).metadata(of: client.issuer)
        guard let endpoint = metadata.revocationEndpoint else { return }
        let form = FormParameters(["token": token.text.exposed(), "token_type_hint": "access_token"])
        _ = try await post(form, to: endpoint, as: client, by: method)
    }

    private static func methods(
        _ client: StoredClient, _ metadata: ServerMetadata
    ) -> [ClientAuthenticationMethod] {
        if let method = client.method { return [method] }
        let taken = metadata.tokenEndpointAuthMethodsSupported ?? []
        return [.clientSecretBasic, .clientSecretPost].filter { taken.isEmpty || taken.contains($0.rawValue) }
    }

    private func post(
        _ parameters: FormParameters, to url: String, as client: StoredClient, by method: ClientAuthenticationMethod
    ) async throws(AuthError) -> JSONValue {
        var form = parameters
        var headers: [(name: String, value: String)] = [
            ("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"),
        ]
        if method == .clientSecretBasic {
            let credentials = BasicCredentials(clientID: client.clientID, clientSecret: client.secret)
            headers.append(("Authorization", credentials.header))
        } else {
            form.append("client_id", client.clientID)
            form.append("client_secret", client.secret.exposed())
        }
        return try Self.answer(
            await transport.send(
                HTTPRequest(method: "POST", url: url, headers: headers, body: Array(form.encoded.utf8))))
    }

    /// The answer's object, which may be empty; or what a refusal means.
    private static func answer(_ response: HTTPResponse) throws(AuthError) -> JSONValue {
        let json = try? JSONValue(parsing: response.body)
        if (200..<300).contains(response.status) {
            if response.body.isEmpty { return [:] }
            if let json, json.objectValue != nil { return json }
        }
        let code = shown(json?["error"]?.stringValue)
        let server = AuthError.ServerAnswer(
            status: response.status, code: code, description: shown(json?["error_description"]?.stringValue))
        switch response.status {
        case _ where code == nil && response.isIntercepted: throw .intercepted(server)
        case 408, 425, 429, 500...599: throw AuthError(.unavailable, "the server cannot answer now", server: server)
        case 400..<500: throw AuthError(.refused, "the server refused the request", server: server)
        default: throw AuthError(.protocolViolation, "the answer is not a JSON object", server: server)
        }
    }

    private static func shown(_ words: String?) -> String? {
        words.map { VisibleText.shown(String($0.prefix(wordsMax))) }
    }

    private func token(_ answer: JSONValue) throws(AuthError) -> StoredClient.Token {
        guard let text = answer["access_token"]?.stringValue, !text.isEmpty, text.utf8.count <= Self.tokenBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw AuthError(.protocolViolation, "the token answer has no access_token that a header can carry") }
        guard answer["token_type"]?.stringValue?.lowercased() == TokenType.bearer.lowercased() else {
            throw AuthError(
                .unsupported, "the server gives this client no bearer token, and the command line can use no other")
        }
        let seconds = answer["expires_in"]?.integerValue ?? answer["expires_in"]?.stringValue.flatMap { Int64($0) }
        let now = ambient.now()
        return StoredClient.Token(
            text: Secret(text), expiresAt: seconds.map { now + min(max(0, $0), Self.lifetimeSecondsMax) },
            scope: answer["scope"]?.stringValue)
    }
}
