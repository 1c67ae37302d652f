/// Recovery codes, shown only once.
struct RecoveryCodesPage: FormPage {
    static let template = PageTemplate.recoveryCodes
    static let name = "recovery-codes"
    let form: PageForm
    let codes: [String]
    /// Whether these codes replace earlier ones.
    let replacesEarlier: Bool

    func title(_ strings: Strings) -> String { strings[RecoveryCodeStrings.self].newHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[RecoveryCodeStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "codes": codes,
            "file": "data:text/plain;charset=utf-8," + Self.escaped(codes.joined(separator: "\n") + "\n"),
        ]
        if replacesEarlier { values["notice"] = text.replaced }
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
