internal import KeyturnBase

/// The languages that a server speaks: those that ship, with the operator's own words.
package struct TextCatalog: Sendable {
    /// English first, then as the files are named.
    package let tables: [TextTable]
    /// What is not wrong, but worth saying: texts that an operator's language lacks.
    package let missing: [String: [String]]

    package var english: TextTable { tables[0] }

    /// The language of a tag such as `de-AT`; nil if it is not spoken here.
    package func table(_ tag: some StringProtocol) -> TextTable? {
        let lowered = tag.prefix(64).lowercased().replacing("_", with: "-")
        let primary = String(lowered.prefix { $0 != "-" })
        return tables.first { $0.code.lowercased() == lowered } ?? tables.first { $0.code.lowercased() == primary }
    }

    /// The languages that ship, in their own words.
    package static let builtIn: TextCatalog = {
        do { return try TextCatalog(files: shipped, overrides: []) } catch {
            preconditionFailure("the texts that are compiled in are broken: \(error)")
        }
    }()

    /// The files that are compiled in. English is the one that the others are checked against.
    package static var shipped: [TextFile] {
        get throws(TextProblem) {
            var files: [TextFile] = []
            for source in TextSource.all {
                do { files.append(try TextFile(source: source.source, code: source.name)) } catch {
                    throw TextProblem(key: "\(source.name).json \(error.key)", error.reason)
                }
            }
            return files.sorted { ($0.code == "en" ? "" : $0.code) < ($1.code == "en" ? "" : $1.code) }
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

    private init(files: [TextFile], overrides: [TextFile]) throws(TextProblem) {
        var merged = files
        for override in overrides {
            if let index = merged.firstIndex(where: { $0.code == override.code }) {
                merged[index] = merged[index].changed(by: override)
            } else {
                merged.append(override)
            }
        }
        var tables: [TextTable] = [], missing: [String: [String]] = [:]
        for file in merged {
            let english = tables.first
            let check = TextCheck(file, english: english?.patterns)
            if let problem = check.problems.first {
                throw TextProblem(key: "\(file.code): \(problem.key)", problem.reason)
            }
            if !check.missing.isEmpty { missing[file.code] = check.missing }
            tables.append(TextTable(file, patterns: check.patterns, fallback: english))
        }
        self.tables = tables
        self.missing = missing
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
}
