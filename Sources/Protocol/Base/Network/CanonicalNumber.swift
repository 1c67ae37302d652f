/// A number as ports and prefix lengths are written: decimal digits, no sign, no leading zero.
enum CanonicalNumber {
    /// `nil` for any other text, and for more than `max`.
    static func value(_ text: Substring, max: Int) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || !text.hasPrefix("0"), let value = Int(text), value <= max
        else { return nil }
        return value
    }
}
