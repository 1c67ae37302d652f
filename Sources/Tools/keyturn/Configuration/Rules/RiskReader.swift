private import Foundation
internal import Model

/// Reads `risk`: what is done about unusual sign-ins.
enum RiskReader {
    static let keys = ["country_database", "notify"]

    static func read(_ section: Section?) -> RiskSettings {
        guard let section else { return RiskSettings(notifies: true) }
        return RiskSettings(countries: countries(section), notifies: section.boolean("notify") ?? true)
    }

    private static func countries(_ section: Section) -> CountryDatabase? {
        guard let path = section.text("country_database") else { return nil }
        let base = section.reading.folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        let file = URL(fileURLWithPath: path.value, relativeTo: base).path
        do throws(CountryDatabase.Unusable) {
            return try CountryDatabase(path: file)
        } catch {
            section.mistake(
                "country_database", "\(path.value): \(error)",
                "Name a file of countries or cities in the MaxMind DB format (.mmdb), or leave the key out.")
            return nil
        }
    }
}
