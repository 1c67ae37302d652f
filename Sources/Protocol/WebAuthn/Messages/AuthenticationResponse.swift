public import KeyturnBase

/// A client's answer to ``PublicKeyCredentialRequestOptions``: `AuthenticationResponseJSON` (WebAuthn Level 3 §5.1).
///
/// Nothing of it is believed before ``AuthenticationCeremony`` has judged it.
public struct AuthenticationResponse: Hashable, Sendable {
    /// `rawId`: the credential to look up.
    public var id: [UInt8]
    /// The client data, byte for byte as the client wrote it.
    public var clientDataJSON: [UInt8]
    /// The authenticator data, as the authenticator signed it (§6.1).
    public var authenticatorData: [UInt8]
    /// The signature over the authenticator data and the digest of the client data.
    public var signature: [UInt8]
    /// `nil` if the authenticator does not keep it, as security keys with credentials that are not discoverable.
    public var userHandle: [UInt8]?
    /// `platform`, `cross-platform`, or what else the client said; `nil`: nothing.
    public var authenticatorAttachment: String?
    /// An object.
    public var clientExtensionResults: JSONValue

    /// An answer; what is left out was not in it.
    public init(
        id: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]? = nil, authenticatorAttachment: String? = nil,
        clientExtensionResults: JSONValue = .object([:])
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
        self.authenticatorAttachment = authenticatorAttachment
        self.clientExtensionResults = clientExtensionResults
    }

    /// Reads an answer. `id` or `rawId` may be missing, and so may `authenticatorAttachment` and
    /// `clientExtensionResults`: real clients leave them out. An empty `userHandle` counts as absent, and everything
    /// else is ignored, such as the empty `attestationObject` that one client adds.
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
            authenticatorData = try response.bytes("authenticatorData", max: WebAuthnLimits.authenticatorDataBytes)
            signature = try response.bytes("signature", max: WebAuthnLimits.signatureBytes)
            userHandle = try response.optionalBytes("userHandle", max: WebAuthnLimits.userHandleBytes)
        } catch {
            throw error.at(.authentication(3))
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        var response: [String: JSONValue] = [
            "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
            "authenticatorData": .string(Base64URL.encode(authenticatorData)),
            "signature": .string(Base64URL.encode(signature)),
        ]
        response.add("userHandle", userHandle.map { Base64URL.encode($0) })
        let rawID = JSONValue.string(Base64URL.encode(id))
        var members: [String: JSONValue] = [
            "type": "public-key", "id": rawID, "rawId": rawID, "clientExtensionResults": clientExtensionResults,
            "response": .object(response),
        ]
        members.add("authenticatorAttachment", authenticatorAttachment)
        return .object(members)
    }
}

extension AuthenticationResponse {
    /// The challenge that the client claims to answer, for looking up the ceremony. Whether it is the right one is
    /// judged by the ceremony.
    public var unverifiedChallenge: [UInt8]? { Self.unverifiedChallenge(clientDataJSON) }

    static func unverifiedChallenge(_ clientDataJSON: [UInt8]) -> [UInt8]? {
        (try? ClientData(clientDataJSON)).flatMap { Base64URL.decode($0.challenge) }
    }
}

extension RegistrationResponse {
    /// The challenge that the client claims to answer, for looking up the ceremony. Whether it is the right one is
    /// judged by the ceremony.
    public var unverifiedChallenge: [UInt8]? { AuthenticationResponse.unverifiedChallenge(clientDataJSON) }
}
