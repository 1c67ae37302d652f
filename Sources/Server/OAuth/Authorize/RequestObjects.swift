internal import Crypto
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model

/// Reads requests that clients signed (RFC 9101, OpenID Connect Core §6.1): only parameters inside count.
struct RequestObjects: Sendable {
    private let project: Project
    private let clients: ClientDirectory
    private let signatures: ClientSignatures
    private let ambient: Ambient

    init(project: Project, clients: ClientDirectory, ambient: Ambient) {
        self.project = project
        self.clients = clients
        signatures = ClientSignatures(clients: clients)
        self.ambient = ambient
    }

    /// A request that its client signed for this server, valid now.
    struct Opened: Sendable {
        let request: AuthorizationRequest
        let jti: String
        let expiresAt: UnixTime
    }

    /// Claims about the statement itself (RFC 7519 §4.1), which are no parameters.
    private static let ownClaims: Set<String> = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]

    /// - Throws: `request_not_supported` for a client that registered no keys; `invalid_request_object`;
    ///   `temporarily_unavailable` if its keys cannot be fetched.
    func open(_ compact: String, client: Client) async throws(OAuthProblem) -> Opened {
        guard clients.keys(of: client.id) != nil else {
            throw OAuthProblem(.requestNotSupported, "the client has registered no keys to check request objects with")
        }
        guard compact.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 else {
            throw Self.refusal("it must be signed, and not encrypted: three parts")
        }
        let jws: UnverifiedJWS
        do {
            jws = try UnverifiedJWS(compact)
        } catch {
            throw Self.refusal(error.detail)
        }
        // Clients that use no types write `JWT` or none (RFC 9101 §10.8); any other type is another statement.
        guard [nil, "JWT", TokenKind.authorizationRequest].contains(jws.header.type) else {
            throw Self.refusal("typ says that it is something else")
        }
        let now = ambient.now()
        let algorithm = client.metadata.requestObjectSigningAlg
        guard let claims = try await signatures.claims(of: jws, by: client, algorithm: algorithm, at: now) else {
            throw Self.refusal("it is not signed with a key and an algorithm of the client")
        }
        let expiresAt = try check(claims, client: client, at: now)
        return Opened(
            request: try Self.request(claims, client: client), jti: try Self.jti(claims, jws.unverifiedPayload),
            expiresAt: expiresAt)
    }

    /// Checks issuer, audience and times.
    ///
    /// - Returns: until when it could be used again.
    private func check(_ claims: JSONValue, client: Client, at now: UnixTime) throws(OAuthProblem) -> UnixTime {
        // OpenID Connect Core §6.1 only recommends `iss`; the signature names the client. If present, it must be right.
        let issuer = claims["iss"]
        guard issuer?.stringValue == client.id || (issuer == nil && !client.requiresStrictAssertions) else {
            throw Self.refusal("iss must be the client_id")
        }
        guard claims["client_id"] == nil || claims["client_id"]?.stringValue == client.id else {
            throw Self.refusal("client_id inside and outside differ")
        }
        // An assertion about the client itself, used as a request (RFC 9101 §10.8).
        guard claims["sub"]?.stringValue != client.id else { throw Self.refusal("sub must not be the client") }
        guard claims["request"] == nil, claims["request_uri"] == nil else {
            throw Self.refusal("it must not hold another request")
        }
        let audience = claims["aud"]?.stringArrayValue ?? claims["aud"]?.stringValue.map { [$0] } ?? []
        guard audience.contains(where: project.isIssuer) else {
            throw Self.refusal("aud must be the issuer of this server")
        }
        let expiry = try Self.time(claims, "exp")
        let notBefore = try Self.time(claims, "nbf")
        let issuedAt = try Self.time(claims, "iat")
        guard expiry.map({ now < $0 }) ?? !client.requiresStrictAssertions else {
            throw Self.refusal("exp is missing, or has passed")
        }
        guard notBefore != nil || client.profile != .fapi2 else { throw Self.refusal("nbf is missing") }
        for start in [notBefore, issuedAt].compactMap(\.self) where now + Limits.requestObjectSkewSeconds < start {
            throw Self.refusal("it is not valid yet: is the clock right?")
        }
        let start = notBefore ?? issuedAt ?? now
        // Without `exp` it has the longest lifetime.
        let expiresAt = expiry ?? start + Limits.requestObjectSeconds
        guard expiresAt.seconds(since: start) <= Limits.requestObjectSeconds,
            now.seconds(since: start) <= Limits.requestObjectSeconds
        else {
            throw Self.refusal("it is valid for more than \(Limits.requestObjectSeconds) seconds")
        }
        return expiresAt
    }

    /// Its identity: its `jti`, or else its whole payload. Not its signature, of which there may be several for the
    /// same payload.
    private static func jti(_ claims: JSONValue, _ payload: [UInt8]) throws(OAuthProblem) -> String {
        guard let jti = claims["jti"] else { return "payload:" + Base64URL.encode(Array(SHA256.hash(data: payload))) }
        guard let text = jti.stringValue, (1...512).contains(text.utf8.count) else {
            throw refusal("jti is not a string of reasonable length")
        }
        return "jti:" + text
    }

    /// The request inside, in the form of plain parameters (RFC 9101 §4).
    private static func request(_ claims: JSONValue, client: Client) throws(OAuthProblem) -> AuthorizationRequest {
        var form = FormParameters(["client_id": client.id])
        for (name, value) in claims.objectValue ?? [:] where !ownClaims.contains(name) && name != "client_id" {
            if name == "resource", let uris = value.stringArrayValue {
                for uri in uris { form.append(name, uri) }
            } else if let text = value.stringValue {
                form.append(name, text)
            } else if let number = value.integerValue {
                form.append(name, String(number))
            } else if value.objectValue != nil || value.arrayValue != nil {
                form.append(name, String(decoding: value.serialized, as: UTF8.self))
            } else if value != .null {
                throw refusal("a parameter is of a type that no parameter has")
            }
        }
        // As in a query; nothing has looked for it inside of the signature.
        guard !form.all.contains(where: { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) }) else {
            throw refusal("a parameter has the character U+0000")
        }
        do {
            return try AuthorizationRequest(form)
        } catch {
            throw refusal("a parameter is there twice")
        }
    }

    private static func time(_ claims: JSONValue, _ name: String) throws(OAuthProblem) -> UnixTime? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.integerValue, seconds >= 0 else {
            throw refusal("\(name) is not a plausible number of seconds")
        }
        return UnixTime(rawValue: seconds)
    }

    private static func refusal(_ why: String) -> OAuthProblem {
        OAuthProblem(.invalidRequestObject, "the request object is not good: \(why)")
    }
}
