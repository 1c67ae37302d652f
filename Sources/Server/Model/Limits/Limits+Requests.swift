/// Bounds of authorization requests that come signed or beforehand, and of clients that register themselves.
extension Limits {
    /// A request that was handed in beforehand waits so long for its browser; FAPI 2.0 allows less than 600.
    public static let pushedRequestSeconds: Int64 = 300
    /// A signed request is good for so long at most, from its `nbf`, and after it (FAPI 2.0 Message Signing §5.3.1).
    public static let requestObjectSeconds: Int64 = 3_600
    /// How much the clock of whoever signed a request may be ahead of ours.
    public static let requestObjectSkewSeconds: Int64 = 30
    /// The `authorization_details` parameter.
    public static let detailsBytesMax = 8_192
    /// A `request_uri` of ours.
    public static let requestReferenceBytesMax = 256
    /// What a client registers of itself.
    public static let registrationBytesMax = 32_768
    /// Objects in `authorization_details`: people read each of them.
    public static let detailsMax = 16
    /// Requests of one client that wait for their browsers, where it authenticates.
    public static let pushedRequestsOfClientMax = 10_000
    /// Requests that one network may hand in for one client that cannot authenticate, while they wait for their browsers.
    public static let pushedRequestsPerClientMax: Int64 = 300
    /// Requests that one network may hand in within an hour for all clients that cannot authenticate: each leaves a row.
    public static let pushedRequestsPerNetworkMax: Int64 = 1_000
    /// What is kept of a request for a client that cannot authenticate, in bytes.
    public static let pushedRequestBytesMax = 8_192
    /// Addresses, names and keys in one member of a registration.
    public static let registeredMembersMax = 16
    /// Registrations from one network within ``registrationWindowSeconds``.
    public static let registrationsPerNetworkMax: Int64 = 20
    /// Changes of one client that registered itself within ``registrationWindowSeconds``.
    public static let registrationChangesMax: Int64 = 20
    /// A client that registered itself, and with which nobody ever did anything, is removed after a day.
    public static let registrationUnusedSeconds: Int64 = 86_400
    /// An hour.
    public static let registrationWindowSeconds: Int64 = 3_600
}
