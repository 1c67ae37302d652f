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
        var values: [String: Any] = [
            "kind": kind.rawValue, "options": options.text, "action": action, "style": style,
            "label": label ?? strings.passkey.signIn, "failed": strings.passkey.failed(kind),
            "excluded": strings.passkey.excluded, "isAutofilled": isAutofilled,
        ]
        values["returning"] = returning
        return values
    }
}

/// What a page tells the user's device about passkeys (WebAuthn Level 3 §5.1.10).
struct PasskeySignal: Sendable {
    enum Kind: String, Sendable {
        case unknown = "signalUnknownCredential"
        case accepted = "signalAllAcceptedCredentials"
        case details = "signalCurrentUserDetails"
    }

    let kind: Kind
    let details: JSONValue

    /// - Parameter details: `nil` if the page has nothing to tell.
    init?(_ kind: Kind, _ details: JSONValue?) {
        guard let details else { return nil }
        self.kind = kind
        self.details = details
    }

    var values: [String: String] { ["signal": kind.rawValue, "details": details.text] }
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

/// Offers a passkey after a sign-in by other methods. The user may decline.
struct PasskeyOfferPage: Page {
    static let template = PageTemplate.passkeyOffer
    static let name = "passkey-offer"
    let form: PageForm
    let button: PasskeyButton
    /// Options that the browser tries first, without a dialog; `nil`: it cannot do that.
    let quiet: JSONValue?
    /// Whether the user is asked at all: if not, only the quiet way is tried.
    let asks: Bool

    var usesPasskeys: Bool { true }
    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String { strings.passkey.offerHeading }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.passkey, "asks": asks,
            "passkey": button.values(strings, action: "add", style: "primary", label: strings.passkey.offerSubmit),
        ]
        if let quiet { values["quiet"] = ["options": quiet.text, "waiting": strings.passkey.waiting] }
        return form.values(values)
    }
}

/// A ceremony for a program without an authenticator.
struct PasskeyCeremonyPage: Page {
    static let template = PageTemplate.passkeyCeremony
    static let name = "passkey"
    let projectName: String
    /// The account's name; `nil`: any that the device knows.
    let account: String?
    let button: PasskeyButton
    /// The address that tells the program about a failure.
    let cancelURI: String

    var usesPasskeys: Bool { true }
    private var isCreation: Bool { button.kind == .create }

    func title(_ strings: Strings) -> String { strings.passkey.ceremonyHeading(button.kind) }

    func values(_ strings: Strings) -> [String: Any] {
        var facts = [["name": strings.passkey.service, "value": projectName]]
        if let account { facts.append(["name": strings.link.account, "value": account]) }
        return [
            "heading": title(strings), "lead": strings.passkey.ceremonyLead(button.kind), "facts": facts,
            "text": strings.passkey, "cancel": strings.cancel, "cancelURI": cancelURI,
            "passkey": button.values(
                strings, style: "primary",
                label: isCreation ? strings.passkey.create : strings.passkey.continue),
        ]
    }
}

extension JSONValue {
    fileprivate var text: String { String(decoding: serialized, as: UTF8.self) }
}
