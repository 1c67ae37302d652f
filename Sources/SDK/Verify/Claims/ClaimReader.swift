internal import KeyturnBase
internal import KeyturnJose

/// Reads claims by type, without guessing: a claim of another type than its standard says makes the token malformed
/// (RFC 7519 §4.1) if it decides something. One that only informs is absent then.
struct ClaimReader: Sendable {
    let all: [String: JSONValue]
    /// Where claims stand that each provider has elsewhere.
    let profile: TokenProfile

    /// The members of an answer that came from the server itself.
    init(_ members: [String: JSONValue]) {
        all = members
        profile = .rfc9068
    }

    /// The claims in a token, whose signature was checked.
    init(
        _ jws: VerifiedJWS, limits: JSONValue.Limits = .standard, profile: TokenProfile = .rfc9068
    ) throws(AuthError) {
        self.profile = profile
        do throws(JoseProblem) {
            all = try jws.claims(limits: limits).objectValue ?? [:]
        } catch {
            throw AuthError(.tokenMalformed, "the claims cannot be read", cause: error)
        }
    }

    /// A text that must be there and not be empty.
    func text(_ name: String) throws(AuthError) -> String {
        guard let text = try textIfPresent(name), !text.isEmpty else { throw Self.malformed(name) }
        return text
    }

    /// `null` says no more than a missing claim does.
    func textIfPresent(_ name: String) throws(AuthError) -> String? {
        switch all[name] {
        case nil, .null: nil
        case .string(let text): text
        default: throw Self.malformed(name)
        }
    }

    func textsIfPresent(_ name: String) throws(AuthError) -> [String] {
        guard let value = all[name] else { return [] }
        guard let texts = value.stringArrayValue else { throw Self.malformed(name) }
        return texts
    }

    func flagIfPresent(_ name: String) throws(AuthError) -> Bool? {
        switch all[name] {
        case nil: nil
        case .bool(let flag): flag
        default: throw Self.malformed(name)
        }
    }

    func membersIfPresent(_ name: String) throws(AuthError) -> [String: JSONValue]? {
        switch all[name] {
        case nil: nil
        case .object(let members): members
        default: throw Self.malformed(name)
        }
    }

    /// A moment that must be there.
    func time(_ name: String) throws(AuthError) -> UnixTime {
        guard let time = try timeIfPresent(name) else { throw Self.malformed(name) }
        return time
    }

    /// A NumericDate (RFC 7519 §2). A fraction is dropped; what is no whole number of 53 bits after that is malformed.
    func timeIfPresent(_ name: String) throws(AuthError) -> UnixTime? {
        let bound: Int64 = 1 << 53
        let seconds: Int64?
        switch all[name] {
        case nil, .null: return nil
        case .integer(let value): seconds = value
        case .number(let value): seconds = Int64(exactly: value.rounded(.down))
        default: seconds = nil
        }
        guard let seconds, (-bound...bound).contains(seconds) else { throw Self.malformed(name) }
        return UnixTime(rawValue: seconds)
    }

    /// A text that informs and decides nothing: of another type it is absent.
    func textIfReadable(_ name: String) -> String? { all[name]?.stringValue }

    /// Texts that inform and decide nothing: of another type they are absent.
    func textsIfReadable(_ name: String) -> [String] { all[name]?.stringArrayValue ?? [] }

    /// A moment that informs and decides nothing: of another type it is absent.
    func timeIfReadable(_ name: String) -> UnixTime? { try? timeIfPresent(name) }

    static func malformed(_ name: String) -> AuthError {
        // The name is ours or the backend's and not the token's, so that nothing of the token reaches a log.
        AuthError(.tokenMalformed, "the claim \(name) is missing or not what it should be")
    }
}

/// The lifetime that a token's claims state, and how far clocks may differ.
struct Lifetime: Sendable {
    let issuedAt: UnixTime
    let expiresAt: UnixTime
    let notBefore: UnixTime?

    init(_ claims: ClaimReader) throws(AuthError) {
        issuedAt = try claims.time("iat")
        expiresAt = try claims.time("exp")
        notBefore = try claims.timeIfPresent("nbf")
    }

    /// Throws unless `now` is within it.
    func check(at now: UnixTime, toleranceSeconds: Int64) throws(AuthError) {
        guard now < expiresAt + toleranceSeconds else { throw AuthError(.tokenExpired, "exp has passed") }
        guard issuedAt <= now + toleranceSeconds else { throw AuthError(.tokenNotYetValid, "iat is in the future") }
        guard let notBefore else { return }
        guard notBefore <= now + toleranceSeconds else { throw AuthError(.tokenNotYetValid, "nbf is in the future") }
    }
}
