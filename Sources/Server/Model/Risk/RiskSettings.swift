/// The operator's settings about unusual sign-ins.
public struct RiskSettings: Sendable {
    /// `nil`: countries are unknown.
    public let countries: CountryDatabase?
    /// Whether users get a message about a sign-in on a new device, from a new country, or after impossible travel.
    public let notifies: Bool

    public init(countries: CountryDatabase? = nil, notifies: Bool = false) {
        self.countries = countries
        self.notifies = notifies
    }
}
