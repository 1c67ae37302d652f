/// What comes back to the client's redirect URI (RFC 6749 §4.1.2, RFC 9207 §2). Nothing in it is verified.
public struct AuthorizationResponse: Hashable, Sendable {
    /// The code, or why there is none.
    public enum Outcome: Hashable, Sendable {
        /// The user agreed; the code is redeemed once, within a minute.
        case code(String)
        /// The request was refused, by the server or by the user.
        case refused(OAuthProblem)
    }

    /// What came of the request.
    public let outcome: Outcome
    /// `state`, as it was in the request.
    public let state: String?
    /// The `iss` that answered; servers that follow RFC 9207 always send it.
    public let issuer: String?

    /// An answer; `issuer` becomes `iss` (RFC 9207).
    public init(outcome: Outcome, state: String?, issuer: String?) {
        self.outcome = outcome
        self.state = state
        self.issuer = issuer
    }

    /// Reads the query, the fragment or the form of a callback. `nil` if it holds neither `code` nor `error`.
    ///
    /// - Throws: ``FormProblem/repeated(_:)`` for a parameter sent twice.
    public init?(_ form: FormParameters) throws(FormProblem) {
        state = try form.one("state")
        issuer = try form.one("iss")
        let code = try form.one("code")
        if let error = try form.one("error") {
            outcome = .refused(OAuthProblem(.init(rawValue: error), try form.one("error_description")))
        } else if let code {
            outcome = .code(code)
        } else {
            return nil
        }
    }

    /// The parameters to send.
    public var parameters: FormParameters {
        var form = FormParameters()
        switch outcome {
        case .code(let code):
            form.append("code", code)
        case .refused(let problem):
            form.append("error", problem.code.rawValue)
            form.append("error_description", problem.description)
        }
        form.append("state", state)
        form.append("iss", issuer)
        return form
    }
}
