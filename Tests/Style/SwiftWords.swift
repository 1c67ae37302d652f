/// The words and marks of a Swift file, without comments and without the text of strings. What is interpolated stays.
struct SwiftWords {
    struct Word {
        let text: String
        /// Counted from 1.
        let line: Int
        /// An identifier, a keyword or a number; otherwise a mark of one byte.
        let isName: Bool

        var startsUppercase: Bool { isName && text.utf8.first.map { (0x41...0x5A).contains($0) } == true }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var words: [Word] = []

    private static let (quote, pound, slash, star) = (UInt8(0x22), UInt8(0x23), UInt8(0x2F), UInt8(0x2A))
    private static let (open, close, backslash, newline) = (UInt8(0x28), UInt8(0x29), UInt8(0x5C), UInt8(0x0A))

    static func read(_ text: String) -> [Word] {
        var reader = SwiftWords(bytes: Array(text.utf8))
        reader.readCode(isInterpolated: false)
        return reader.words
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte so far ahead; 0 behind the end.
    private func byte(_ offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func step() {
        if byte() == Self.newline { line += 1 }
        position += 1
    }

    /// Reads to the end of the file, or to the parenthesis that ends an interpolation.
    private mutating func readCode(isInterpolated: Bool) {
        var depth = 0
        while position < bytes.count {
            switch (byte(), byte(1)) {
            case (0x20, _), (Self.newline, _): step()
            case (Self.slash, Self.slash): while position < bytes.count, byte() != Self.newline { position += 1 }
            case (Self.slash, Self.star): skipComment()
            case (Self.quote, _): readString(pounds: 0)
            case (Self.pound, _): readPounds()
            case (Self.close, _) where isInterpolated && depth == 0: return
            case (let first, _) where Self.isInName(first): readName()
            case (let mark, _):
                if mark == Self.open { depth += 1 }
                if mark == Self.close { depth -= 1 }
                words.append(Word(text: String(UnicodeScalar(mark)), line: line, isName: false))
                position += 1
            }
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        // Digits, upper case, underscore and backtick, lower case, everything beyond ASCII.
        case 0x30...0x39, 0x41...0x5A, 0x5F...0x60, 0x61...0x7A, 0x80...: true
        default: false
        }
    }

    private mutating func readName() {
        let start = position
        while Self.isInName(byte()) { position += 1 }
        let text = String(decoding: bytes[start..<position].filter { $0 != 0x60 }, as: UTF8.self)
        words.append(Word(text: text, line: line, isName: true))
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            switch (byte(), byte(1)) {
            case (Self.slash, Self.star):
                depth += 1
                position += 2
            case (Self.star, Self.slash):
                depth -= 1
                position += 2
            default: step()
            }
        } while depth > 0 && position < bytes.count
    }

    /// A directive, a string or a regular expression.
    private mutating func readPounds() {
        var pounds = 0
        while byte() == Self.pound {
            pounds += 1
            position += 1
        }
        if byte() == Self.quote { return readString(pounds: pounds) }
        guard byte() == Self.slash else { return }
        repeat { step() } while position < bytes.count && !(byte() == Self.slash && hasPounds(pounds, after: 1))
        position += 1 + pounds
    }

    private func hasPounds(_ count: Int, after offset: Int) -> Bool {
        (0..<count).allSatisfy { byte(offset + $0) == Self.pound }
    }

    private mutating func readString(pounds: Int) {
        let quotes = byte(1) == Self.quote && byte(2) == Self.quote ? 3 : 1
        position += quotes
        while position < bytes.count {
            if byte() == Self.backslash, hasPounds(pounds, after: 1) {
                position += 1 + pounds
                if byte() == Self.open {
                    position += 1
                    readCode(isInterpolated: true)
                }
                step()
            } else if (0..<quotes).allSatisfy({ byte($0) == Self.quote }), hasPounds(pounds, after: quotes) {
                position += quotes + pounds
                return
            } else {
                step()
            }
        }
    }
}
