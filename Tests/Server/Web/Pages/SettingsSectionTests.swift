import KeyturnWire
import Testing

@testable import Web

@Suite("Settings: the sections")
struct SettingsSectionTests {
    @Test func `every section has an address, a name and a title of its own`() {
        let all = SettingsSection.all
        #expect(Set(all.map(\.path)).count == all.count)
        #expect(Set(all.map(\.pageName)).count == all.count)
        for language in Language.all {
            #expect(Set(all.map { $0.title(language.strings) }).count == all.count)
        }
    }

    @Test func `the addresses that other folders lead to belong to sections`() {
        let paths = Set(SettingsSection.all.map(\.path))
        let led = [
            Routes.settings, Routes.settingsIdentifiers, Routes.settingsPassword, Routes.settingsSessions,
            Routes.settingsDelete,
        ]
        #expect(paths.isSuperset(of: led))
        #expect(Routes.settings(.changePassword) == "/settings/password")
        #expect(Routes.settings(.deleteAccount) == "/settings/delete")
    }
}
