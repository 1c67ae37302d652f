/// What may stand in a header.
enum HeaderText {
    /// Visible ASCII only (RFC 6750 §2.1), of acceptable size.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.tokenMaxBytes && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Printable ASCII, spaces included, of acceptable size.
    static func isValue(_ text: String) -> Bool {
        text.utf8.count <= Limits.headerMaxBytes && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// `token` of RFC 9110 §5.6.2.
    static func isName(_ text: String) -> Bool {
        let others = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty && text.utf8.count <= 256
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.contains(byte)
                }
            }
    }
}
