package import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
package import Model

/// A refresh token for clients that read it: a signed JWT with `iss`, `sub` and `exp` that holds the usual one.
///
/// It has its own `typ`, so that it passes as no other token, and the token inside is judged as usual. After its `exp`
/// it is refused although its grant may live on: the client was told that it ends then.
extension TokenIssuer {
    /// The refresh token that a client gets.
    func refreshToken(_ grant: Grant, for client: Client, at now: UnixTime) throws(OAuthProblem) -> String {
        let token = refreshToken(grant)
        guard client.reusesRefreshTokens else { return token }
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer(ofRealm: realm))
            json.member("sub", grant.userID.rawValue)
            // Its only audience: a resource server that ignores `typ` must not take it for an access token.
            json.member("aud", project.tokenEndpoint)
            json.member("client_id", client.id)
            json.member("iat", now.rawValue)
            json.member("exp", min(grant.idleExpiresAt, grant.absoluteExpiresAt).rawValue)
            json.member("rt", token)
        }
        return try sign(payload, accessTokenAlgorithm, at: now) { $0.refreshToken }
    }

    /// The presented refresh token, in either form, if this server made it and it has not expired.
    ///
    /// - Parameter now: `nil`: an expired one is accepted, because it is to be ended.
    package func refreshToken(presented text: Secret, at now: UnixTime?) -> PresentedRefreshToken? {
        let isReadable = text.exposed().utf8.contains(UInt8(ascii: "."))
        return (isReadable ? read(text, at: now) : refreshToken(bare: text)).map {
            PresentedRefreshToken(content: $0, isReadable: isReadable)
        }
    }

    private func read(_ text: Secret, at now: UnixTime?) -> RefreshToken? {
        let text = text.exposed()
        guard text.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(text),
            jws.header.type == TokenKind.refreshToken, let keyID = jws.header.keyID,
            let key = verificationKey(keyID, at: now ?? ambient.now()),
            let claims = try? jws.verify(with: key).claims(),
            Project.isIssuer(claims["iss"]?.stringValue, of: project.issuer),
            claims["aud"]?.stringValue == project.tokenEndpoint, let expiry = claims["exp"]?.integerValue,
            (now?.rawValue ?? 0) < expiry, let token = claims["rt"]?.stringValue
        else { return nil }
        return refreshToken(bare: Secret(token))
    }
}

/// A refresh token as it was presented: the client of its grant says whether its form counts.
package struct PresentedRefreshToken: Sendable {
    fileprivate let content: RefreshToken
    fileprivate let isReadable: Bool

    /// The grant that it names, by which its client is found, or that is to be ended.
    package var grantID: GrantID { content.grantID }

    /// The token, at the client of its grant.
    ///
    /// - Returns: `nil` if it was taken out of a readable one: the lifetime would not hold for it.
    package func token(of client: Client) -> RefreshToken? {
        isReadable || !client.reusesRefreshTokens ? content : nil
    }
}
