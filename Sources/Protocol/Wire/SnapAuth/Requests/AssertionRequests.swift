public import KeyturnBase

/// `/assertion/options`: begins an authentication.
public struct AssertionOptionsRequest: Hashable, Sendable {
    /// `nil`: the user whom the authenticator finds, offered where usernames are typed.
    public var user: PasskeyUser?

    /// A request to sign in; without a user the authenticator says who.
    public init(user: PasskeyUser? = nil) {
        self.user = user
    }
}

extension AssertionOptionsRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        user = try PasskeyUser(ifPresentIn: PasskeyMembers(json))
    }

    public var json: JSONValue { .object(PasskeyUser.members(user)) }
}

/// `/assertion/process`: what the authenticator answered.
public struct AssertionProcessRequest: Hashable, Sendable {
    /// `AuthenticationResponseJSON` of WebAuthn Level 3 §5.1.
    public var credential: JSONValue
    /// The same as at the beginning. Without it and without a user handle in ``credential``, no user can be found.
    public var user: PasskeyUser?

    /// An authenticator's answer.
    public init(credential: JSONValue, user: PasskeyUser? = nil) {
        self.credential = credential
        self.user = user
    }
}

extension AssertionProcessRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        credential = .object(try members.object("credential").members)
        user = try PasskeyUser(ifPresentIn: members)
    }

    public var json: JSONValue {
        var members = PasskeyUser.members(user)
        members["credential"] = credential
        return .object(members)
    }
}

extension PasskeyUser {
    init?(ifPresentIn members: PasskeyMembers) throws(PasskeyMessageProblem) {
        guard let value = members.value("user") else { return nil }
        try self.init(json: value)
    }

    static func members(_ user: PasskeyUser?) -> [String: JSONValue] {
        user.map { ["user": $0.json] } ?? [:]
    }
}
