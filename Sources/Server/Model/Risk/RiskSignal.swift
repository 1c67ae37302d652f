/// What is unusual about a sign-in.
public enum RiskSignal: String, CaseIterable, Codable, Hashable, Sendable {
    /// The user has not signed in on this device before: see ``DeviceMark``.
    case newDevice = "new_device"
    /// The user has signed in before, but not from this country. Needs a country database.
    case newCountry = "new_country"
    /// Between the last sign-in and this one the user would have travelled faster than
    /// ``Limits/travelKilometresPerHourMax``. Needs a country database with coordinates.
    case impossibleTravel = "impossible_travel"
    /// The password was right, and is on the operator's list of breached ones.
    case breachedPassword = "breached_password"
    /// At least ``Limits/riskFailuresMin`` passwords were wrong before the right one.
    case tooManyFailures = "too_many_failures"

    /// The signals of a text with spaces between them; unknown words are left out.
    public static func all(in text: String) -> Set<RiskSignal> {
        Set(text.split(separator: " ").compactMap { RiskSignal(rawValue: String($0)) })
    }
}

extension Set<RiskSignal> {
    /// The words with spaces between them, always in the same order.
    public var text: String { map(\.rawValue).sorted().joined(separator: " ") }
}
