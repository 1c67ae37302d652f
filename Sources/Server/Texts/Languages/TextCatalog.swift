internal import KeyturnBase

/// The languages that a server speaks: those that ship, with the operator's own words.
package struct TextCatalog: Sendable {
    /// English first, then as the files are named.
    package let tables: [TextTable]
    package var english: TextTable { tables[0] }

    /// What is not wrong, but worth saying: the texts that a language lacks, by its code.
    package var missing: [String: [String]] {
        Dictionary(uniqueKeysWithValues: tables.map { ($0.code, $0.missing) }).filter { !$0.value.isEmpty }
    }

    /// The language of a tag such as `de-AT`; nil if it is not spoken here.
    package func table(_ tag: some StringProtocol) -> TextTable? {
        let lowered = tag.prefix(64).lowercased().replacing("_", with: "-")
        let primary = String(lowered.prefix { $0 != "-" })
        return tables.first { $0.code.lowercased() == lowered } ?? tables.first { $0.code.lowercased() == primary }
    }

    /// The languages that ship, in their own words.
    package static let builtIn: TextCatalog = {
        let english = TextTable(TextSource.english, fallback: nil)
        let others = TextSource.others.map { TextTable($0, fallback: english) }
        return TextCatalog(tables: [english] + others)
    }()

    /// The files that are compiled in, English first.
    package static var shipped: [TextFile] {
        get throws(TextProblem) {
            var files = [try TextSource.english.file()]
            for source in TextSource.others { files.append(try source.file()) }
            return files
        }
    }

    /// - Parameter overrides: the operator's files; those of a language that ships need only what they change.
    /// - Throws: ``TextProblem``, the first of ``TextCheck/problems``.
    package init(overrides: [TextFile]) throws(TextProblem) {
        if overrides.isEmpty {
            self = .builtIn
        } else {
            try self.init(files: Self.shipped, overrides: overrides)
        }
    }

    private init(tables: [TextTable]) {
        self.tables = tables
    }

    private init(files: [TextFile], overrides: [TextFile]) throws(TextProblem) {
        var merged = files
        for override in overrides {
            if let index = merged.firstIndex(where: { $0.code == override.code }) {
                merged[index] = merged[index].changed(by: override)
            } else {
                merged.append(override)
            }
        }
        var tables: [TextTable] = []
        for file in merged { tables.append(try TextTable(file, fallback: tables.first)) }
        self.tables = tables
    }
}

extension TextTable {
    fileprivate convenience init(_ file: TextFile, fallback: TextTable?) throws(TextProblem) {
        let contents = try Contents(file, english: fallback?.patterns)
        self.init(code: file.code, fallback: fallback) { contents }
    }

    fileprivate convenience init(_ source: TextSource, fallback: TextTable?) {
        self.init(code: source.name, fallback: fallback) {
            do { return try Contents(source.file(), english: fallback?.patterns) } catch {
                preconditionFailure("the texts that are compiled in are broken: \(error)")
            }
        }
    }
}

extension TextTable.Contents {
    /// - Throws: ``TextProblem``, the first of ``TextCheck/problems``.
    fileprivate init(_ file: TextFile, english: [String: TextPattern]?) throws(TextProblem) {
        let check = TextCheck(file, english: english)
        if let problem = check.problems.first {
            throw TextProblem(key: "\(file.code): \(problem.key)", problem.reason)
        }
        self.init(file: file, patterns: check.patterns, missing: check.missing)
    }
}

extension TextFile {
    fileprivate func changed(by other: TextFile) -> TextFile {
        TextFile(
            code: code, name: name, isRightToLeft: isRightToLeft, review: review,
            texts: texts.merging(other.texts) { $1 })
    }
}

/// A file that is compiled in.
struct TextSource: Sendable {
    let name: String
    let source: String

    /// What the others are checked against.
    static var english: TextSource {
        guard let english = all.first(where: { $0.name == "en" }) else { preconditionFailure("English is compiled in") }
        return english
    }

    /// In the order of their codes.
    static var others: [TextSource] {
        all.filter { $0.name != "en" }.sorted { $0.name < $1.name }
    }

    func file() throws(TextProblem) -> TextFile {
        do { return try TextFile(source: source, code: name) } catch {
            throw TextProblem(key: "\(name).json \(error.key)", error.reason)
        }
    }
}
