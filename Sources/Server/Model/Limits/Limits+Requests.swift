/// Bounds of signed and pushed authorization requests, and of clients that register themselves.
extension Limits {
    /// A pushed request waits so long for its browser, in seconds; FAPI 2.0 allows less than 600.
    public static let pushedRequestSeconds: Int64 = 300
    /// The longest lifetime of a signed request, from its `nbf`, and after it (FAPI 2.0 Message Signing §5.3.1).
    public static let requestObjectSeconds: Int64 = 3_600
    /// How far the signer's clock may be ahead of the server's.
    public static let requestObjectSkewSeconds: Int64 = 30
    /// The `authorization_details` parameter.
    public static let detailsBytesMax = 8_192
    /// A `request_uri` of this server.
    public static let requestReferenceBytesMax = 256
    /// A client's registration, in bytes.
    public static let registrationBytesMax = 32_768
    /// Objects in `authorization_details`: users read each of them.
    public static let detailsMax = 16
    /// Pushed requests of one client that wait for their browsers, if it authenticates.
    public static let pushedRequestsOfClientMax = 10_000
    /// Requests that one network may push for one client that cannot authenticate, while they wait for their browsers.
    public static let pushedRequestsPerClientMax: Int64 = 300
    /// Requests that one network may push within an hour for all clients that cannot authenticate: each leaves a row.
    public static let pushedRequestsPerNetworkMax: Int64 = 1_000
    /// The stored request of a client that cannot authenticate, in bytes.
    public static let pushedRequestBytesMax = 8_192
    /// Addresses, names and keys in one member of a registration.
    public static let registeredMembersMax = 16
    /// Registrations from one network within ``registrationWindowSeconds``.
    public static let registrationsPerNetworkMax: Int64 = 20
    /// Changes of one client that registered itself within ``registrationWindowSeconds``.
    public static let registrationChangesMax: Int64 = 20
    /// A client that registered itself and was never used is removed after a day.
    public static let registrationUnusedSeconds: Int64 = 86_400
    /// An hour.
    public static let registrationWindowSeconds: Int64 = 3_600
}
