import Testing

@testable import Texts

@Suite("The console's languages")
struct ConsoleTextTests {
    @Test func `they are English and German, whole`() {
        let catalog = TextCatalog.builtIn
        let english = Set(catalog.english.patterns.keys.filter(TextCheck.isOfConsole))
        #expect(english.count > 100)
        for table in catalog.tables {
            let own = Set(table.patterns.keys.filter(TextCheck.isOfConsole))
            #expect(table.code == "en" || own == (table.code == "de" ? english : []), "\(table.code)")
        }
    }
}
