internal import KeyturnBase
internal import Model

/// Asks the user whether an app may have what it requests.
struct ConsentPage: Page {
    static let template = PageTemplate.consent
    static let name = "consent"
    let transaction: String
    let csrf: String
    let clientName: String
    let policyURI: String?
    let tosURI: String?
    let userName: String
    let scopes: [String]
    /// Claims that the app would hear by name, beside those of its scopes.
    var claims: Set<String> = []
    /// The services that the app's tokens would be for.
    var resources: [NamedResource] = []
    /// The requested authorization details (RFC 9396), each with its `type`.
    var details: [[String: JSONValue]] = []
    /// Whether the client registered itself, and the operator has not checked it.
    let isUnverified: Bool
    let destination: String
    let redirectOrigins: [String]

    func title(_ strings: Strings) -> String { strings[ConsentStrings.self].heading(clientName) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsentStrings.self]
        let detail = strings[DetailStrings.self]
        let lines = scopes.map(strings.scope) + strings.claims(claims) + resources.map(strings.resource)
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.lead(userName), "transaction": transaction, "csrf": csrf,
            "scopes": lines, "hasScopes": !lines.isEmpty, "hasDetails": !details.isEmpty,
            "details": details.map { ConsentDetail($0).values(detail) },
            "destination": text.destination(destination),
            "allow": text.allow, "deny": strings.deny, "policy": strings.policy, "terms": strings.terms,
        ]
        values["initial"] = Self.initial(of: clientName)
        // Without a list, the page's own lead already introduces the details.
        if !lines.isEmpty { values["detailsLead"] = detail.lead }
        if isUnverified { values["unverified"] = strings.unverified }
        if let policyURI, policyURI.hasPrefix("https://") { values["policyURI"] = policyURI }
        if let tosURI, tosURI.hasPrefix("https://") { values["tosURI"] = tosURI }
        values["hasLinks"] = values["policyURI"] != nil || values["tosURI"] != nil
        return values
    }

    /// The letter that stands for an app: pictures of other servers are not loaded, since their servers would learn of
    /// the user. `nil` if the name does not begin with a letter or a digit.
    static func initial(of name: String) -> String? {
        guard let first = name.first, first.isLetter || first.isNumber else { return nil }
        return first.uppercased()
    }
}

/// One object of `authorization_details` in readable form; nothing is left out.
struct ConsentDetail: Sendable {
    private let element: [String: JSONValue]

    init(_ element: [String: JSONValue]) {
        self.element = element
    }

    /// Known members come first, in a natural order.
    private static let order = ["identifier", "actions", "datatypes", "privileges"]

    func values(_ strings: DetailStrings) -> [String: Any] {
        let others = element.keys.filter { $0 != "type" && $0 != "locations" && !Self.order.contains($0) }.sorted()
        let rows = (Self.order + others + ["locations"]).compactMap { name -> [String: Any]? in
            guard let value = element[name] else { return nil }
            let text = value.stringValue ?? Self.text(value, strings)
            return ["name": heading(name, strings), "value": text.isEmpty ? "–" : text]
        }
        return ["title": Self.heading(element["type"]?.stringValue ?? "–"), "rows": rows, "hasRows": !rows.isEmpty]
    }

    /// A name in readable form; unchanged if another name would look the same.
    private func heading(_ name: String, _ strings: DetailStrings) -> String {
        let shown = { (name: String) in strings.name(name) ?? Self.heading(name) }
        let alike = { (name: String) in shown(name).lowercased().filter { !$0.isWhitespace } }
        let isOne = element.keys.count { alike($0) == alike(name) } == 1
        return isOne ? shown(name) : Self.quoted(name)
    }

    /// A nested value as a text that cannot be confused with two values, or with another name.
    private static func text(_ value: JSONValue, _ strings: DetailStrings) -> String {
        switch value {
        case .null: return "–"
        case .bool(let flag): return flag ? strings.yes : strings.no
        case .string(let text): return isBare(text) ? text : quoted(text)
        case .array(let values): return values.map { nested($0, strings) }.joined(separator: ", ")
        case .object(let members):
            let parts = members.sorted { $0.key < $1.key }.map { name, value in
                let words = words(name)
                return "\(isBare(words) && !words.contains(":") ? words : quoted(name)): \(nested(value, strings))"
            }
            return parts.joined(separator: "; ")
        default: return String(decoding: value.serialized, as: UTF8.self)
        }
    }

    private static func nested(_ value: JSONValue, _ strings: DetailStrings) -> String {
        switch value {
        case .array, .object: "(\(text(value, strings)))"
        default: text(value, strings)
        }
    }

    /// Whether a text holds no character that separates values.
    private static func isBare(_ text: String) -> Bool {
        guard let first = text.first, let last = text.last, first != " ", last != " " else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                ? scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || " -_./:@+%&=?#".unicodeScalars.contains(scalar)
                : scalar.properties.isAlphabetic
        }
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).serialized, as: UTF8.self)
    }

    /// The name as a heading, with a capital letter.
    private static func heading(_ name: String) -> String {
        let words = words(name)
        return words == name && name.contains(":") ? name : words.prefix(1).uppercased() + words.dropFirst()
    }

    /// `payment_initiation` as `payment initiation`, `creditorName` as `creditor name`. Addresses are not changed.
    private static func words(_ name: String) -> String {
        guard !name.contains(":"), !name.contains("/") else { return name }
        var result = ""
        var last: Character?
        for character in name {
            if character == "_" || character == "-" {
                result.append(" ")
            } else if character.isUppercase, last?.isLowercase == true {
                result.append(" " + character.lowercased())
            } else {
                result.append(character)
            }
            last = character
        }
        return result
    }
}
