internal import KeyturnBase

/// A button that begins a WebAuthn ceremony. Scripts show it where the browser supports passkeys; without scripts the
/// page works without it.
struct PasskeyButton: Sendable {
    enum Kind: String, Sendable {
        case get, create
    }

    let kind: Kind
    /// The options for the browser, in the JSON form of WebAuthn Level 3.
    let options: JSONValue
    /// Whether the browser also offers passkeys in the name's field.
    var isAutofilled = false
    /// The address that gets the answer instead of the surrounding form, and how.
    var returning: String?

    /// - Parameters:
    ///   - action: the value that the form sends.
    ///   - style: the look.
    func values(_ strings: Strings, action: String = "passkey", style: String = "way", label: String? = nil)
        -> [String: Any]
    {
        let text = strings[PasskeyStrings.self]
        var values: [String: Any] = [
            "kind": kind.rawValue, "options": options.text, "action": action, "style": style,
            "label": label ?? text.signIn, "failed": text.failed(kind),
            "excluded": text.excluded, "isAutofilled": isAutofilled,
        ]
        values["returning"] = returning
        return values
    }
}

/// Why a passkey was refused.
enum PasskeyRefusal: Sendable, CaseIterable {
    /// The page was open too long, or its answer was sent twice.
    case expired
    /// This server does not know it.
    case unknown
    case switchedOff
    case refused
}
