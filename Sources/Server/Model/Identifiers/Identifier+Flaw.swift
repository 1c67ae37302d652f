internal import KeyturnBase

extension Identifier {
    /// Why no account is given a login ID, though it can be looked up: operators and users could take it for another one.
    public enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        /// It holds a character that is not seen, or is seen as a blank or a dot.
        case hidden(Unicode.Scalar)
        /// It begins with a mark.
        case leadingMark
        /// It has two blanks running.
        case blanks
        /// Letters that run from right to left stand beside others, or behind a digit.
        case directions
        /// A word has letters of two alphabets.
        case alphabets
        /// It holds an `@`, and programs could find another mailbox in it.
        case mailbox

        /// What is wrong and what to do, after "it ".
        public var description: String {
            switch self {
            case .hidden(let scalar):
                "holds the character \(VisibleText.shown(String(scalar))), which is not seen: leave it out"
            case .leadingMark: "begins with an accent: begin with a letter"
            case .blanks: "has two blanks running: write one"
            case .directions: "mixes letters from left to right with those from right to left: use one direction"
            case .alphabets: "mixes letters of two alphabets in one word: use one"
            case .mailbox: "is not one address for every mail program: write name@domain, without quotes and brackets"
            }
        }
    }

    /// The first flaw; `nil`: an account may get this login ID. Accounts that had it before keep it, and sign in with it.
    ///
    /// Each part of an address is looked at for itself. A domain beyond ASCII is in ASCII by now, and so is what it seems.
    public var flaw: Flaw? {
        if kind == .email, !MailboxForm.isPlain(value) { return .mailbox }
        guard !value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        guard kind == .email else { return Self.flaw(in: value) }
        // An ideographic full stop is a dot for some programs, and a letter for others.
        if value.unicodeScalars.contains("\u{3002}") { return .hidden("\u{3002}") }
        return value.split(separator: "@", omittingEmptySubsequences: false).lazy.compactMap { part in
            Self.flaw(in: String(part))
        }.first
    }

    private static func flaw(in part: String) -> Flaw? {
        switch LookalikeName.flaw(in: part) {
        case .hidden(let scalar): .hidden(scalar)
        case .leadingMark: .leadingMark
        case .blanks: .blanks
        case .directions: .directions
        case .alphabets: .alphabets
        case nil: nil
        }
    }

    /// The value with everything in it seen, for operators: what is hidden stands as its code point, such as
    /// `ad[U+200B]minz`.
    public var shown: String { VisibleText.shown(value) }
}
