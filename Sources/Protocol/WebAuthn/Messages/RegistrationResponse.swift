public import KeyturnBase

/// A client's answer to ``PublicKeyCredentialCreationOptions``: `RegistrationResponseJSON` (WebAuthn Level 3 §5.1).
///
/// Nothing of it is believed before ``RegistrationCeremony`` has judged it. The copies of parts of the attestation
/// object that browsers add (`publicKey`, `publicKeyAlgorithm`, `authenticatorData`) are not looked at.
public struct RegistrationResponse: Hashable, Sendable {
    /// `rawId`.
    public var id: [UInt8]
    /// The client data, byte for byte as the client wrote it.
    public var clientDataJSON: [UInt8]
    /// The attestation object, in CBOR (§6.5).
    public var attestationObject: [UInt8]
    /// Empty if the client does not know, as Apple's.
    public var transports: [String]
    /// `platform`, `cross-platform`, or what else the client said; `nil`: nothing.
    public var authenticatorAttachment: String?
    /// An object.
    public var clientExtensionResults: JSONValue

    /// An answer; what is left out was not in it.
    public init(
        id: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String] = [],
        authenticatorAttachment: String? = nil, clientExtensionResults: JSONValue = .object([:])
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        self.authenticatorAttachment = authenticatorAttachment
        self.clientExtensionResults = clientExtensionResults
    }

    /// Reads an answer. `id` or `rawId` may be missing, and so may `transports`, `authenticatorAttachment` and
    /// `clientExtensionResults`: real clients leave them out. Unknown members are ignored.
    ///
    /// - Throws: `responseMalformed`, at step 3.
    public init(json: JSONValue) throws(WebAuthnProblem) {
        do {
            let members = try MessageMembers(json)
            try members.checkType()
            id = try members.credentialID()
            authenticatorAttachment = try members.optionalText("authenticatorAttachment")
            clientExtensionResults = try members.optionalObject("clientExtensionResults")?.json ?? .object([:])
            let response = try members.object("response")
            clientDataJSON = try response.bytes("clientDataJSON", max: WebAuthnLimits.clientDataBytes)
            attestationObject = try response.bytes("attestationObject", max: WebAuthnLimits.attestationObjectBytes)
            transports = try response.transports("transports")
        } catch {
            throw error.at(.registration(3))
        }
    }

    /// The JSON form, without the copies.
    public var json: JSONValue {
        let rawID = JSONValue.string(Base64URL.encode(id))
        var members: [String: JSONValue] = [
            "type": "public-key", "id": rawID, "rawId": rawID, "clientExtensionResults": clientExtensionResults,
            "response": [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(attestationObject)),
                "transports": .array(transports.map(JSONValue.string)),
            ],
        ]
        members.add("authenticatorAttachment", authenticatorAttachment)
        return .object(members)
    }
}
