internal import KeyturnBase

/// Offers a passkey after a sign-in by other methods. The user may decline.
struct PasskeyOfferPage: FormPage {
    static let template = PageTemplate.passkeyOffer
    static let name = "passkey-offer"
    let form: PageForm
    let button: PasskeyButton
    /// Options that the browser tries first, without a dialog; `nil`: it cannot do that.
    let quiet: JSONValue?
    /// Whether the user is asked at all: if not, only the quiet way is tried.
    let asks: Bool

    var usesPasskeys: Bool { true }
    func title(_ strings: Strings) -> String { strings[PasskeyStrings.self].offerHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[PasskeyStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "asks": asks,
            "passkey": button.values(strings, action: "add", style: "primary", label: text.offerSubmit),
        ]
        if let quiet { values["quiet"] = ["options": quiet.text, "waiting": text.waiting] }
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

    func title(_ strings: Strings) -> String { strings[PasskeyStrings.self].ceremonyHeading(button.kind) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[PasskeyStrings.self]
        var facts = [["name": text.service, "value": projectName]]
        if let account { facts.append(["name": strings[LinkStrings.self].account, "value": account]) }
        return [
            "heading": title(strings), "lead": text.ceremonyLead(button.kind), "facts": facts,
            "text": text, "cancel": strings.cancel, "cancelURI": cancelURI,
            "passkey": button.values(
                strings, style: "primary",
                label: isCreation ? text.create : text.continue),
        ]
    }
}
