public import KeyturnBase

/// Sign-in, and sign-up or sign-in, with a code, a link or a password.
public struct SignInRequest: Equatable, Sendable {
    /// Who signs in.
    public var loginID: String
    /// Where a link leads; `nil`: the project's own page.
    public var redirectURL: String?
    /// With passwords only.
    public var password: Secret?
    /// What is asked for beside the sign-in.
    public var options: LoginOptions

    /// A request to sign in.
    public init(
        loginID: String, redirectURL: String? = nil, password: Secret? = nil, options: LoginOptions = .none
    ) {
        self.loginID = loginID
        self.redirectURL = redirectURL
        self.password = password
        self.options = options
    }
}

extension SignInRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        loginID = try body.requiredText("loginId")
        redirectURL = try body.text("redirectUrl", "redirectURL", "URI")
        password = try body.secret("password")
        options = try LoginOptions(body.body("loginOptions"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["loginId": .string(loginID)]
        members.add("redirectUrl", redirectURL)
        members.add("password", password)
        members.add("loginOptions", options.json.objectValue ?? [:])
        return .object(members)
    }
}
