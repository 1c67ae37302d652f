/// The SQL of the stores is written once, in forms that SQLite and PostgreSQL both take. What only one of them knows is a
/// fragment of its dialect.
enum StatementRules {
    static let folder = "Sources/Server/StoreSQL/"
    /// There each engine speaks its own language.
    static let engines = "Sources/Server/StoreSQL/Engine/"

    static func engineForms(_ file: SourceTree.File) -> [Finding] {
        guard file.path.hasPrefix(folder), !file.path.hasPrefix(engines) else { return [] }
        let forms = forms
        return literals(file).compactMap { line, text in
            forms.first { text.contains($0.0) }.map { Finding(path: file.path, line: line, text: $0.1) }
        }
    }

    /// A form that one engine refuses or reads differently, and what to write instead.
    private static var forms: [(Regex<Substring>, String)] {
        [
            (
                #/\b(?:SELECT|RETURNING) +\*/#,
                "name the columns: a new one would break what older servers have prepared"
            ),
            (#/\b[a-z]\.\*/#, "name the columns: a new one would break what older servers have prepared"),
            (#/\b(?:FROM|JOIN|INTO|UPDATE) +user\b/#, "write \"user\": PostgreSQL has a function of that name"),
            (#/\biif\(/#, "write CASE"),
            (#/ IS (?:NOT )?(?!NULL\b|NOT\b|DISTINCT\b)/#, "write IS [NOT] DISTINCT FROM"),
            (#/\brandomblob\(/#, "make it in Swift, and bind it"),
            (#/\b[Ll]IMIT +-/#, "write SQL.noLimit"),
            (#/\bINSERT +OR\b|\bREPLACE +INTO\b/#, "write ON CONFLICT"),
            (#/\blast_insert_rowid\b|\bchanges\(\)/#, "write RETURNING"),
            (#/\bjson_\w+\(/#, "take a fragment of the dialect"),
            (
                #/\b(?:instr|printf|lower|upper|hex|glob|typeof|strftime|datetime|unixepoch|group_concat)\(/#,
                "take a fragment of the dialect"
            ),
            (#/\b(?:ifnull|total)\(/#, "write coalesce"),
            (#/\b(?:min|max)\([^()]*,/#, "write CASE, or SQL.lesser"),
            (#/\b(?:OR|AND|WHERE|WHEN|NOT) +\?\d*(?: *(?:\)|THEN\b|AND\b|OR\b)|$)/#, "compare it: ?1 = 1"),
            (#/\bPRAGMA\b|\bAUTOINCREMENT\b|\bCOLLATE +NOCASE\b/#, "that belongs to the engine"),
        ]
    }

    /// The text of string literals, by line, without what is interpolated into them on one line.
    static func literals(_ file: SourceTree.File) -> [(line: Int, text: String)] {
        var result: [(Int, String)] = []
        var isOpen = false
        for (index, line) in file.lines.enumerated() {
            let quotes = line.ranges(of: "\"\"\"").count
            if isOpen, quotes == 0 { result.append((index + 1, line)) }
            if !isOpen, quotes == 0, !line.trimmingPrefix(#/\s*/#).hasPrefix("//") {
                result += line.matches(of: #/"((?:[^"\\]|\\.)*)"/#).map { (index + 1, String($0.1)) }
            }
            if quotes % 2 == 1 { isOpen.toggle() }
        }
        return result
    }
}
