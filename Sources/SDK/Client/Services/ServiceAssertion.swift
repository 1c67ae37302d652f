internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire

/// A signed statement of an application (RFC 7523 §3).
struct ServiceAssertion {
    let issuer: String
    let subject: String
    /// Box: what the subject is.
    var boxSubjectType: BoxSubject.Kind?
    let audience: String
    let lifetimeSeconds: Int64
    /// Whether it says when it was made. Box's clients do not.
    var isDated = false

    /// The statement, with a `jti` of its own.
    func signed(
        with key: AssertionKey, type: String, at now: UnixTime, ambient: Ambient
    ) throws(AuthError) -> Secret {
        let claims = JSONWriter.object { writer in
            writer.member("iss", issuer)
            writer.member("sub", subject)
            writer.member("box_sub_type", boxSubjectType?.rawValue)
            writer.member("aud", audience)
            writer.member("jti", ambient.randomToken(byteCount: 24))
            if isDated { writer.member("iat", now.rawValue) }
            writer.member("exp", (now + lifetimeSeconds).rawValue)
        }
        do throws(JoseProblem) {
            return Secret(try JWSSigner(key: key.signingKey, keyID: key.keyID, type: type).sign(claims))
        } catch {
            throw AuthError(.misconfigured, "the key cannot sign", cause: error)
        }
    }
}

extension ServiceAssertion {
    /// What a client that proves who it is sends along (RFC 7523 §2.2).
    ///
    /// - Parameter audience: The service's issuer.
    static func authentication(
        of clientID: String, with key: AssertionKey, audience: String, at now: UnixTime, ambient: Ambient
    ) throws(AuthError) -> [(name: String, value: String)] {
        let assertion = ServiceAssertion(
            issuer: clientID, subject: clientID, audience: audience, lifetimeSeconds: Limits.assertionSeconds,
            isDated: true)
        let signed = try assertion.signed(with: key, type: TokenKind.clientAuthentication, at: now, ambient: ambient)
        return [
            ("client_assertion_type", ClientAssertionType.jwtBearer), ("client_assertion", signed.exposed()),
        ]
    }

    /// Whether a statement was refused because of its time, or of its name, which was used by another client.
    ///
    /// - Parameters:
    ///   - dated: When it was made, by `clock`.
    ///   - clock: The service's, after its answer.
    static func isOutOfTime(_ error: AuthError, dated: UnixTime, by clock: ServiceClock) -> Bool {
        if abs(clock.now().seconds(since: dated)) > Limits.clockErrorSeconds { return true }
        let words = (error.server?.description ?? "").split { !$0.isLetter }
        return words.contains { $0 == "exp" || $0 == "jti" }
    }
}
