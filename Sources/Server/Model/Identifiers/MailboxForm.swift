/// How an email address is written so that every program finds the same mailbox in it. Programs read a list, a comment, a
/// name before the mailbox, or a second `@` each in its own way, and so find another person's mailbox there.
enum MailboxForm {
    /// Whether a text is one `@` between a name of atoms and dots (RFC 5322 §3.2.3, with the letters of RFC 6532) and a
    /// domain of labels (RFC 5321 §4.1.2: none is empty, so no dot ends it). Dots may stand anywhere in the name, as in
    /// addresses that some providers gave out.
    static func isPlain(_ address: String) -> Bool {
        let parts = address.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && parts[0].allSatisfy(isOfName)
            && parts[1].allSatisfy { !$0.isASCII || isLetterOrDigit($0) || $0 == "-" || $0 == "." || $0 == "_" }
            && parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII || isLetterOrDigit(scalar) || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains(scalar)
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }
}
