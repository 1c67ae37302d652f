public import KeyturnBase

/// How a request names a credential (WebAuthn Level 3 §5.8.3).
public struct CredentialDescriptor: Hashable, Sendable {
    /// The credential's identifier, 1 to 1,023 bytes.
    public var id: [UInt8]
    /// How its authenticator can be reached; empty: not known.
    public var transports: [String]

    /// A credential, by its identifier.
    public init(id: [UInt8], transports: [String] = []) {
        self.id = id
        self.transports = transports
    }

    /// `nil` for a kind of credential that is not known.
    init?(_ members: MessageMembers) throws(WebAuthnProblem) {
        guard try members.text("type") == "public-key" else { return nil }
        id = try members.bytes("id", max: WebAuthnLimits.credentialIDBytes)
        transports = try members.transports("transports")
    }

    /// The JSON form.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["type": "public-key", "id": .string(Base64URL.encode(id))]
        members.add("transports", transports)
        return .object(members)
    }
}
