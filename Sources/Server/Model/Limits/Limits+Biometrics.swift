/// Bounds of keys behind fingerprints.
extension Limits {
    /// A challenge is answered within so many seconds: the person must be found, and touch something.
    public static let challengeSeconds: Int64 = 300
    /// What asks for a challenge, in bytes.
    public static let challengeBodyBytesMax = 1_024
    /// A request that a device signed, in bytes: an RSA key, and everything that the device says about itself.
    public static let signedRequestBytesMax = 16_384
    /// How long such a request may want to be good, in seconds; apps write one to five minutes.
    public static let signedRequestSecondsMax: Int64 = 600
    /// Keys of one user; those used last stay.
    public static let biometricKeysOfUserMax = 20
    /// Keys that one user sets up within ``biometricSetUpWindowSeconds``: fewer than stay, so that nobody replaces all at once.
    public static let biometricSetUpsMax: Int64 = 10
    /// Sign-ins with one key within the same time: each leaves a row, and sessions are renewed without one.
    public static let biometricSignInsMax: Int64 = 60
    /// An hour, in seconds.
    public static let biometricSetUpWindowSeconds: Int64 = 3_600
    /// A key that nobody used for so long is removed, in seconds: its device has gone the way of devices.
    public static let biometricKeyIdleSeconds: Int64 = 400 * 86_400
    /// What a device is called.
    public static let deviceNameCharactersMax = 64
}
