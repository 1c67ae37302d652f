public import KeyturnBase

/// `POST /v1/auth/webauthn/{signup,signin,update}/finish`: ends a ceremony of the methods' wire.
public struct PasskeyFinishRequest: Equatable, Sendable {
    /// What the start of the ceremony answered.
    public var transactionID: String
    /// A credential in the JSON form of WebAuthn Level 3 §5.1. On the wire it is JSON within a text.
    public var response: JSONValue

    /// An authenticator's answer to a ceremony.
    public init(transactionID: String, response: JSONValue) {
        self.transactionID = transactionID
        self.response = response
    }
}

extension PasskeyFinishRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        transactionID = try body.requiredText("transactionId")
        response = try body.embedded("response")
    }

    public var json: JSONValue {
        ["transactionId": .string(transactionID), "response": .embedded(response)]
    }
}

extension MethodBody {
    /// Longest JSON within a text, in bytes.
    private static let embeddedBytesMax = 131_072

    /// An object that is written as JSON within a text. Clients that write it as it is are understood too.
    func embedded(_ name: String) throws(MethodProblem) -> JSONValue {
        if case .object(let members) = members[name], !members.isEmpty { return .object(members) }
        let text = try requiredText(name)
        let limits = JSONValue.Limits(bytesMax: Self.embeddedBytesMax)
        guard let value = try? JSONValue(parsing: Array(text.utf8), limits: limits), value.objectValue != nil else {
            throw .invalidArguments.saying("The \(name) field is no text that holds a JSON object")
        }
        return value
    }
}

extension JSONValue {
    /// The value as JSON within a text.
    static func embedded(_ value: JSONValue) -> JSONValue {
        .string(String(decoding: value.serialized, as: UTF8.self))
    }
}
