internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The key service of one address, as a device asks it.
///
/// `key` is sent once and no more: whether a wrong password arrived before a connection broke cannot be known, and it
/// would count twice. `createkey` is sent again if no answer came at all, under the same idempotency key.
struct KeyService: Sendable {
    /// Below it lies ``KeyServicePaths/root``.
    let baseURL: String
    let transport: any HTTPTransport
    let ambient: Ambient

    /// What a request is sent with beside its body.
    typealias Headers = [(name: String, value: String)]

    /// Makes a key that `secret` opens.
    ///
    /// - Parameter authorization: Who is to own it; empty: no user.
    /// - Throws: `vault.no_long_secret` if the answer has none: later nothing could make up for it.
    func createKey(_ secret: Secret, authorization: Headers) async throws(AuthError) -> KeyServiceAnswer {
        let name = (KeyServicePaths.idempotencyKey, ambient.randomToken(byteCount: 24))
        let request = KeyServiceRequest(secret: secret)
        var response: HTTPResponse
        do throws(AuthError) {
            response = try await post(KeyServicePaths.createKey, request, authorization + [name])
        } catch {
            guard error.code == .vaultUnreachable else { throw error }
            response = try await post(KeyServicePaths.createKey, request, authorization + [name])
        }
        // A key without an owner is better than none.
        let isRefused =
            response.status == 401
            || KeyServiceRefusal(parsing: response.body)?.code.rawValue == "insufficient_scope"
        if isRefused, !authorization.isEmpty {
            response = try await post(KeyServicePaths.createKey, request, [name])
        }
        let answer = try Self.answer(response)
        guard answer.longSecret != nil else { throw Self.noLongSecret }
        return answer
    }

    /// The key, with its password.
    func key(_ keyID: String, secret: Secret) async throws(AuthError) -> KeyServiceAnswer {
        try Self.answer(
            try await post(KeyServicePaths.key, KeyServiceRequest(secret: secret, keyID: keyID)), keyID: keyID)
    }

    /// The key, with its long secret.
    func key(_ keyID: String, longSecret: Secret) async throws(AuthError) -> KeyServiceAnswer {
        try Self.answer(
            try await post(KeyServicePaths.key, KeyServiceRequest(longSecret: longSecret, keyID: keyID)), keyID: keyID)
    }

    /// Another password for the same key.
    ///
    /// - Returns: `nil` if the service cannot do that, so that the key must be changed as well.
    func changeSecret(
        _ keyID: String, from secret: Secret, to newSecret: Secret
    ) async throws(AuthError) -> KeyServiceAnswer? {
        let request = KeyServiceRequest(secret: secret, keyID: keyID, newSecret: newSecret)
        let response = try await post(KeyServicePaths.changeSecret, request)
        // A key that is not known is said to be so, in a body; an endpoint that is not there says nothing.
        let isUnknownEndpoint =
            response.status == 405
            || response.status == 404 && KeyServiceRefusal(parsing: response.body)?.code != .unknownKey
        return isUnknownEndpoint ? nil : try Self.answer(response, keyID: keyID)
    }

    /// Removes a key, with its password.
    func deleteKey(_ keyID: String, secret: Secret) async throws(AuthError) {
        try Self.refuse(
            try await post(KeyServicePaths.deleteKey, KeyServiceRequest(secret: secret, keyID: keyID)), allowing: 204)
    }

    /// Removes a key, for its owner.
    func deleteKey(_ keyID: String, authorization: Headers) async throws(AuthError) {
        let request = HTTPRequest(
            method: "DELETE", url: try ownersURL(keyID), headers: authorization,
            timeoutSeconds: Limits.farewellSeconds)
        let response = try await send(request)
        guard response.status != 404 else { return }
        try Self.refuse(response, allowing: 204)
    }

    /// Where a key's owner has it removed.
    func ownersURL(_ keyID: String) throws(AuthError) -> String {
        guard !keyID.isEmpty, keyID.utf8.allSatisfy(Self.isUnreserved) else {
            throw AuthError(.unsupported, "this key's name fits into no address")
        }
        return try url(KeyServicePaths.keys) + "/" + keyID
    }

    /// Where a key is made.
    func creationURL() throws(AuthError) -> String { try url(KeyServicePaths.createKey) }

    static let noLongSecret = AuthError(.vaultNoLongSecret, "the key service handed out no long secret")
}

extension KeyService {
    private func url(_ path: String) throws(AuthError) -> String {
        var base = baseURL[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        guard URLText.isAcceptableEndpoint(String(base)), !base.contains("?") else {
            throw AuthError(.misconfigured, "the key service's address must be an https URL without a query")
        }
        return base + KeyServicePaths.root + path
    }

    private func post(
        _ path: String, _ body: KeyServiceRequest, _ headers: Headers = []
    ) async throws(AuthError) -> HTTPResponse {
        let usual = [("Content-Type", "application/json"), ("Accept", "application/json")]
        return try await send(
            HTTPRequest(
                method: "POST", url: try url(path), headers: headers + usual, body: body.body,
                timeoutSeconds: Limits.requestSeconds))
    }

    private func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        do throws(AuthError) {
            let response = try await transport.send(request)
            // Trifork's clients take a bare redirect for the service's own answer.
            let isBareRedirect = (300..<400).contains(response.status) && response.body.isEmpty
            // A page says nothing about a key. `changesecret` alone is asked of services that do not know it.
            let isPage =
                response.isPage && response.status < 500 && !request.url.hasSuffix(KeyServicePaths.changeSecret)
            guard isBareRedirect || !(isPage || response.isIntercepted) else {
                throw .intercepted(.init(status: response.status))
            }
            return response
        } catch {
            guard error.code == .unavailable else { throw error }
            throw AuthError(.vaultUnreachable, "the key service cannot be reached", cause: error, server: error.server)
        }
    }

    private static func answer(_ response: HTTPResponse, keyID: String? = nil) throws(AuthError) -> KeyServiceAnswer {
        try refuse(response, allowing: 200)
        let limits = JSONValue.Limits(bytesMax: Limits.keyServiceAnswerMaxBytes)
        guard let answer = KeyServiceAnswer(parsing: response.body, limits: limits),
            keyID == nil || answer.keyID == keyID
        else {
            throw AuthError(.vaultAnswer, "the key service answered no key", server: .init(status: response.status))
        }
        return answer
    }

    /// Throws what any other status than the one that is wanted means.
    private static func refuse(_ response: HTTPResponse, allowing wanted: Int) throws(AuthError) {
        guard response.status != wanted else { return }
        let refusal = KeyServiceRefusal(parsing: response.body)
        let server = AuthError.ServerAnswer(
            status: response.status, code: Exchange.clean(refusal?.code.rawValue, max: 128),
            description: Exchange.clean(refusal?.message, max: 512),
            retryAfterSeconds: Exchange.retryAfter(response))
        func problem(_ code: AuthError.Code, _ detail: String) -> AuthError {
            AuthError(code, detail, cause: refusal, server: server)
        }
        switch response.status {
        case 401: throw problem(.vaultWrongPassword, "the password is wrong")
        // Trifork's own service answers a locked key with nothing at all.
        case 204, 403: throw problem(.vaultKeyLocked, "too many wrong passwords have locked the key")
        case 404: throw problem(.vaultKeyMissing, "the key service does not know the key")
        case 429, 502, 503, 504: throw problem(.vaultUnreachable, "the key service cannot answer now")
        default: throw problem(.vaultKeyService, "the key service refused (\(response.status))")
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
