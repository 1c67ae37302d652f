extension Limits {
    // The passkey service for sites.

    /// Ceremonies that one network begins at one relying party within ``siteCeremonyWindowSeconds``. A page may begin one
    /// each time it is opened, and the people of an office or of a mobile network share one address.
    public static let siteCeremoniesPerNetworkMax: Int64 = 3_000
    /// The window in which ceremonies are counted, in seconds.
    public static let siteCeremonyWindowSeconds: Int64 = 600
    /// Different wrong secret keys from one network within ``wrongSecretKeyWindowSeconds``. One that comes again does not
    /// count: a backend with an outdated key is no guesser.
    public static let wrongSecretKeysPerNetworkMax: Int64 = 100
    /// The window in which wrong secret keys are counted, in seconds.
    public static let wrongSecretKeyWindowSeconds: Int64 = 3_600
    /// A request to import passkeys, in bytes: a hundred with the longest identifiers and RSA keys.
    public static let passkeyImportBytesMax = 524_288
    /// Networks that one process remembers as refused.
    public static let refusedNetworksMax = 1_024
}
