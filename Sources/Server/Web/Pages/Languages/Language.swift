/// A language that the pages speak.
enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"

    static let all = allCases

    /// BCP 47, such as `de`.
    var code: String { rawValue }

    /// What it calls itself.
    var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        }
    }

    /// What several pages say.
    var strings: Strings { texts(Strings.self) }

    func texts<Texts: PageStrings>(_: Texts.Type) -> Texts {
        switch self {
        case .english: Texts.english
        case .german: Texts.german
        }
    }

    /// Longest header or parameter that is looked at.
    private static let bytesMax = 512

    /// The first language of the app's list that is spoken here, else the reader's favourite, else English.
    ///
    /// - Parameters:
    ///   - uiLocales: space-separated, most wanted first (OpenID Connect Core §3.1.2.1).
    ///   - acceptLanguage: the header, with quality values (RFC 9110 §12.5.4).
    static func best(uiLocales: String?, acceptLanguage: String?) -> Language {
        if let language = uiLocales.flatMap(first) { return language }
        let wanted = (acceptLanguage ?? "").prefix(bytesMax).split(separator: ",").compactMap(preference)
        let ordered = wanted.enumerated().sorted { ($0.element.quality, $1.offset) > ($1.element.quality, $0.offset) }
        return ordered.lazy.compactMap { $0.element.quality > 0 ? named($0.element.tag) : nil }.first ?? all[0]
    }

    /// The first language of an app's list that is spoken here.
    static func first(of uiLocales: String) -> Language? {
        uiLocales.prefix(bytesMax).split(separator: " ").lazy.compactMap(named).first
    }

    private static func named(_ tag: Substring) -> Language? {
        let primary = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
        return all.first { $0.code == primary }
    }

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
