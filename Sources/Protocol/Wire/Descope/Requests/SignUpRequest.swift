public import KeyturnBase

/// Sign-up with a code, a link, an authenticator or a password.
public struct SignUpRequest: Equatable, Sendable {
    /// The new user's first login ID.
    public var loginID: String
    /// What else is known of the user.
    public var details: SignUpDetails
    /// Where a link leads; `nil`: the project's own page.
    public var redirectURL: String?
    /// With passwords only.
    public var password: Secret?
    /// What is asked for beside the sign-up.
    public var options: LoginOptions

    /// A request to sign up.
    public init(
        loginID: String, details: SignUpDetails = SignUpDetails(), redirectURL: String? = nil, password: Secret? = nil,
        options: LoginOptions = .none
    ) {
        self.loginID = loginID
        self.details = details
        self.redirectURL = redirectURL
        self.password = password
        self.options = options
    }
}

extension SignUpRequest: MethodMessage {
    /// Some clients name the address beside `user` as well; it counts where `user` has none.
    public init(_ body: MethodBody) throws(MethodProblem) {
        loginID = try body.requiredText("loginId")
        details = try SignUpDetails(body.body("user"))
        if details.email == nil { details.email = try body.text("email") }
        if details.phone == nil { details.phone = try body.text("phone", "sms", "voice", "whatsapp") }
        redirectURL = try body.text("redirectUrl", "redirectURL", "URI")
        password = try body.secret("password")
        options = try LoginOptions(body.body("loginOptions"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["loginId": .string(loginID)]
        members.add("user", details.json.objectValue ?? [:])
        members.add("redirectUrl", redirectURL)
        members.add("password", password)
        members.add("loginOptions", options.json.objectValue ?? [:])
        return .object(members)
    }
}
