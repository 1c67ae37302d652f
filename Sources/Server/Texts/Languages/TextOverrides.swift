/// An operator's own words, as they are read from a configuration: each file or language is checked by itself, so that
/// every mistake is found at once.
package struct TextOverrides: Sendable {
    /// One thing that is wrong.
    package struct Flaw: Sendable {
        /// The file below the folder; `nil`: the words stand in the configuration itself.
        package let file: String?
        /// From 1, where it is known.
        package let line: Int?
        package let problem: TextProblem
    }

    /// Those without a flaw.
    package private(set) var files: [TextFile] = []
    package private(set) var flaws: [Flaw] = []

    package init() {}

    /// Takes the file `<code>.json`.
    ///
    /// - Parameter source: `nil` if it could not be read.
    package mutating func add(file name: String, source: String?) {
        let code = String(name.dropLast(".json".count))
        do throws(TextProblem) {
            guard Self.isCode(code) else { throw TextProblem("its name is no language: write de.json or pt-PT.json") }
            guard let source else {
                throw TextProblem("it cannot be read, or is longer than \(TextLimits.fileBytesMax) bytes")
            }
            let file = try TextFile(source: source, code: code)
            add(file, name: name) { TextLines(source).line(of: $0) }
        } catch {
            flaws.append(Flaw(file: name, line: nil, problem: error))
        }
    }

    /// Takes words that stand in the configuration: by key, or in groups.
    package mutating func add(language code: String, texts: [String: String]) {
        guard Self.isCode(code) else {
            flaws.append(Flaw(file: nil, line: nil, problem: TextProblem("\(code) is no language")))
            return
        }
        add(TextFile(code: code, name: code, isRightToLeft: false, review: nil, texts: texts), name: nil) { _ in nil }
    }

    private mutating func add(_ file: TextFile, name: String?, line: (String) -> Int?) {
        let catalog = TextCatalog.builtIn
        let check = TextCheck(file, english: catalog.english.patterns)
        flaws += check.problems.map { Flaw(file: name, line: line($0.key), problem: $0) }
        let others = Set(files.map(\.code) + catalog.tables.map(\.code) + [file.code])
        guard others.count <= TextLimits.languagesMax else {
            flaws.append(Flaw(file: name, line: nil, problem: TextProblem("there are too many languages")))
            return
        }
        if check.problems.isEmpty { files.append(file) }
    }

    /// BCP 47 in short: a language, and perhaps a script or region.
    /// Whether it names a language as BCP 47 does, such as `de` or `pt-PT`.
    public static func isCode(_ code: String) -> Bool {
        code.utf8.count <= 16 && code.wholeMatch(of: /[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*/) != nil
    }
}

/// Finds the line on which a text of a file stands.
struct TextLines {
    private var lines: [String: Int] = [:]

    /// - Parameter source: JSON that was parsed already.
    init(_ source: String) {
        var path: [String] = [], name = "", line = 1, text: String.UnicodeScalarView?, isEscaped = false
        var last = ""
        for scalar in source.unicodeScalars {
            if scalar == "\n" { line += 1 }
            if text != nil {
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else if scalar == "\"" {
                    last = String(text ?? .init())
                    text = nil
                    continue
                }
                text?.append(scalar)
                continue
            }
            switch scalar {
            case "\"": text = .init()
            case ":":
                name = last
                // Groups and members of the file itself come first; the deepest name wins.
                lines[(path.dropFirst(2) + [name]).joined(separator: ".")] = line
            case "{": path.append(name)
            case "}": _ = path.popLast()
            default: continue
            }
        }
    }

    /// The line of a key below `texts`, or of a member of the file.
    func line(of key: String) -> Int? { lines[key] }
}
