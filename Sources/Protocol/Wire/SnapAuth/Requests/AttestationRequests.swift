public import KeyturnBase

/// `/attestation/options`: begins a registration. The username never leaves the device.
public struct AttestationOptionsRequest: Hashable, Sendable {
    /// Whether the person signed in another way a moment ago and shall not be asked (`upgrade`). `nil`: not said, which
    /// is how native clients say no.
    public var isUpgrade: Bool?

    /// A request to register a passkey.
    public init(isUpgrade: Bool? = nil) {
        self.isUpgrade = isUpgrade
    }
}

extension AttestationOptionsRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        isUpgrade = try PasskeyMembers(json).optionalFlag("upgrade")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if let isUpgrade { members["upgrade"] = .bool(isUpgrade) }
        return .object(members)
    }
}

/// `/attestation/process`: what the authenticator answered.
public struct AttestationProcessRequest: Hashable, Sendable {
    /// `RegistrationResponseJSON` of WebAuthn Level 3 §5.1.
    public var credential: JSONValue

    /// An authenticator's answer.
    public init(credential: JSONValue) {
        self.credential = credential
    }
}

extension AttestationProcessRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        credential = .object(try PasskeyMembers(json).object("credential").members)
    }

    public var json: JSONValue { ["credential": credential] }
}
