/// The bounds of unusual sign-ins.
extension Limits {
    /// Past sign-ins that are kept of a user, one for each device and country: a few devices on a few journeys. Those
    /// used longest ago make room. As many are kept that are not trusted.
    public static let pastSignInsMax = 20
    /// A device that was not used for so long is new again, in seconds: 400 days, which is as long as browsers keep a
    /// cookie (RFC 6265bis §5.5).
    public static let pastSignInSeconds: Int64 = 400 * 86_400
    /// Shorter distances are no travel, in kilometres: databases place a network in another city of the country, and
    /// mobile networks far from their users.
    static let travelKilometresMin = 500.0
    /// Kilometres an hour: airliners are slower.
    static let travelKilometresPerHourMax = 1_000.0
    /// Wrong passwords before a right one that are unusual, within ``attemptWindowSeconds``. Users who forget theirs
    /// try a few.
    public static let riskFailuresMin: Int64 = 5
    /// How long the link in a message about a sign-in works, in seconds: two weeks, as long as a holiday.
    public static let disputeSeconds: Int64 = 14 * 86_400
    /// How long it is remembered since when an identifier is a user's, and that one was, in seconds: as long as a link
    /// works, and before the sign-in as long as an address counts as new.
    public static let identifierHistorySeconds = disputeSeconds + recoveryProofAgeSeconds + transactionSeconds
    /// Former identifiers that are kept of a user, and as many former primary addresses: those that were the user's for
    /// longest.
    public static let formerIdentifiersMax = 100
    /// The longest token of such a link: a user's identifier, an address and two times, sealed.
    static let disputeTokenBytesMax = 2_048
    /// The largest country database, in bytes. The largest that are published have some 500 MB.
    static let countryFileBytesMax = 2 << 30
    /// Where the metadata of a country database are looked for, in bytes before its end: what the format says.
    static let countryMetadataBytesMax = 128 << 10
    /// Values of one record of a country database: names of city, country and continent in a dozen languages are some
    /// 150.
    static let countryValuesMax = 2_000
    /// Maps within maps of such a record, and pointers on the way: real ones have 8.
    static let countryDepthMax = 16
    /// The longest text of such a record, in bytes.
    static let countryTextBytesMax = 4_096
}
