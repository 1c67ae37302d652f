import Testing

@testable import Texts

@Suite("An operator's own words")
struct TextOverrideTests {
    private func flaws(_ name: String, _ source: String?) -> [String] {
        var overrides = TextOverrides()
        overrides.add(file: name, source: source)
        return overrides.flaws.map { flaw in
            [flaw.file, flaw.line.map(String.init), flaw.problem.description].compactMap(\.self).joined(separator: ":")
        }
    }

    @Test func `a file changes what it names, and nothing else`() throws {
        var overrides = TextOverrides()
        overrides.add(file: "de.json", source: #"{"texts": {"login": {"heading": "Moin"}}}"#)
        #expect(overrides.flaws.isEmpty)
        let catalog = try TextCatalog(overrides: overrides.files)
        let german = try #require(catalog.table("de-AT"))
        #expect(german.group("login")["heading"] == "Moin" && german.group("login")["submit"] == "Anmelden")
        #expect(german.name == "Deutsch" && german.review == .reviewed && catalog.missing.isEmpty)
        #expect(TextCatalog.builtIn.table("de")?.group("login")["heading"] == "Anmelden")
        #expect(catalog.english.group("login")["heading"] == "Sign in")
    }

    @Test func `a new language falls back to English, and what it lacks is known`() throws {
        var overrides = TextOverrides()
        overrides.add(
            file: "sv.json",
            source: #"{"language": "sv", "name": "Svenska", "texts": {"login": {"heading": "Logga in"}}}"#)
        let catalog = try TextCatalog(overrides: overrides.files)
        let swedish = try #require(catalog.table("sv"))
        #expect(catalog.tables.count == 11 && catalog.tables.last?.code == "sv" && swedish.name == "Svenska")
        #expect(swedish.group("login")["heading"] == "Logga in" && swedish.group("login")["submit"] == "Sign in")
        #expect(swedish.group("moment")["since.minutes", count: 2] == "2 minutes ago")
        #expect(catalog.missing["sv"]?.count == catalog.english.patterns.keys.count { !TextCheck.isOfConsole($0) } - 1)
        #expect(catalog.missing["sv"]?.contains("login.submit") == true)
    }

    @Test func `words by key or in groups stand for the same text`() throws {
        var overrides = TextOverrides()
        overrides.add(language: "fr", texts: ["login.heading": "Bonjour"])
        overrides.add(language: "pt-PT", texts: ["login.heading": "Iniciar sessão"])
        #expect(overrides.flaws.isEmpty)
        let catalog = try TextCatalog(overrides: overrides.files)
        #expect(catalog.table("fr")?.group("login")["heading"] == "Bonjour")
        #expect(catalog.table("pt-PT")?.code == "pt-PT" && catalog.table("pt")?.code == "pt")
        #expect(catalog.table("PT_pt")?.code == "pt-PT" && catalog.table("pt-BR")?.code == "pt")
    }

    @Test(arguments: [
        (
            "de.json", #"{"texts": {"login": {"heading": "Hallo {app}"}}}"#,
            "de.json:1:login.heading: there is no place {app}"
        ),
        ("de.json", #"{"texts": {"login": {"lead": "weiter"}}}"#, "de.json:1:login.lead: the place {app} is missing"),
        (
            "de.json", "{\n\"texts\": {\n\"login\": {\n\"headin\": \"x\"}}}",
            "de.json:4:login.headin: there is no text of this key"
        ),
        (
            "de.json", #"{"texts": {"login": {"heading": "Hallo {"}}}"#,
            "de.json:1:login.heading: the name of a place is missing (character 8)"
        ),
        (
            "de.json", #"{"texts": {"moment": {"since.days": "{count, plural, few {x} other {y}}"}}}"#,
            "de.json:1:moment.since.days: the language has no plural form few"
        ),
        (
            "de.json", #"{"texts": {"login": {"lead": "{app, plural, other {x}}"}}}"#,
            "de.json:1:login.lead: {app} is of another kind"
        ),
        (
            "de.json", #"{"texts": {"login": {"heading": 3}}}"#,
            "de.json:login.heading: it is neither a text nor a group of texts"
        ),
        ("de.json", #"{"texts": {}, "text": {}}"#, "de.json:text: the file has no such member"),
        ("de.json", #"{"language": "fr", "texts": {}}"#, "de.json:its language is not de"),
        ("de.json", #"{"direction": "up", "texts": {}}"#, "de.json:direction: it is neither ltr nor rtl"),
        ("de.json", #"{"review": "yes", "texts": {}}"#, "de.json:review: it is neither reviewed nor machine-made"),
        ("de.json", "[]", "de.json:it is no JSON object"),
        ("de.json", #"{"name": "x"}"#, "de.json:texts: it is missing"),
        ("German.json", "{}", "German.json:its name is no language: write de.json or pt-PT.json"),
    ])
    func `what is wrong is named, with the file, the line and the key`(
        _ name: String, _ source: String, _ flaw: String
    ) {
        #expect(flaws(name, source) == [flaw])
    }

    @Test func `files that are no JSON, too deep, too long or unreadable are refused`() {
        #expect(flaws("de.json", nil).first?.contains("cannot be read") == true)
        #expect(flaws("de.json", "{").first?.contains("no JSON") == true)
        #expect(flaws("de.json", #"{"texts": {"a": "x", "a": "y"}}"#).first?.contains("no JSON") == true)
        let deep = String(repeating: #"{"a":"#, count: 12) + "1" + String(repeating: "}", count: 12)
        #expect(flaws("de.json", "{\"texts\": \(deep)}").count == 1)
        let long = String(repeating: " ", count: TextLimits.fileBytesMax)
        #expect(flaws("de.json", "{\"texts\": {}\(long)}").first?.contains("no JSON") == true)
    }

    @Test func `a select has only the words that the program gives`() {
        let text = #"{hasDevice, select, maybe {{device}} other {}}{hasTime, select, yes {{time}} other {}} {app}"#
        #expect(
            flaws("de.json", "{\"texts\": {\"message\": {\"newSignIn\": {\"short\": \"\(text)\"}}}}")
                == ["de.json:1:message.newSignIn.short: {hasDevice} is never maybe"])
    }

    @Test func `languages are bounded`() {
        var overrides = TextOverrides()
        for index in 0..<TextLimits.languagesMax {
            let letters = [index / 26, index % 26].map { Character(Unicode.Scalar(UInt8(97 + $0))) }
            overrides.add(language: "q" + String(letters), texts: [:])
        }
        #expect(overrides.flaws.contains { $0.problem.reason.contains("too many languages") })
        #expect(overrides.files.count == TextLimits.languagesMax - TextCatalog.builtIn.tables.count)
    }
}
