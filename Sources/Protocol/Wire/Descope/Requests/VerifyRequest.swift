public import KeyturnBase

/// A code that was sent or that an authenticator shows, for the user who presents it.
public struct VerifyCodeRequest: Equatable, Sendable {
    /// Whose code it is.
    public var loginID: String
    /// The code as the user typed it.
    public var code: Secret
    /// With authenticators only.
    public var options: LoginOptions

    /// A request to check a code.
    public init(loginID: String, code: Secret, options: LoginOptions = .none) {
        self.loginID = loginID
        self.code = code
        self.options = options
    }
}

extension VerifyCodeRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        loginID = try body.requiredText("loginId")
        code = try body.requiredSecret("code")
        options = try LoginOptions(body.body("loginOptions"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["loginId": .string(loginID), "code": .string(code.exposed())]
        members.add("loginOptions", options.json.objectValue ?? [:])
        return .object(members)
    }
}

/// The token of a link that was followed.
public struct VerifyTokenRequest: Equatable, Sendable {
    /// What the link carried.
    public var token: Secret

    /// A request to redeem a link.
    public init(token: Secret) {
        self.token = token
    }
}

extension VerifyTokenRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        token = try body.requiredSecret("token")
    }

    public var json: JSONValue { ["token": .string(token.exposed())] }
}

/// Asks whether the right one of three links has been followed.
public struct PendingSessionRequest: Equatable, Sendable {
    /// What the start of the sign-in answered.
    public var pendingRef: Secret

    /// A request for the session of a link that was followed elsewhere.
    public init(pendingRef: Secret) {
        self.pendingRef = pendingRef
    }
}

extension PendingSessionRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        pendingRef = try body.requiredSecret("pendingRef")
    }

    public var json: JSONValue { ["pendingRef": .string(pendingRef.exposed())] }
}
