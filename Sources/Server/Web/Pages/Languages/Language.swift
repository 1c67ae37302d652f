internal import Texts

/// A language that the pages speak.
struct Language: Sendable {
    let table: TextTable

    /// The languages that ship, English first, without an operator's own words.
    static let all = Languages().all
    static let english = all[0]

    /// BCP 47, such as `de`.
    var code: String { table.code }
    /// What it calls itself.
    var name: String { table.name }
    /// The attribute `dir` of HTML.
    var direction: String { table.isRightToLeft ? "rtl" : "ltr" }
    /// What several pages say.
    var strings: Strings { texts(Strings.self) }

    func texts<Words: PageTexts>(_: Words.Type) -> Words { Words(table) }
}

/// The languages of a server.
struct Languages: Sendable {
    /// English first.
    let all: [Language]
    private let catalog: TextCatalog

    init(_ catalog: TextCatalog = .builtIn) {
        self.catalog = catalog
        all = catalog.tables.map(Language.init)
    }

    /// Longest header or parameter that is looked at.
    private static let bytesMax = 512

    /// The first language of the app's list that is spoken here, else the reader's favourite, else English.
    ///
    /// - Parameters:
    ///   - uiLocales: space-separated, most wanted first (OpenID Connect Core §3.1.2.1).
    ///   - acceptLanguage: the header, with quality values (RFC 9110 §12.5.4).
    func best(uiLocales: String?, acceptLanguage: String?) -> Language {
        if let language = uiLocales.flatMap(first) { return language }
        let wanted = (acceptLanguage ?? "").prefix(Self.bytesMax).split(separator: ",").compactMap(Self.preference)
        let ordered = wanted.enumerated().sorted { ($0.element.quality, $1.offset) > ($1.element.quality, $0.offset) }
        return ordered.lazy.compactMap { $0.element.quality > 0 ? named($0.element.tag) : nil }.first ?? all[0]
    }

    /// The first language of an app's list that is spoken here.
    func first(of uiLocales: String) -> Language? {
        uiLocales.prefix(Self.bytesMax).split(separator: " ").lazy.compactMap(named).first
    }

    /// Whether this is the code of a language that is spoken here.
    func contains(_ code: String) -> Bool { all.contains { $0.code == code } }

    private func named(_ tag: Substring) -> Language? { catalog.table(tag).map(Language.init) }

    private static func preference(_ entry: Substring) -> (tag: Substring, quality: Double)? {
        let parts = entry.split(separator: ";").map { $0.drop { $0 == " " } }
        guard let tag = parts.first, !tag.isEmpty else { return nil }
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
        return (tag, quality ?? 1)
    }
}

/// How a page is to look, and in which language; decided for each request.
struct PageLook: Sendable {
    var language: Language
    var colorScheme: ColorScheme
    var projectName: String
    /// The journey whose theme it has; `nil`: the server's.
    var journey: String?
    /// The flow that the page belongs to; `nil`: none.
    var flow: PageFlow?
}
