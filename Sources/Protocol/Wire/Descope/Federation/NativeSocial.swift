public import KeyturnBase

/// `POST /v1/auth/oauth/native/start`: begins a sign-in with the provider's own sheet or library.
public struct NativeSocialStartRequest: Equatable, Sendable {
    /// The provider, such as `apple`.
    public var provider: String
    /// What is asked for beside the sign-in.
    public var options: LoginOptions

    /// A request to begin without a browser.
    public init(provider: String, options: LoginOptions = .none) {
        self.provider = provider
        self.options = options
    }
}

extension NativeSocialStartRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        provider = try body.requiredText("provider")
        options = try LoginOptions(body.body("loginOptions"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["provider": .string(provider)]
        members.add("loginOptions", options.json.objectValue ?? [:])
        return .object(members)
    }
}

/// What the provider's sheet or library is asked with.
public struct NativeSocialStartAnswer: Equatable, Sendable {
    /// The app's identifier at the provider, which its token must name.
    public var clientID: String
    /// What the end of the sign-in names.
    public var stateID: String
    /// Goes into the provider's token unchanged; counts once.
    public var nonce: String
    /// Whether the end brings the ID token; otherwise it brings the code.
    public var isImplicit: Bool

    /// A sign-in that has begun.
    public init(clientID: String, stateID: String, nonce: String, isImplicit: Bool) {
        self.clientID = clientID
        self.stateID = stateID
        self.nonce = nonce
        self.isImplicit = isImplicit
    }
}

extension NativeSocialStartAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        clientID = try body.requiredText("clientId")
        stateID = try body.requiredText("stateId")
        nonce = try body.requiredText("nonce")
        guard let implicit = try body.flag("implicit") else { throw .missing("implicit") }
        isImplicit = implicit
    }

    public var json: JSONValue {
        [
            "clientId": .string(clientID), "stateId": .string(stateID), "nonce": .string(nonce),
            "implicit": .bool(isImplicit),
        ]
    }
}

/// `POST /v1/auth/oauth/native/finish`: what the provider's sheet or library brought.
public struct NativeSocialFinishRequest: Equatable, Sendable {
    /// The provider, as at the start.
    public var provider: String
    /// What the start answered.
    public var stateID: String
    /// Only if the provider told it: Apple does so with the first sign-in alone. On the wire it is JSON within a text.
    public var name: NativeSocialName?
    /// The provider's authorization code; `nil` with an ID token.
    public var code: Secret?
    /// The provider's ID token; `nil` with a code.
    public var idToken: Secret?

    /// The end of a sign-in without a browser.
    public init(
        provider: String, stateID: String, name: NativeSocialName? = nil, code: Secret? = nil, idToken: Secret? = nil
    ) {
        self.provider = provider
        self.stateID = stateID
        self.name = name
        self.code = code
        self.idToken = idToken
    }
}

extension NativeSocialFinishRequest: MethodMessage {
    /// - Throws: ``MethodProblem/invalidRequest`` unless there is one of code and ID token.
    public init(_ body: MethodBody) throws(MethodProblem) {
        provider = try body.requiredText("provider")
        stateID = try body.requiredText("stateId")
        code = try body.secret("code")
        idToken = try body.secret("idToken")
        guard (code == nil) != (idToken == nil) else {
            throw .invalidRequest.saying("One of the fields code and idToken is required")
        }
        guard body.names("user"), try body.text("user") != nil else {
            name = nil
            return
        }
        let parts = MethodBody(try body.embedded("user")["name"]?.objectValue ?? [:])
        let read = NativeSocialName(
            firstName: try parts.text("firstName"), middleName: try parts.text("middleName"),
            lastName: try parts.text("lastName"))
        name = read.isEmpty ? nil : read
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["provider": .string(provider), "stateId": .string(stateID)]
        members.add("code", code)
        members.add("idToken", idToken)
        if let name, !name.isEmpty {
            var parts: [String: JSONValue] = [:]
            parts.add("firstName", name.firstName)
            parts.add("middleName", name.middleName)
            parts.add("lastName", name.lastName)
            members["user"] = .embedded(["name": .object(parts)])
        }
        return .object(members)
    }
}
