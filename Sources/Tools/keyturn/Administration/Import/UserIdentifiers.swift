internal import KeyturnBase
internal import Model

/// What a row's user signs in with.
enum UserIdentifiers {
    /// The row's `login_ids`: texts, or objects that say whether each was verified. Without them the email address, else
    /// the phone number, else the preferred user name.
    ///
    /// What is said by a text alone is verified if it is the claim of its kind and that one is; user names always are.
    static func read(_ value: JSONValue?, claims: [String: JSONValue]) throws(Refusal)
        -> [Identifier: Account.IdentifierState]
    {
        let entries: [JSONValue]
        switch value ?? .null {
        case .null: entries = []
        case .array(let elements): entries = elements
        case .string(let text): entries = text.isEmpty ? [] : [.string(text)]
        default: throw RowText.expected("login_ids", "a list of texts")
        }
        var identifiers: [Identifier: Account.IdentifierState] = [:]
        for entry in entries.isEmpty ? standIns(claims) : entries {
            guard let text = entry.stringValue ?? entry["value"]?.stringValue,
                let identifier = Identifier(loginID: text)
            else {
                throw Refusal(
                    "login_ids: one of them can be none",
                    "Each is an email address, a phone number with +, or a user name, of at most 254 bytes.")
            }
            if let flaw = identifier.flaw {
                throw Refusal("login_ids: one of them \(flaw)", "Correct it, and give its user the other spelling.")
            }
            if identifier.kind == .email, let flaw = TextRules.email(identifier.value) {
                throw Refusal("login_ids: \(flaw.detail)", flaw.remedy)
            }
            guard identifiers[identifier] == nil else {
                throw Refusal("login_ids: one of them stands twice", "Keep it once; upper and lower case are alike.")
            }
            let isVerified = entry["verified"]?.boolValue ?? isVerified(identifier, text, claims)
            identifiers[identifier] = isVerified ? .verified : .unverified
        }
        return identifiers
    }

    /// Whether an identifier counts as verified where nothing but the claims says so.
    static func isVerified(_ identifier: Identifier, _ text: String, _ claims: [String: JSONValue]) -> Bool {
        let names: (claim: String, verified: String)
        switch identifier.kind {
        case .email: names = ("email", "email_verified")
        case .phone: names = ("phone_number", "phone_number_verified")
        case .username: return true
        }
        guard claims[names.verified] == true, let claim = claims[names.claim]?.stringValue else { return false }
        return claim == text || Identifier(loginID: claim) == identifier
    }

    private static func standIns(_ claims: [String: JSONValue]) -> [JSONValue] {
        ["email", "phone_number", "preferred_username"].lazy.compactMap { claims[$0] }.prefix(1).map(\.self)
    }
}
