public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Asks the service about the signed-in person (OpenID Connect Core §5.3).
    ///
    /// Claims that this library does not know are kept. An answer about another user than the ID token names is
    /// refused (§5.3.2). A signed answer is verified with the issuer's keys; `iss` and `aud` must be right where it
    /// names them. A session that a method made is asked about where it was made, see
    /// ``ProfileMethods/me(refreshJwt:)``.
    ///
    /// - Throws: `service.unsupported` if the service has no userinfo endpoint, or encrypts its answer;
    ///   `protocol.violation`; a `token.*` code if a signed answer is not acceptable;
    ///   `userinfo.subject_mismatch`, after which the session is as it was;
    ///   `server.refused`; otherwise as ``accessToken(minimumSeconds:)``.
    public func userInfo() async throws(AuthError) -> UserInfo {
        guard try await !keeper.isMadeByMethod() else { return UserInfo(try await profile.me()) }
        let token = try await accessToken()
        let subject = await idToken?.subject
        do throws(AuthError) {
            return try await userInfo(presenting: token, subject: subject)
        } catch {
            guard error.server?.status == 401 else { throw error }
            return try await userInfo(presenting: try await replacement(for: token), subject: subject)
        }
    }

    /// Asks with one access token, and once more with the same if the server wants its nonce in the proof.
    func userInfo(presenting token: String, subject: String?) async throws(AuthError) -> UserInfo {
        let endpoint = try await provider.userInfoEndpoint()
        do throws(AuthError) {
            let fields = try await authorization(presenting: token, method: "GET", url: endpoint)
            return try await provider.userInfo(authorization: fields, subject: subject)
        } catch {
            guard error.server?.code == OAuthProblem.Code.useDPoPNonce.rawValue else { throw error }
            let fields = try await authorization(presenting: token, method: "GET", url: endpoint)
            return try await provider.userInfo(authorization: fields, subject: subject)
        }
    }
}

extension UserInfo {
    /// The same in OpenID Connect's words. What the service does not know is no claim.
    init(_ user: UserDetails) {
        var claims: [String: JSONValue] = ["sub": .string(user.userId)]
        for (claim, text) in [
            ("name", user.name), ("given_name", user.givenName), ("middle_name", user.middleName),
            ("family_name", user.familyName), ("picture", user.picture), ("email", user.email),
            ("phone_number", user.phone),
        ] {
            if let text { claims[claim] = .string(text) }
        }
        if user.email != nil { claims["email_verified"] = .bool(user.isVerifiedEmail) }
        if user.phone != nil { claims["phone_number_verified"] = .bool(user.isVerifiedPhone) }
        self.init(subject: user.userId, claims: claims, source: .userInfoEndpoint)
    }
}
