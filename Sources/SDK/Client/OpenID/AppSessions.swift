internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Where the service's own pages and calls are, beside its OAuth endpoints: at the origin of its authorization
    /// endpoint, whatever path the issuer has.
    func pagesOrigin() async throws(AuthError) -> String {
        guard let page = try await metadata().authorizationEndpoint, let origin = URLText.origin(page) else {
            throw AuthError(.protocolViolation, "the discovery document names no authorization endpoint")
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
        let url = place ?? ""
        let key = if let thumbprint { try await proofs.key(thumbprint) } else { nil as DPoPProofMaker.Key? }
        var retries = DPoPProofMaker.Retries()
        while true {
            let (response, isNewNonce) = try await askForAppSession(at: url, refreshToken, key)
            do throws(AuthError) {
                guard let token = TokenGrant.token(try Exchange.answer(response)["result"]?["app_session_token"]) else {
                    throw AuthError(.protocolViolation, "the answer has no app session token")
                }
                return token
            } catch {
                guard key != nil, retries.allow(error, isNewNonce: isNewNonce) else { throw error }
            }
        }
    }

    private func askForAppSession(
        at url: String, _ refreshToken: String, _ key: DPoPProofMaker.Key?
    ) async throws(AuthError) -> (HTTPResponse, isNewNonce: Bool) {
        var headers = [("Accept", "application/json"), ("Content-Type", "application/json")]
        if let key { headers.append((TokenType.dpop, try await proofs.proof(key, method: "POST", url: url))) }
        let response = try await transport.send(
            HTTPRequest(
                method: "POST", url: url, headers: headers,
                body: JSONWriter.object { $0.member("refresh_token", refreshToken) },
                timeoutSeconds: Limits.requestSeconds))
        clock.note(response)
        guard response.status != 404 else {
            throw AuthError(.unsupported, "the service opens no pages in an app's session", server: .init(status: 404))
        }
        return (response, proofs.note(response, from: url))
    }
}
