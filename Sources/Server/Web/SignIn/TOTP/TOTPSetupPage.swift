internal import Foundation

/// Setting up an authenticator app.
struct TOTPSetupPage: FormPage {
    static let template = PageTemplate.totpSetup
    static let name = "totp-setup"
    let form: PageForm
    /// `otpauth://…`, for an authenticator app on the same device.
    let keyURI: String
    /// The QR code: `data:image/svg+xml;base64,…`, or an address of this server.
    let pictureURI: String
    /// The key in base32, for typing.
    let key: String
    let problem: CodeProblem?

    func title(_ strings: Strings) -> String { strings[TOTPStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[TOTPStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel,
            "codeLabel": strings[CodeStrings.self].label, "key": Self.grouped(key),
        ]
        if keyURI.hasPrefix("otpauth://") { values["keyURI"] = keyURI }
        if pictureURI.hasPrefix("data:image/") || pictureURI.hasPrefix("/") { values["pictureURI"] = pictureURI }
        if case .wrong = problem {
            values["problem"] = text.wrong
        } else {
            values["problem"] = problem?.text(strings)
        }
        return form.values(values)
    }

    /// An image as an address.
    static func dataURI(svg: String) -> String {
        "data:image/svg+xml;base64," + Data(svg.utf8).base64EncodedString()
    }

    /// In groups of four, which are easier to type.
    private static func grouped(_ key: String) -> String {
        var text = ""
        for (index, character) in key.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text.append(" ") }
            text.append(character)
        }
        return text
    }
}
