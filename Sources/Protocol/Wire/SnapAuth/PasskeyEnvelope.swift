public import KeyturnBase

/// What the service says about a request: a refusal, or a warning beside a success.
public struct PasskeyServiceError: Error, Hashable, Sendable {
    /// What failed, for programs.
    public var code: PasskeyErrorCode
    /// For developers, not for people. Never holds a secret or what the sender sent.
    public var message: String

    /// An error; `message` is a sentence for developers.
    public init(code: PasskeyErrorCode, message: String) {
        self.code = code
        self.message = message
    }
}

extension PasskeyServiceError: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json, path: "errors")
        code = PasskeyErrorCode(rawValue: try members.text("code", bounds: PasskeyLimits.codeCharacters))
        message = try members.text("message", bounds: PasskeyLimits.messageCharacters)
    }

    public var json: JSONValue { ["code": .string(code.rawValue), "message": .string(message)] }
}

extension PasskeyServiceError: CustomStringConvertible {
    public var description: String { "PasskeyServiceError(\(code.rawValue))" }
}

/// Every answer of the passkey service.
public struct PasskeyEnvelope: Hashable, Sendable {
    /// An object; `nil`: the request was refused, and ``errors`` says why.
    public var result: JSONValue?
    /// With a result: warnings, be it of an outdated client or of something deprecated.
    public var errors: [PasskeyServiceError]

    /// A success.
    public init(result: JSONValue, warnings: [PasskeyServiceError] = []) {
        self.result = result
        errors = warnings
    }

    /// A refusal.
    public init(refusal: PasskeyServiceError, _ others: PasskeyServiceError...) {
        result = nil
        errors = [refusal] + others
    }
}

extension PasskeyEnvelope: PasskeyMessage {
    /// Reads an answer. `errors` may be absent beside a result; `result` is there always, `null` with errors.
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        guard let result = members.members["result"] else { throw PasskeyMessageProblem(.missing, "result") }
        guard result == .null || result.objectValue != nil else { throw PasskeyMessageProblem(.wrongType, "result") }
        let list = members.value("errors") ?? []
        guard let elements = list.arrayValue else { throw PasskeyMessageProblem(.wrongType, "errors") }
        guard elements.count <= PasskeyLimits.errors else { throw PasskeyMessageProblem(.outOfBounds, "errors") }
        var errors: [PasskeyServiceError] = []
        for element in elements { errors.append(try PasskeyServiceError(json: element)) }
        guard result != .null || !errors.isEmpty else { throw PasskeyMessageProblem(.inconsistent, "result") }
        self.result = result == .null ? nil : result
        self.errors = errors
    }

    /// Both members, always.
    public var json: JSONValue { ["result": result ?? .null, "errors": .array(errors.map(\.json))] }
}
