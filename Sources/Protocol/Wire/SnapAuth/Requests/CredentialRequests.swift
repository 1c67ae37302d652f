public import KeyturnBase

/// `/credential/create`: redeems a registration's token and binds its credential to a user.
public struct CredentialCreateRequest: Equatable, Sendable {
    /// What the app got for the registration.
    public var token: Secret
    /// The relying party's own identifier of the user, who is made on first use.
    public var userID: String
    /// What the site calls the user; `nil`: nothing.
    public var username: String?

    /// A request to give a registered credential to a user.
    public init(token: Secret, userID: String, username: String? = nil) {
        self.token = token
        self.userID = userID
        self.username = username
    }
}

extension CredentialCreateRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        token = Secret(try members.text("token", bounds: PasskeyLimits.tokenCharacters))
        let user = try members.object("user")
        userID = try user.text("id", bounds: PasskeyLimits.userCharacters)
        username = try user.optionalUsername()
    }

    public var json: JSONValue {
        var user: [String: JSONValue] = ["id": .string(userID)]
        user.add("username", username)
        return ["token": .string(token.exposed()), "user": .object(user)]
    }
}

/// `/auth/verify`: redeems an authentication's token.
public struct AuthVerifyRequest: Equatable, Sendable {
    /// What the app got for the sign-in.
    public var token: Secret

    /// A request to learn who signed in.
    public init(token: Secret) {
        self.token = token
    }
}

extension AuthVerifyRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        token = Secret(try PasskeyMembers(json).text("token", bounds: PasskeyLimits.tokenCharacters))
    }

    public var json: JSONValue { ["token": .string(token.exposed())] }
}

/// `/credential/list`: a user's credentials, answered by ``PasskeyCredentialList``.
public struct CredentialListRequest: Hashable, Sendable {
    /// Whose credentials are listed.
    public var user: PasskeyUser

    /// A request for the credentials of a user.
    public init(user: PasskeyUser) {
        self.user = user
    }
}

extension CredentialListRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        user = try PasskeyUser(json: PasskeyMembers(json).required("user"))
    }

    public var json: JSONValue { ["user": user.json] }
}

/// `/credential/update`: changes what is named, answered by the ``PasskeyCredential`` as it is then.
public struct CredentialUpdateRequest: Hashable, Sendable {
    /// The service's identifier of the credential.
    public var id: String
    /// What the credential is called from now on; `nil`: as before.
    public var name: String?
    /// `false` keeps it from being used until it is `true` again.
    public var isActive: Bool?

    /// A request to change a credential; what is `nil` stays as it is.
    public init(id: String, name: String? = nil, isActive: Bool? = nil) {
        self.id = id
        self.name = name
        self.isActive = isActive
    }
}

extension CredentialUpdateRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        id = try members.text("id", bounds: PasskeyLimits.tokenCharacters)
        name = try members.optionalText("name", bounds: PasskeyLimits.nameCharacters)
        isActive = try members.optionalFlag("isActive")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["id": .string(id)]
        members.add("name", name)
        if let isActive { members["isActive"] = .bool(isActive) }
        return .object(members)
    }
}

/// `/credential/delete`: deletes a credential, answered by its `id`.
public struct CredentialDeleteRequest: Hashable, Sendable {
    /// The service's identifier of the credential.
    public var id: String

    /// A request to delete a credential.
    public init(id: String) {
        self.id = id
    }
}

extension CredentialDeleteRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        id = try PasskeyMembers(json).text("id", bounds: PasskeyLimits.tokenCharacters)
    }

    public var json: JSONValue { ["id": .string(id)] }
}
