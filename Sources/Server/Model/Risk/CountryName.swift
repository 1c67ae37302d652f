internal import Foundation

/// Names of countries.
public enum CountryName {
    /// The name of a country.
    ///
    /// - Parameters:
    ///   - code: ISO 3166-1, such as `DE`.
    ///   - language: BCP 47, such as `de`.
    /// - Returns: the code itself if there is no name.
    public static func text(_ code: String, in language: String) -> String {
        Locale(identifier: language).localizedString(forRegionCode: code) ?? code
    }
}
