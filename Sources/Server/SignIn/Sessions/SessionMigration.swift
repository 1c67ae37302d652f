internal import Crypto
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model
internal import OAuth

/// Checks tokens of other issuers that the operator trusts, and finds the user of each.
///
/// Each token is accepted once, so that a later copy is useless.
struct SessionMigration: Sendable {
    let sources: [MigrationSource]
    let users: any UserStore
    let recoveries: any RecoveryStore
    let rateLimits: any RateLimitStore
    let audit: any AuditLog
    let ambient: Ambient

    /// The `typ` of tokens that identify a user. Others, such as logout tokens, are signed by the same keys.
    private static let kinds: Set<String?> = [nil, "JWT", "at+jwt"]

    /// Finds the user of a token, and marks the token as used.
    ///
    /// - Throws: ``MethodProblem/invalidRequest``, which says why; ``MethodProblem/unavailable`` if the issuer's keys
    ///   cannot be fetched; ``StoreError``.
    func identify(_ token: Secret, from address: NetworkAddress?) async throws -> ProvenIdentity {
        guard !sources.isEmpty else { throw Self.refusal("This project trusts no other issuer's tokens") }
        let now = ambient.now()
        let text = token.exposed()
        guard text.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(text) else {
            throw Self.refusal("The external token is no signed token")
        }
        guard Self.kinds.contains(jws.header.type) else {
            throw Self.refusal("The external token is of a kind that signs nobody in")
        }
        // Read before the signature is checked, only to choose the issuer's keys.
        guard let issuer = (try? JSONValue(parsing: jws.unverifiedPayload))?["iss"]?.stringValue,
            let source = sources.first(where: { $0.issuer == issuer })
        else { throw Self.refusal("This project does not trust the external token's issuer") }
        let claims = try await verified(jws, source, at: now)
        let expiry = try Self.check(claims, source, at: now)
        guard let account = try await account(claims, source) else {
            audit.recordOnce(AuditEvent(.signInFailed, at: now, address: address?.text, reason: Self.method.word))
            throw Self.refusal("The external token's user is not known here")
        }
        guard [.active, .invited].contains(account.user.status) else { throw MethodProblem.userDisabled }
        if let endedAt = account.user.endedAt {
            // What ended the user's sessions here ended those of before there, too.
            guard let issuedAt = Self.time(claims["iat"]), issuedAt > endedAt else {
                throw Self.refusal("The external token is older than the end of its user's sessions here")
            }
        }
        let charge = RateLimitCharge(
            Self.name(claims, of: source, text), max: 1,
            windowSeconds: expiry.seconds(since: now) + Limits.clockSkewSeconds)
        guard try await rateLimits.spend([charge], at: now) == nil else {
            audit.recordOnce(
                AuditEvent(
                    .signInFailed, at: now, userID: account.user.id, address: address?.text, reason: Self.method.word))
            throw Self.refusal("The external token was exchanged before")
        }
        return ProvenIdentity(account: account, method: Self.method, isFirst: false)
    }

    private static let method = AuthenticationMethod.federated

    private func verified(_ jws: UnverifiedJWS, _ source: MigrationSource, at now: UnixTime) async throws -> JSONValue {
        let candidates: [VerificationKey]
        do {
            candidates = try await source.keys.candidates(for: jws.header, at: now)
        } catch {
            throw MethodProblem.unavailable
        }
        for key in candidates.prefix(Limits.foreignKeysTriedMax) {
            if let claims = try? jws.verify(with: key).claims() { return claims }
        }
        throw Self.refusal("No key of its issuer signed the external token")
    }

    /// - Returns: the expiry of the token.
    private static func check(_ claims: JSONValue, _ source: MigrationSource, at now: UnixTime) throws(MethodProblem)
        -> UnixTime
    {
        let tolerance = Limits.foreignClockSeconds
        guard claims["iss"]?.stringValue == source.issuer else {
            throw refusal("This project does not trust the external token's issuer")
        }
        let audience = claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.stringArrayValue ?? []
        guard audience.contains(source.audience) else { throw refusal("The external token is not meant for this") }
        guard claims["events"] == nil else { throw refusal("The external token tells of an event") }
        guard let expiry = time(claims["exp"]) else { throw refusal("The external token does not say when it ends") }
        guard now < expiry + tolerance else { throw refusal("The external token has expired") }
        for name in ["iat", "nbf"] where claims[name] != nil {
            guard let moment = time(claims[name]), moment <= now + tolerance else {
                throw refusal("The external token is not good yet")
            }
        }
        return expiry
    }

    private func account(_ claims: JSONValue, _ source: MigrationSource) async throws(StoreError) -> Account? {
        switch source.subject {
        case .sub:
            guard let subject = claims["sub"]?.stringValue, (1...Limits.subjectBytesMax).contains(subject.utf8.count)
            else { return nil }
            return try await users.account(UserID(rawValue: subject))
        case .email:
            guard claims["email_verified"] == true, let text = claims["email"]?.stringValue,
                let email = Identifier(loginID: text), email.kind == .email,
                let account = try await users.account(email)
            else { return nil }
            // An account with this address unverified does not belong to its owner. The issuer spoke of who had it then.
            guard account.identifiers[email] == .verified, let issuedAt = Self.time(claims["iat"]),
                issuedAt > ambient.now() - Limits.recoveryProofAgeSeconds,
                try await !recoveries.addresses(of: account.user.id, provedAfter: issuedAt).contains(email)
            else { return nil }
            return account
        }
    }

    /// The name under which a used token is remembered: its `jti` if it has one, or what was signed. The signature is
    /// left out: with some algorithms, a second valid one can be made without the key.
    private static func name(_ claims: JSONValue, of source: MigrationSource, _ token: String) -> String {
        let signed = token[..<(token.lastIndex(of: ".") ?? token.endIndex)]
        let what = claims["jti"]?.stringValue.map { "jti:\($0)" } ?? "token:\(signed)"
        let digest = SHA256.hash(data: Array("\(source.issuer.utf8.count):\(source.issuer):\(what)".utf8))
        return "migrated:\(Base64URL.encode(Array(digest)))"
    }

    /// NumericDate (RFC 7519 §2), a fraction dropped, within 53 bits.
    private static func time(_ json: JSONValue?) -> UnixTime? {
        let bound: Int64 = 1 << 53
        let seconds: Int64? =
            switch json {
            case .integer(let value): value
            case .number(let value): Int64(exactly: value.rounded(.down))
            default: nil
            }
        guard let seconds, (-bound...bound).contains(seconds) else { return nil }
        return UnixTime(rawValue: seconds)
    }

    private static func refusal(_ text: String) -> MethodProblem {
        .invalidRequest.saying(text)
    }
}
