public import KeyturnBase

/// The answer to `/attestation/options` and `/assertion/options`.
public struct PasskeyOptions: Hashable, Sendable {
    /// Options in the JSON form of WebAuthn Level 3 §5.1.8 or §5.1.9.
    public var publicKey: JSONValue
    /// `conditional`: the person is not to be disturbed. The service decides; clients pass it on. `nil`: a prompt.
    public var mediation: String?

    /// Options; `mediation` only where the user must not be disturbed.
    public init(publicKey: JSONValue, mediation: String? = nil) {
        self.publicKey = publicKey
        self.mediation = mediation
    }

    /// What ``mediation`` says of requests that do not disturb.
    public static let conditional = "conditional"
}

extension PasskeyOptions: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        publicKey = .object(try members.object("publicKey").members)
        mediation = try members.optionalText("mediation", bounds: PasskeyLimits.codeCharacters)
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["publicKey": publicKey]
        members.add("mediation", mediation)
        return .object(members)
    }
}
