import ArgumentParser
import Foundation
import KeyturnBase
import Testing
import Texts

@testable import keyturn

@Suite("Configuration: the operator's own words")
struct TextsConfigurationTests {
    /// What comes of a file with those files in a folder `words` beside it.
    private func check(
        _ texts: String, files: [String: String] = [:]
    ) throws -> (texts: TextCatalog?, problems: [ConfigurationProblem], output: String) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-texts-\(Ambient.live.randomToken(byteCount: 8))")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("words"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent("words/\(name)")) }
        let file = folder.appendingPathComponent("keyturn.yaml").path
        try Data("texts:\(texts)\n".utf8).write(to: URL(fileURLWithPath: file))
        let output = ConfigCommand.Check.check(path: file, environment: [:], json: false).output
        do throws(ConfigurationProblems) {
            let configuration = try ServerConfiguration.load(path: file, environment: [:])
            return (configuration.texts, configuration.warnings, output)
        } catch {
            return (nil, error.mistakes, output)
        }
    }

    @Test func `words in the file are taken by key and in groups`() throws {
        let (texts, problems, output) = try check(
            """

              en: { login.heading: Welcome back, moment: { since: { now: a moment ago } } }
              de:
                login:
                  lead: "weiter zu {app}"
            """)
        #expect(problems.isEmpty && output.contains("no mistakes"))
        let catalog = try #require(texts)
        #expect(catalog.english.group("login")["heading"] == "Welcome back")
        #expect(catalog.english.group("moment")["since.now"] == "a moment ago")
        #expect(catalog.table("de")?.group("login")["lead", ["app": "Harbour"]] == "weiter zu Harbour")
        #expect(try Sample.accepted("").texts.english.group("login")["heading"] == "Sign in")
    }

    @Test func `mistakes are named where they stand, with what to do`() throws {
        let (texts, problems, output) = try check(
            """

              de:
                login.headin: Moin
                login: { lead: weiter, heading: "Hallo {app}", submit: "{" }
            """)
        #expect(texts == nil && problems.allSatisfy { $0.severity == .mistake } && problems.count == 4)
        #expect(
            Set(problems.map(\.path)) == [
                "texts.de.login.headin", "texts.de.login.lead", "texts.de.login.heading", "texts.de.login.submit",
            ])
        #expect(problems.first?.origin == .file(line: 3, column: 19))
        #expect(output.contains("there is no text of this key. Did you mean \"login.heading\"?"))
        #expect(output.contains("the place {app} is missing. In English it is: to continue to {app}"))
        #expect(output.contains("there is no place {app}") && output.contains("the name of a place is missing"))
    }

    @Test func `a folder of files is read, and a mistake in one has its file and line`() throws {
        let file = #"{"texts": {"login": {"heading": "Moin"}}}"#
        let good = try check(" words", files: ["de.json": file, "note.txt": "x"])
        #expect(good.problems.isEmpty && good.texts?.table("de")?.group("login")["heading"] == "Moin")
        let bad = try check(" words", files: ["de.json": "{\n\"texts\": {\n\"login\": {\"heading\": \"Moin {x}\"}}}"])
        #expect(bad.texts == nil && bad.problems.map(\.path) == ["texts"])
        #expect(bad.output.contains("de.json:3: login.heading: there is no place {x}"))
        #expect(try check(" nowhere").output.contains("the folder cannot be read"))
        #expect(try check(" words").problems.map(\.severity) == [.warning])
        #expect(try check(" 7").texts == nil)
        #expect(try check(" [de]").problems.first?.path == "texts")
        #expect(try check("\n  de: Moin").problems.first?.path == "texts.de")
    }

    @Test func `a language that is not whole is accepted, and what it lacks is counted and named`() throws {
        let (texts, problems, output) = try check(
            " words", files: ["sv.json": #"{"name": "Svenska", "texts": {"login": {"heading": "Logga in"}}}"#])
        let count = TextCatalog.builtIn.english.patterns.keys.count { !TextCheck.isOfConsole($0) } - 1
        #expect(texts?.tables.count == 11 && problems.map(\.severity) == [.warning])
        #expect(output.contains("sv lacks \(count) texts, which are shown in English: appSignIn.endApp, "))
        #expect(output.contains(" and \(count - 5) more"))
    }

    @Test func `the texts of a language are printed, and the file that is printed is accepted`() throws {
        let catalog = TextCatalog.builtIn
        func output(_ code: String, missing: Bool = false, json: Bool = false) throws -> String {
            try ConfigCommand.TextList.output(of: code, in: catalog, missing: missing, json: json)
        }
        let list = try output("de")
        #expect(list.hasPrefix("# Deutsch (de), reviewed, \(catalog.english.patterns.count) texts\n"))
        #expect(list.contains("\nlogin.heading: Anmelden\n"))
        #expect(try output("ar").hasPrefix("# العربية (ar), machine-made, "))
        for code in ["de", "ar", "en"] {
            let file = try TextFile(source: output(code, json: true), code: code)
            #expect(file.texts == catalog.table(code)?.sources && file.name == catalog.table(code)?.name)
        }
        #expect(try output("fr", missing: true).hasSuffix(", 0 texts"))
        let new = try TextFile(source: output("sv", missing: true, json: true), code: "sv")
        #expect(new.texts == catalog.english.sources.filter { !TextCheck.isOfConsole($0.key) })
        #expect(throws: ValidationError.self) { try output("sv") }
    }
}
