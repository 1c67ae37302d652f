internal import KeyturnBase

/// The members of a message, each of its type. Binary members are unpadded base64url, the one spelling of each.
struct MessageMembers {
    let json: JSONValue

    init(_ json: JSONValue?) throws(WebAuthnProblem) {
        guard let json, json.objectValue != nil else { throw Self.problem("an object is missing") }
        self.json = json
    }

    /// A member that may be absent; `null` is the same as absent.
    private func member(_ name: String) -> JSONValue? {
        json[name] == .null ? nil : json[name]
    }

    func object(_ name: String) throws(WebAuthnProblem) -> MessageMembers {
        guard let members = try optionalObject(name) else { throw Self.problem("\(name) is missing") }
        return members
    }

    func optionalObject(_ name: String) throws(WebAuthnProblem) -> MessageMembers? {
        guard let value = member(name) else { return nil }
        guard value.objectValue != nil else { throw Self.problem("\(name) is no object") }
        return try MessageMembers(value)
    }

    func text(_ name: String) throws(WebAuthnProblem) -> String {
        guard let text = try optionalText(name) else { throw Self.problem("\(name) is missing") }
        return text
    }

    func optionalText(_ name: String) throws(WebAuthnProblem) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.stringValue else { throw Self.problem("\(name) is no text") }
        return text
    }

    func integer(_ name: String) throws(WebAuthnProblem) -> Int64? {
        guard let value = member(name) else { return nil }
        guard let integer = value.integerValue, integer >= 0 else { throw Self.problem("\(name) is no number") }
        return integer
    }

    /// A member that must be there and is not empty.
    func bytes(_ name: String, max: Int) throws(WebAuthnProblem) -> [UInt8] {
        guard let bytes = try optionalBytes(name, max: max) else { throw Self.problem("\(name) is missing or empty") }
        return bytes
    }

    /// A member that may be absent. Clients whose platform has nothing to say write an empty text: that is absent too.
    func optionalBytes(_ name: String, max: Int) throws(WebAuthnProblem) -> [UInt8]? {
        guard let text = try optionalText(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= max * 4 / 3 + 2, let bytes = Base64URL.decode(text), bytes.count <= max else {
            throw Self.problem("\(name) is not unpadded base64url, or too long")
        }
        return bytes
    }

    func texts(_ name: String) throws(WebAuthnProblem) -> [String] {
        guard let value = member(name) else { return [] }
        guard let texts = value.stringArrayValue, texts.count <= WebAuthnLimits.transports else {
            throw Self.problem("\(name) is no list of texts, or a very long one")
        }
        return texts
    }

    /// Transports, each once. What is none, being too long or no word of letters, digits and hyphens, is left out.
    func transports(_ name: String) throws(WebAuthnProblem) -> [String] {
        var seen: Set<String> = []
        return try texts(name).filter {
            (1...WebAuthnLimits.transportBytes).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isOfWord)
                && seen.insert($0).inserted
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }

    func descriptors(_ name: String) throws(WebAuthnProblem) -> [CredentialDescriptor] {
        guard let value = member(name) else { return [] }
        guard let elements = value.arrayValue, elements.count <= WebAuthnLimits.descriptors else {
            throw Self.problem("\(name) is no list, or a very long one")
        }
        var result: [CredentialDescriptor] = []
        for element in elements {
            // A kind of credential that does not exist yet is passed over (§5.8.3).
            if let descriptor = try CredentialDescriptor(MessageMembers(element)) { result.append(descriptor) }
        }
        return result
    }

    /// The identifier of a credential: `rawId`, and `id` where a client sends that. Both say the same.
    func credentialID() throws(WebAuthnProblem) -> [UInt8] {
        let id = try optionalBytes("id", max: WebAuthnLimits.credentialIDBytes)
        let rawID = try optionalBytes("rawId", max: WebAuthnLimits.credentialIDBytes)
        guard let first = rawID ?? id else { throw Self.problem("rawId is missing or empty") }
        guard id == nil || id == first else { throw Self.problem("id and rawId differ") }
        return first
    }

    /// `type` of a credential: there is one kind.
    func checkType() throws(WebAuthnProblem) {
        guard try text("type") == "public-key" else { throw Self.problem("type is not public-key") }
    }

    static func problem(_ detail: String) -> WebAuthnProblem {
        WebAuthnProblem(.responseMalformed, detail)
    }
}

extension [String: JSONValue] {
    mutating func add(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }

    mutating func add(_ name: String, _ integer: Int64?) {
        if let integer { self[name] = .integer(integer) }
    }

    /// Leaves an empty list out.
    mutating func add(_ name: String, _ texts: [String]) {
        if !texts.isEmpty { self[name] = .array(texts.map(JSONValue.string)) }
    }
}
