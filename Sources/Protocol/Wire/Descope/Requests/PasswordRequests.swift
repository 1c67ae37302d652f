public import KeyturnBase

/// Replaces a password by whoever knows the old one, or by whoever presents a session.
public struct ChangePasswordRequest: Equatable, Sendable {
    public var loginID: String
    /// `nil`: a session is presented instead.
    public var oldPassword: Secret?
    public var newPassword: Secret

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
    public var loginID: String
    public var redirectURL: String?
    public var options: LoginOptions

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
