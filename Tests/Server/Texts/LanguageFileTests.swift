import Testing

@testable import Texts

@Suite("The languages that ship")
struct LanguageFileTests {
    private static let codes = ["en", "ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt"]
    private let catalog = TextCatalog.builtIn

    private func table(_ code: String) throws -> TextTable {
        try #require(catalog.tables.first { $0.code == code })
    }

    @Test func `they are ten, English first, and no text is missing`() {
        #expect(catalog.tables.map(\.code) == Self.codes)
        #expect(catalog.missing.isEmpty)
        #expect(catalog.tables.allSatisfy { !$0.name.isEmpty && $0.review != nil })
        #expect(catalog.tables.filter(\.isRightToLeft).map(\.code) == ["ar"])
        #expect(catalog.tables.filter { $0.review == .reviewed }.map(\.code) == ["en", "de"])
    }

    @Test(arguments: codes)
    func `every text is well-formed, has the places of the English one, and every plural its forms`(
        _ code: String
    ) throws {
        let file = try #require(try TextCatalog.shipped.first { $0.code == code })
        let check = TextCheck(file, english: code == "en" ? nil : catalog.english.patterns)
        #expect(check.problems.isEmpty && check.missing.isEmpty)
        // Millions of anything are in no sentence here.
        let rules = PluralRules(code: code)
        let needed = ["es", "fr", "it", "pt"].contains(code) ? rules.forms.subtracting([.many]) : rules.forms
        for (key, pattern) in check.patterns {
            for forms in pattern.pluralForms { #expect(forms.isSuperset(of: needed), "\(code) \(key)") }
        }
    }

    /// Words that are the same in two languages, or names.
    private static let same: Set<String> = [
        "Code", "Version {version}", "UserInfo", "WhatsApp", "maria@example.test", "{first} {second}",
        "{first}, {second}", "{uri}: {flaw}", "In {duration}", "name@example.com", "OpenID Connect",
    ]

    @Test(arguments: codes.dropFirst())
    func `nothing is left in English`(_ code: String) throws {
        let table = try table(code)
        let alike = table.sources.filter { key, text in
            !Self.same.contains(text) && catalog.english.sources[key] == text && text.count > 12
                && !text.hasPrefix("{count, plural") && !text.hasPrefix("{browser}")
        }
        #expect(alike.keys.sorted().isEmpty, "\(code)")
        let words = #/\b(?:your|sign in|signed|please|this|with the|again)\b/#
        for (key, text) in table.sources where text.lowercased().contains(words) {
            Issue.record("\(code) \(key): \(text)")
        }
    }

    @Test(arguments: codes)
    func `texts have no stray spaces, and end as the English ones do`(_ code: String) throws {
        for (key, text) in try table(code).sources {
            #expect(text == text.trimmed && !text.contains("  ") && !text.isEmpty, "\(code) \(key)")
            guard let english = catalog.english.sources[key] else { continue }
            #expect(
                english.hasSuffix("?") == (text.hasSuffix("?") || text.hasSuffix("？") || text.hasSuffix("؟"))
                    || code == "ja", "\(code) \(key)")
            #expect(english.hasSuffix(":") == (text.hasSuffix(":") || text.hasSuffix("：")), "\(code) \(key)")
        }
    }

    @Test(arguments: [
        ("ar", 1, "منذ دقيقة"), ("ar", 2, "منذ دقيقتين"), ("ar", 5, "منذ 5 دقائق"),
        ("ar", 11, "منذ 11 دقيقة"), ("pl", 1, "1 minutę temu"), ("pl", 3, "3 minuty temu"),
        ("pl", 22, "22 minuty temu"), ("pl", 12, "12 minut temu"), ("ja", 1, "1分前"), ("fr", 0, "il y a 0 minute"),
        ("de", 2, "vor 2 Minuten"), ("en", 1, "1 minute ago"),
    ])
    func `moments past follow the plural rules`(_ code: String, _ count: Int, _ text: String) throws {
        #expect(try table(code).group("moment")["since.minutes", count: count] == text)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
