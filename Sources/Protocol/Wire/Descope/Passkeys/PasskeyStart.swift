public import KeyturnBase

/// `POST /v1/auth/webauthn/{signup,signin,signup-in,update}/start`: begins a ceremony of the methods' wire.
public struct PasskeyStartRequest: Equatable, Sendable {
    /// Who signs in or registers; empty: the authenticator says who.
    public var loginID: String
    /// With sign-up only.
    public var details: SignUpDetails
    /// The web origin where the ceremony takes place; `nil`: the service knows.
    public var origin: String?
    /// What is asked for beside the sign-in.
    public var options: LoginOptions

    /// A request to begin a ceremony.
    public init(
        loginID: String, details: SignUpDetails = SignUpDetails(), origin: String? = nil,
        options: LoginOptions = .none
    ) {
        self.loginID = loginID
        self.details = details
        self.origin = origin
        self.options = options
    }
}

extension PasskeyStartRequest: MethodMessage {
    /// Some clients name the login within `user`; it counts where it is not named beside it. A sign-in without a login
    /// asks for the user whom the authenticator finds: then it is empty.
    public init(_ body: MethodBody) throws(MethodProblem) {
        let user = try body.body("user")
        let nested = try user.text("loginId")
        loginID = try body.text("loginId") ?? nested ?? ""
        details = try SignUpDetails(user)
        origin = try body.text("origin")
        options = try LoginOptions(body.body("loginOptions"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["loginId": .string(loginID)]
        members.add("user", details.json.objectValue ?? [:])
        members.add("origin", origin)
        members.add("loginOptions", options.json.objectValue ?? [:])
        return .object(members)
    }
}

/// A ceremony of the methods' wire has begun.
public struct PasskeyStartAnswer: Equatable, Sendable {
    /// What the ceremony's end names.
    public var transactionID: String
    /// `{"publicKey": …}` or its value alone, with `mediation` where the service asks for it. On the wire it is JSON
    /// within a text.
    public var options: JSONValue
    /// Whether a credential is to be made; else one is to be used.
    public var isCreation: Bool
    /// What a page of the service's that performs the ceremony is asked with; our addition. It cannot end the ceremony, so
    /// that it may stand in an address. `nil`: there is no such page.
    public var page: String?

    /// A ceremony that has begun.
    public init(transactionID: String, options: JSONValue, isCreation: Bool, page: String? = nil) {
        self.transactionID = transactionID
        self.options = options
        self.isCreation = isCreation
        self.page = page
    }
}

extension PasskeyStartAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        transactionID = try body.requiredText("transactionId")
        options = try body.embedded("options")
        isCreation = try body.flag("create") ?? false
        page = try body.text("page")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "transactionId": .string(transactionID), "options": .embedded(options), "create": .bool(isCreation),
        ]
        members.add("page", page)
        return .object(members)
    }
}
