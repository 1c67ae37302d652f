import Foundation

/// What a document of another vendor's SDK names: its symbols, found by rules that know no vendor.
///
/// A symbol is the set of words that belong together: a method with its labels and its receiver, a type with the labels
/// of its initialiser, or one word.
///
/// 1. Code is what stands in fenced blocks and in code spans, those in comments included. Of a span with `://` the last
///    step of the path counts, and a span of several words without `.`, `(` or `:` is prose. A document without fences
///    has lines that begin as code does, and tables: the first word of each line below `Field …` and `Code …`.
/// 2. A capitalised name is a type. A name after a dot is a member; its receiver belongs to it if that is a type or a
///    member itself, and is a local variable otherwise. The labels of a call belong to what is called.
/// 3. A function counts where `function` or a protocol declares it. A Swift function outside of a protocol is the
///    example's own.
/// 4. A name before a colon counts in an interface, an object or a tuple. A quoted word counts as a key, in a list and
///    as one of several choices.
/// 5. Any other lower-case name is a variable or a function of the example; in a span it counts.
/// 6. Keywords and names of the standard library and of the platforms' frameworks do not count.
struct VendorDocument {
    private(set) var symbols: Set<Set<String>> = []

    init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let hasFences = lines.contains { $0.hasPrefix("```") }
        var (isCode, isTable) = (false, false)
        var blocks: [[Substring]] = [[]]
        var prose: [Substring] = []
        for line in lines {
            let content = line.drop { $0 == " " }
            if hasFences {
                guard !line.hasPrefix("```") else {
                    isCode.toggle()
                    blocks.append([])
                    continue
                }
            } else {
                isCode = !isTable && content.prefixMatch(of: Self.codeBeginning) != nil
            }
            if isCode {
                blocks[blocks.endIndex - 1].append(line)
            } else {
                prose.append(line)
                if hasFences { continue }
                if isTable, let word = content.split(separator: " ").first { symbols.insert([String(word)]) }
                isTable = !content.isEmpty && (isTable || content.hasPrefix("Field ") || content.hasPrefix("Code "))
            }
        }
        for block in blocks { read(block.joined(separator: "\n"), isSpan: false) }
        for span in Self.spans(prose.joined(separator: "\n")) { read(span: span) }
    }

    private mutating func read(span: String) {
        if span.contains("://") {
            let path = span.prefix { $0 != "?" }
            guard let last = path.matches(of: #/\w+/#).last else { return }
            symbols.insert([String(last.0)])
        } else if !span.contains(" ") || span.contains(where: { ".(:".contains($0) }) {
            read(span, isSpan: true)
        }
    }

    private mutating func read(_ code: String, isSpan: Bool) {
        var reader = VendorCode(code, isSpan: isSpan)
        reader.read()
        symbols.formUnion(reader.symbols)
        for span in reader.spans { read(span: span) }
    }

    static func spans(_ text: String) -> [String] {
        text.matches(of: #/`([^`\n]+)`/#).map { String($0.1) }
    }

    private static var codeBeginning: Regex<Substring> {
        #/(?:import|let|const|if|switch|case|guard|struct|var|func|return|catch|do)\b|[}."]|///#
    }
}

/// One piece of code, read by the rules of ``VendorDocument``.
private struct VendorCode {
    private enum Kind { case comment, text, header, name, sign }

    private let tokens: [(kind: Kind, text: String)]
    private let isSpan: Bool
    private(set) var symbols: Set<Set<String>> = []
    /// The code spans in comments.
    private(set) var spans: [String] = []

    init(_ code: String, isSpan: Bool) {
        self.isSpan = isSpan
        tokens = code.matches(of: Self.token).map { match in
            let named: [(Kind, Substring?)] = [
                (.comment, match.comment), (.text, match.text), (.header, match.header), (.name, match.name),
            ]
            return (named.first { $0.1 != nil }?.0 ?? .sign, String(match.0))
        }
    }

    mutating func read() {
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .comment: spans += VendorDocument.spans(token.text)
            case .text: readText(index)
            // A header field; one in capitals stands for a value.
            case .header: if token.text != token.text.uppercased() { symbols.insert([token.text]) }
            case .name: readName(index)
            case .sign: break
            }
        }
    }

    /// A quoted text: what is inserted into it, and the word that it is.
    private mutating func readText(_ index: Int) {
        for inserted in tokens[index].text.matches(of: #/\\\(((?:[^()]|\([^()]*\))*)\)/#) {
            var reader = VendorCode(String(inserted.1), isSpan: false)
            reader.read()
            symbols.formUnion(reader.symbols)
        }
        let word = String(tokens[index].text.dropFirst().dropLast())
        guard word.wholeMatch(of: #/[A-Za-z_]\w*/#) != nil else { return }
        let (before, after) = (sign(index - 1), sign(index + 1))
        if after == ":" || after == "|" || before == "|" || before == "[" || (before == ":" && after == ";") {
            symbols.insert([word])
        }
    }

    private mutating func readName(_ index: Int) {
        let name = tokens[index].text
        let labels = sign(index + 1) == "(" ? labels(from: index + 1) : []
        switch sign(index - 1) {
        case _ where VendorWords.keywords.contains(name): return
        case "func", "fun": if isRequirement(index) { symbols.insert(labels.union([name])) }
        case "function": symbols.insert(labels.union([name]))
        case _ where VendorWords.isStandard(name): return
        case ".", "#": readMember(index, labels)
        case _ where name.first?.isUppercase == true: symbols.insert(labels.union([name]))
        case _ where isSpan: if sign(index + 1) == "(" || tokens.count == 1 { symbols.insert(labels.union([name])) }
        default: if isMember(index) { symbols.insert([name]) }
        }
    }

    private mutating func readMember(_ index: Int, _ labels: Set<String>) {
        var words = labels.union([tokens[index].text])
        var place = index - 2
        while ["?", "!"].contains(sign(place)) { place -= 1 }
        if place >= 0, tokens[place].kind == .name, sign(index - 1) == "." {
            let receiver = tokens[place].text
            let isType = receiver.first?.isUppercase == true
            guard !isType || !VendorWords.isStandard(receiver) else { return }
            if isType || (sign(place - 1) == "." && !VendorWords.isStandard(receiver)) { words.insert(receiver) }
        }
        symbols.insert(words)
    }

    /// The labels between a parenthesis and the one that closes it, without those of calls in between.
    private func labels(from parenthesis: Int) -> Set<String> {
        var (labels, depth): (Set<String>, Int) = ([], 0)
        for index in parenthesis..<tokens.count {
            if "([{".contains(sign(index)) { depth += 1 }
            if ")]}".contains(sign(index)) { depth -= 1 }
            if depth == 0 { break }
            let isFirst = ["(", ",", ":"].contains(sign(index - 1))
            if depth == 1, tokens[index].kind == .name, isFirst, hasColon(index) { labels.insert(tokens[index].text) }
        }
        return labels.subtracting(["_"])
    }

    /// Whether a name with a colon belongs to an interface, an object or a tuple, and not to a call.
    private func isMember(_ index: Int) -> Bool {
        let isFirst = index > 0 && tokens[index - 1].kind == .comment || "{,;(}".contains(sign(index - 1))
        guard isFirst, hasColon(index), let bracket = bracket(around: index) else { return false }
        let before = bracket > 0 ? tokens[bracket - 1] : (.sign, " ")
        return sign(bracket) == "{" || (sign(bracket) == "(" && before.kind != .name && before.text != ">")
    }

    private func isRequirement(_ index: Int) -> Bool {
        guard let brace = bracket(around: index) else { return false }
        return sign(brace - 2) == "protocol"
    }

    private func hasColon(_ index: Int) -> Bool {
        sign(index + 1) == ":" || (sign(index + 1) == "?" && sign(index + 2) == ":")
    }

    /// Where the bracket opens that a token stands in.
    private func bracket(around index: Int) -> Int? {
        var depth = 0
        for place in (0..<index).reversed() {
            if ")]}".contains(sign(place)) { depth += 1 }
            guard "([{".contains(sign(place)) else { continue }
            if depth == 0 { return place }
            depth -= 1
        }
        return nil
    }

    /// A sign or a keyword; a space where there is none.
    private func sign(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : " "
    }

    private typealias Match = (Substring, comment: Substring?, text: Substring?, header: Substring?, name: Substring?)

    private static var token: Regex<Match> {
        #/
        (?<comment> //[^\n]* | /\*[\s\S]*?\*/ )
        | (?<text> "(?: \\\((?:[^()]|\([^()]*\))*\) | \\. | [^"\\\n] )*" | '[^'\n]*' )
        | (?<header> [A-Za-z]+(?:-[A-Za-z]+)+ )
        | (?<name> [A-Za-z_]\w* )
        | \S
        /#
    }
}

/// Words that are no symbols of any vendor's SDK.
enum VendorWords {
    static let keywords = set(
        """
        async await escaping public protocol func let var case switch if else guard return throw try catch do import
        struct class new const function interface in for self default nil null true false extends typealias fun weak
        assert string boolean number
        """)

    private static let standard = set(
        """
        String Void Bool Any Int Promise JSON Error Result Task View TextField Set Subscribers Completion Combine Future
        Date success failure finished sink store localizedDescription map first queryItems value name setValue data
        shared url webpageURL activityType pushViewController navigationController onOpenURL scene application
        textContentType onAppear
        """)

    /// Whether the language, its library or a framework of the platform has it: `URL…`, `UI…`, `NS…`, `AS…`.
    static func isStandard(_ name: String) -> Bool {
        standard.contains(name) || name.prefixMatch(of: #/(?:UI|NS|AS|URL)(?:[A-Z]|$)/#) != nil
    }

    private static func set(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
