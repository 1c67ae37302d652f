internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Where the service's own pages and calls are, beside its OAuth endpoints: at the origin of its authorization
    /// endpoint, whatever path the issuer has.
    func pagesOrigin() async throws(AuthError) -> String {
        guard let origin = URLText.origin(try await metadata().endpoint(.authorizationEndpoint)) else {
            throw AuthError(.protocolViolation, "the authorization endpoint is no web address")
        }
        return origin
    }

    /// A token that takes the session of `refreshToken` into a browser once, within five minutes (Authgear).
    ///
    /// - Parameters:
    ///   - url: Where to ask; `nil`: where Authgear's service has it.
    ///   - refreshToken: The session's.
    ///   - thumbprint: The key that the refresh token is bound to; `nil`: none.
    /// - Throws: `service.unsupported` if the service has no such place; `server.refused` if the token is not good.
    func appSessionToken(
        at url: String?, _ refreshToken: String, boundTo thumbprint: String?
    ) async throws(AuthError) -> String {
        var place = url
        if place == nil { place = try await pagesOrigin() + "/oauth2/app_session_token" }
        let answer = try await present(refreshToken, boundTo: thumbprint, at: place ?? "")
        guard let token = TokenGrant.token(answer["result"]?["app_session_token"]) else {
            throw AuthError(.protocolViolation, "the answer has no app session token")
        }
        return token
    }

    /// Sends JSON with a session's refresh token, which is not spent, and the proof of its key.
    ///
    /// - Parameters:
    ///   - thumbprint: The key that the refresh token is bound to; `nil`: none.
    ///   - members: What else is sent.
    /// - Throws: `service.unsupported` if the service has no such place; `server.refused`.
    func present(
        _ refreshToken: String, boundTo thumbprint: String?, at url: String, with members: [String: JSONValue] = [:]
    ) async throws(AuthError) -> JSONValue {
        let key = if let thumbprint { try await proofs.key(thumbprint) } else { nil as DPoPProofMaker.Key? }
        let body = JSONValue.object(members.merging(["refresh_token": .string(refreshToken)]) { $1 }).serialized
        var retries = DPoPProofMaker.Retries()
        while true {
            let (response, isNewNonce) = try await send(body, to: url, proving: key)
            do throws(AuthError) {
                return try Exchange.answer(response)
            } catch {
                guard key != nil, retries.allow(error, isNewNonce: isNewNonce) else { throw error }
            }
        }
    }

    private func send(
        _ body: [UInt8], to url: String, proving key: DPoPProofMaker.Key?
    ) async throws(AuthError) -> (HTTPResponse, isNewNonce: Bool) {
        var headers = [("Accept", "application/json"), ("Content-Type", "application/json")]
        if let key { headers.append((TokenType.dpop, try await proofs.proof(key, method: "POST", url: url))) }
        let response = try await transport.send(
            HTTPRequest(
                method: "POST", url: url, headers: headers,
                body: body, timeoutSeconds: Limits.requestSeconds))
        clock.note(response)
        guard response.status != 404 else {
            throw AuthError(.unsupported, "the service takes no app's session there", server: .init(status: 404))
        }
        return (response, proofs.note(response, from: url))
    }
}
