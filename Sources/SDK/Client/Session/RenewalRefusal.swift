internal import KeyturnBase
internal import KeyturnWire

/// What a failed renewal says about the session.
extension AuthError {
    /// Whether this is the last word on a session: the server's own, or that its key is gone.
    var isLastWord: Bool {
        code == .deviceKeyLost || code == .sessionEnded
            || code == .refused && server?.code == OAuthProblem.Code.invalidGrant.rawValue
    }

    /// Whether the renewal was certainly answered and brought no tokens, so that no other process can have them.
    var isCertainRefusal: Bool { isLastWord || wantsPerson || code == .refused && server?.code != nil }

    /// Whether the service gives new tokens only once the user was at its page: it says so in one of the words that
    /// services have for it, or it answered for another user.
    ///
    /// What is about the client, its request or the moment is none of these: the user can do nothing about it.
    var wantsPerson: Bool {
        if code == .interactionRequired || code == .tokenMisdirected { return true }
        guard code == .refused, !isLastWord, let word = server?.code?.lowercased() else { return false }
        if Self.exceptions.contains(word) { return true }
        // Gateways write sentences and the words of HTTP; a code of OAuth's kind has a line between its words.
        let isCode = word.utf8.contains(UInt8(ascii: "_")) && word.utf8.allSatisfy(Self.isOfCode)
        return isCode && !Self.othersWords.contains(word)
    }

    /// The same as an app is told it: with the server's own words, and with what there is to do.
    var asInteraction: AuthError {
        guard wantsPerson, code == .refused else { return self }
        return AuthError(
            .interactionRequired,
            "the service renews this session only after the user was at its page (\(server?.code ?? "no code")): call "
                + "authorizeIfNeeded or authorize; the session stays stored",
            cause: self, server: server)
    }

    private static func isOfCode(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    /// What Cognito calls it.
    private static let exceptions: Set = [
        "notauthorizedexception", "usernotfoundexception", "usernotconfirmedexception",
        "passwordresetrequiredexception", "refreshtokenreuseexception",
    ]

    /// Codes that are about the client, its request, or a moment that passes.
    private static let othersWords: Set = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "unsupported_token_type", "invalid_scope",
        "invalid_target", "invalid_dpop_proof", "use_dpop_nonce", "invalid_client_metadata",
        "invalid_authorization_details", "invalid_grant_type", "missing_grant_type", "project_number_mismatch",
        "invalid_argument", "failed_precondition", "permission_denied", "not_found", "bad_request",
        "temporarily_unavailable", "server_error", "internal_error", "internal_server_error", "fatal_error",
        "service_unavailable", "request_timeout", "gateway_timeout", "slow_down", "too_many_requests",
        "rate_limited", "rate_limit_exceeded", "quota_exceeded", "resource_exhausted", "limit_exceeded",
    ]
}

extension TokenGrant {
    /// Whether its ID token names another user than the session's: a renewed one must name the same (OpenID Connect
    /// Core §12.2), of the same tenant. Read without its signature, for the answer came from the token endpoint itself.
    func names(anotherThan record: SessionRecord) -> Bool {
        guard let known = record.idToken, let idToken, let subject = IDToken.subject(of: idToken) else { return false }
        return subject != known.subject || record.hasTenants && known.isOfAnotherTenant(than: idToken)
    }
}
