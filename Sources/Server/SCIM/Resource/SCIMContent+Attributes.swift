package import KeyturnBase
package import Model

/// What is written for the attributes of a resource.
extension SCIMContent {
    /// - Parameter isActive: for a user without `active`.
    /// - Throws: `invalidValue` if the name is missing; 413 if it is too large.
    package init(_ attributes: [String: JSONValue], _ kind: SCIMRecord.Kind, isActive: Bool) throws(SCIMProblem) {
        let name = kind == .user ? "userName" : "displayName"
        guard let text = attributes[name]?.stringValue, text.utf8.count <= Limits.scimIndexedBytesMax else {
            throw SCIMProblem(
                400, .invalidValue, "\(name) is missing, or longer than \(Limits.scimIndexedBytesMax) bytes.")
        }
        guard JSONValue.object(attributes).serialized.count <= Limits.scimResourceBytesMax else {
            throw SCIMProblem(413, nil, "A resource has at most \(Limits.scimResourceBytesMax) bytes.")
        }
        let external = attributes["externalId"]?.stringValue
        guard external?.utf8.count ?? 0 <= Limits.scimIndexedBytesMax else {
            throw SCIMProblem(400, .invalidValue, "externalId is too long.")
        }
        var values: [Value] = []
        for attribute in SCIMSchemas.all(kind) {
            attributes[attribute.name].map { Self.add($0, [attribute], element: 0, to: &values) }
        }
        let display = attributes["displayName"]?.stringValue ?? text
        values.append(Value("display", element: 0, Self.bounded(display)))
        self.init(
            attributes: attributes, nameKey: text.lowercased(), externalID: external,
            isActive: attributes["active"]?.boolValue ?? isActive,
            values: Array(values.prefix(Limits.scimIndexedValuesMax)))
    }

    private static func add(_ json: JSONValue, _ steps: [SCIMAttribute], element: Int, to values: inout [Value]) {
        let path = SCIMPath(steps)
        if let list = json.arrayValue {
            for (index, value) in list.enumerated() { add(value, steps, element: index, to: &values) }
        } else if let members = json.objectValue {
            // The element itself, which compares as its value.
            let value = path.last.part("value").flatMap { part in
                members[part.name].flatMap(SCIMFilterNode.text).map(part.folded)
            }
            values.append(Value(path.key, element: element, bounded(value ?? "")))
            for part in path.last.parts {
                members[part.name].map { add($0, steps + [part], element: element, to: &values) }
            }
        } else if let text = SCIMFilterNode.text(json) {
            values.append(Value(path.key, element: element, bounded(path.last.folded(text))))
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > Limits.scimIndexedBytesMax else { return text }
        return String(decoding: text.utf8.prefix(Limits.scimIndexedBytesMax), as: UTF8.self)
    }
}

/// What a user's own account gets of the resource.
extension SCIMProfile {
    /// - Parameter proven: whether the tenant has proven a domain. An address that is not written as it is compared is a
    ///   contact alone: its mailbox may be another person's.
    package init(_ attributes: [String: JSONValue], proven: (EmailDomain) -> Bool) {
        func text(_ value: JSONValue?) -> JSONValue? {
            value?.stringValue.flatMap { (1...Limits.scimIndexedBytesMax).contains($0.utf8.count) ? .string($0) : nil }
        }
        let name = attributes["name"]
        var claims: [String: JSONValue] = [:]
        claims["name"] = text(attributes["displayName"]) ?? text(name?["formatted"])
        claims["given_name"] = text(name?["givenName"])
        claims["family_name"] = text(name?["familyName"])
        claims["middle_name"] = text(name?["middleName"])
        claims["nickname"] = text(attributes["nickName"])
        claims["preferred_username"] = text(attributes["userName"])
        claims["locale"] = text(attributes["locale"]) ?? text(attributes["preferredLanguage"])
        claims["zoneinfo"] = text(attributes["timezone"])
        let email = Self.email(in: attributes)
        self.init(
            claims: claims, email: email,
            isEmailProven: email.flatMap { address in
                Identifier.isOwnForm(of: address) ? EmailDomain(ofAddress: address).map(proven) : nil
            } ?? false)
    }
}
