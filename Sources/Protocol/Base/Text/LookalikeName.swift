/// Names that are told apart by looking at them: what makes one look like another is found here.
package enum LookalikeName {
    /// Why a name can be taken for another one.
    package enum Flaw: Hashable, Sendable {
        /// It holds a character that is not seen, or a blank that is not the ordinary one.
        case hidden(Unicode.Scalar)
        /// It begins with a mark, which is drawn over what stands before the name.
        case leadingMark
        /// It has two blanks running, which pages show as one.
        case blanks
        /// Letters that run from right to left stand beside others, or around digits: two orders are drawn alike.
        case directions
        /// A word has letters of two of the Latin, Greek and Cyrillic alphabets, which share shapes.
        case alphabets
    }

    /// The first flaw of a name; `nil`: it is what it seems. Whole words that look like another word are not found.
    package static func flaw(in name: String) -> Flaw? {
        guard !name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let scalars = Array(name.unicodeScalars)
        for scalar in scalars
        where VisibleText.isHidden(scalar) || scalar != " " && scalar.properties.isWhitespace {
            return .hidden(scalar)
        }
        if let first = scalars.first, isMark(first) { return .leadingMark }
        if zip(scalars, scalars.dropFirst()).contains(where: { $0 == " " && $1 == " " }) { return .blanks }
        if mixesDirections(scalars) { return .directions }
        return mixesAlphabets(scalars) ? .alphabets : nil
    }

    /// The Bidi rule of RFC 5893 §2, for a name with letters that run from right to left.
    private static func mixesDirections(_ scalars: [Unicode.Scalar]) -> Bool {
        guard scalars.contains(where: isRightToLeft) else { return false }
        guard let first = scalars.first, isRightToLeft(first), let last = scalars.last(where: { !isMark($0) }),
            isRightToLeft(last) || isDigit(last)
        else { return true }
        let hasOthers = scalars.contains { $0.properties.isAlphabetic && !isMark($0) && !isRightToLeft($0) }
        let digits = scalars.filter(isDigit)
        return hasOthers || digits.contains(where: isArabicDigit) && !digits.allSatisfy(isArabicDigit)
    }

    private static func mixesAlphabets(_ scalars: [Unicode.Scalar]) -> Bool {
        var seen: Set<Alphabet> = []
        for scalar in scalars {
            // A word ends where no letter, mark or digit is.
            guard scalar.properties.isAlphabetic || isMark(scalar) || isDigit(scalar) else {
                seen = []
                continue
            }
            if let alphabet = Alphabet(scalar) { seen.insert(alphabet) }
            if seen.count > 1 { return true }
        }
        return false
    }

    private enum Alphabet: Hashable {
        case latin, greek, cyrillic

        init?(_ scalar: Unicode.Scalar) {
            guard scalar.properties.isAlphabetic else { return nil }
            switch scalar.value {
            case 0x41...0x24F, 0x250...0x2AF, 0x1D00...0x1D25, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA722...0xA7FF,
                0xAB30...0xAB64:
                self = .latin
            case 0x370...0x3FF, 0x1D26...0x1D2A, 0x1F00...0x1FFF: self = .greek
            case 0x400...0x52F, 0x1C80...0x1C8F, 0x1D2B, 0x2DE0...0x2DFF, 0xA640...0xA69F: self = .cyrillic
            default: return nil
            }
        }
    }

    /// Letters of Hebrew, Arabic and their neighbours: the blocks whose characters run from right to left (UAX #9).
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        guard !isMark(scalar), !isDigit(scalar) else { return false }
        switch scalar.value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: return true
        default: return false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .decimalNumber
    }

    /// Drawn in another order than the digits of Europe, whose bidirectional class Persian ones have as well.
    private static func isArabicDigit(_ scalar: Unicode.Scalar) -> Bool {
        (0x660...0x669).contains(scalar.value)
    }
}
