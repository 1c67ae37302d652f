internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Asks about the signed-in person (OpenID Connect Core §5.3). The answer may be a signed token (§5.3.2).
    ///
    /// - Parameters:
    ///   - authorization: The header fields that present the access token.
    ///   - subject: Whom the answer must be about; `nil`: any user.
    /// - Throws: `service.unsupported` if there is no such endpoint, and if the answer is encrypted, or signed by a
    ///   provider with many tenants; a `token.*` code if it is a token that is not acceptable;
    ///   `userinfo.subject_mismatch`.
    func userInfo(
        authorization: [(name: String, value: String)], subject: String?
    ) async throws(AuthError) -> UserInfo {
        let endpoint = try await userInfoEndpoint()
        // Without ID tokens no answer is signed.
        let accepted = service.issuesIDTokens ? "application/json, application/jwt" : "application/json"
        let response = try await Exchange.get(endpoint, headers: authorization, accept: accepted, over: transport)
        proofs.note(response, from: endpoint)
        guard let claims = try await claims(response), let sub = claims["sub"]?.stringValue, !sub.isEmpty else {
            throw AuthError(.protocolViolation, "the userinfo answer has no sub (Core §5.3.2)")
        }
        guard subject == nil || sub == subject else {
            throw AuthError(.userInfoMismatch, "sub differs from the ID token's (Core §5.3.2)")
        }
        return UserInfo(subject: sub, claims: claims, source: .userInfoEndpoint)
    }

    func userInfoEndpoint() async throws(AuthError) -> String {
        let metadata = try await metadata()
        guard metadata.userinfoEndpoint != nil || metadata.flaws[Self.userInfoMember] != nil else {
            throw AuthError(.unsupported, "the service has no userinfo endpoint")
        }
        return try metadata.endpoint(.userinfoEndpoint)
    }

    private static let userInfoMember = ServerMetadata.CodingKeys.userinfoEndpoint.rawValue

    /// `nil` if a service without ID tokens names no user.
    private func claims(_ response: HTTPResponse) async throws(AuthError) -> [String: JSONValue]? {
        guard service.issuesIDTokens else { return BoxUserAnswer.claims(try Exchange.answer(response)) }
        try Exchange.refuse(response)
        guard let token = Self.token(response) else { return try Exchange.answer(response).objectValue }
        return try await claims(token)
    }

    /// The token that an answer is; `nil`: it is none. No JSON begins as base64url of JSON does.
    private static func token(_ response: HTTPResponse) -> String? {
        let type = response.header("Content-Type")?.prefix { $0 != ";" && $0 != " " }.lowercased()
        let words = String(decoding: response.body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard let first = words.first, words.count == 1 else { return nil }
        return first.hasPrefix("ey") || type == "application/jwt" && first.first != "{" ? String(first) : nil
    }

    /// Verifies a token with the issuer's keys. `iss` and `aud` should be in it (§5.3.2), and must be right if they
    /// are.
    private func claims(_ compact: String) async throws(AuthError) -> [String: JSONValue] {
        guard compact.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 4 else {
            throw AuthError(
                .unsupported,
                "the userinfo answer is encrypted, which this library does not read: register the client without "
                    + "userinfo_encrypted_response_alg")
        }
        guard service.tenants == nil else {
            throw AuthError(
                .unsupported,
                "the userinfo answer is signed, and this library does not verify such answers where the provider has "
                    + "many tenants")
        }
        let token: UnverifiedJWS
        do throws(JoseProblem) {
            token = try UnverifiedJWS(compact, bytesMax: Limits.answerMaxBytes)
        } catch {
            throw Self.unreadable(error)
        }
        let verified = try await keys().open(token, at: clock.now(), askingAtOnce: true)
        let claims: [String: JSONValue]
        do throws(JoseProblem) {
            let limits = JSONValue.Limits(bytesMax: Limits.answerMaxBytes, membersMax: 2_048)
            claims = try verified.claims(limits: limits).objectValue ?? [:]
        } catch {
            throw Self.unreadable(error)
        }
        try check(claims, issuer: try await metadata().issuer)
        return claims
    }

    private func check(_ claims: [String: JSONValue], issuer: String) throws(AuthError) {
        guard claims["iss"].isAbsent || claims["iss"]?.stringValue == issuer else {
            throw AuthError(.tokenMisdirected, "iss of the userinfo answer is another issuer (Core §5.3.2)")
        }
        let audience = claims["aud"]?.stringArrayValue ?? claims["aud"]?.stringValue.map { [$0] } ?? []
        guard claims["aud"].isAbsent || audience.contains(service.clientID) else {
            throw AuthError(.tokenMisdirected, "aud of the userinfo answer lacks this client (Core §5.3.2)")
        }
        guard claims["exp"].isAbsent || claims["exp"]?.secondsValue != nil else {
            throw AuthError(.tokenMalformed, "exp of the userinfo answer is no time")
        }
        // It is in time if either clock says so, see ``ClockedVerifier``.
        let now = min(clock.now(), ambient.now())
        if let end = claims["exp"]?.secondsValue, now >= UnixTime(rawValue: end) + Self.toleranceSeconds {
            throw AuthError(
                .tokenExpired, "exp of the userinfo answer has passed, by the service's clock and by this device's")
        }
    }

    /// As for an ID token, in seconds.
    private static let toleranceSeconds: Int64 = 60

    private static func unreadable(_ problem: JoseProblem) -> AuthError {
        AuthError(.tokenMalformed, "the userinfo answer cannot be read: \(problem.detail)", cause: problem)
    }
}

extension JSONValue? {
    /// Whether there is nothing: no member, or `null`.
    fileprivate var isAbsent: Bool { self == nil || self == .null }
}
