public import KeyturnBase

/// Replaces a password, with the old one or with a session.
public struct ChangePasswordRequest: Equatable, Sendable {
    /// Whose password it is.
    public var loginID: String
    /// `nil`: a session is presented instead.
    public var oldPassword: Secret?
    /// The password to use from now on.
    public var newPassword: Secret

    /// A request; without the old password a session must come along.
    public init(loginID: String, oldPassword: Secret? = nil, newPassword: Secret) {
        self.loginID = loginID
        self.oldPassword = oldPassword
        self.newPassword = newPassword
    }
}

extension ChangePasswordRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        loginID = try body.requiredText("loginId")
        oldPassword = try body.secret("oldPassword")
        newPassword = try body.requiredSecret("newPassword")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["loginId": .string(loginID)]
        members.add("oldPassword", oldPassword)
        members.add("newPassword", newPassword)
        return .object(members)
    }
}

/// Asks for a link with which a new password can be set.
public struct PasswordResetRequest: Hashable, Sendable {
    /// Whose password it is.
    public var loginID: String
    /// Where the link leads; `nil`: where the project says.
    public var redirectURL: String?
    /// Template and language of the message.
    public var options: LoginOptions

    /// A request for a message with a link.
    public init(loginID: String, redirectURL: String? = nil, options: LoginOptions = .none) {
        self.loginID = loginID
        self.redirectURL = redirectURL
        self.options = options
    }
}

extension PasswordResetRequest: MethodMessage {
    /// Template and language stand at the top level here.
    public init(_ body: MethodBody) throws(MethodProblem) {
        loginID = try body.requiredText("loginId")
        redirectURL = try body.text("redirectUrl", "redirectURL", "URI")
        options = try LoginOptions(body)
    }

    public var json: JSONValue {
        var members = options.json.objectValue ?? [:]
        members["loginId"] = .string(loginID)
        members.add("redirectUrl", redirectURL)
        return .object(members)
    }
}
