/// Setting up an authenticator app.
struct TOTPSetupPage: Page {
    static let template = PageTemplate.totpSetup
    static let name = "totp-setup"
    let form: PageForm
    /// `otpauth://…`, for an authenticator app on the same device.
    let keyURI: String
    /// The QR code: `data:image/png;base64,…`, or an address of this server.
    let pictureURI: String
    /// The key in base32, for typing.
    let key: String
    let problem: CodeProblem?
    var visitor: SettingsVisitor?

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String { strings.account.setupHeading }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.account, "cancel": strings.cancel,
            "codeLabel": strings.proof.codeLabel, "key": Self.grouped(key),
        ]
        if keyURI.hasPrefix("otpauth://") { values["keyURI"] = keyURI }
        if pictureURI.hasPrefix("data:image/") || pictureURI.hasPrefix("/") { values["pictureURI"] = pictureURI }
        if case .wrong = problem {
            values["problem"] = strings.account.setupWrong
        } else {
            values["problem"] = problem?.text(strings)
        }
        return form.values(values)
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

/// Recovery codes, shown only once.
struct RecoveryCodesPage: Page {
    static let template = PageTemplate.recoveryCodes
    static let name = "recovery-codes"
    let form: PageForm
    let codes: [String]
    /// Whether these codes replace earlier ones.
    let replacesEarlier: Bool
    var visitor: SettingsVisitor?

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String { strings.account.codesHeading }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.account, "codes": codes,
            "file": "data:text/plain;charset=utf-8," + Self.escaped(codes.joined(separator: "\n") + "\n"),
        ]
        if replacesEarlier { values["notice"] = strings.account.codesReplaced }
        return form.values(values)
    }

    /// Percent-encoded, except letters, digits and hyphens (RFC 3986 §2.1).
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            let scalar = Unicode.Scalar(byte)
            if byte < 128, scalar.properties.isAlphabetic || scalar.properties.numericType != nil || byte == 45 {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
