/// Bounds of biometric keys.
extension Limits {
    /// A challenge is answered within so many seconds: the user must show a finger or a face.
    public static let challengeSeconds: Int64 = 300
    /// A request for a challenge, in bytes.
    public static let challengeBodyBytesMax = 1_024
    /// A request that a device signed, in bytes: an RSA key, and everything that the device says about itself.
    public static let signedRequestBytesMax = 16_384
    /// The longest lifetime of such a request, in seconds; apps write one to five minutes.
    public static let signedRequestSecondsMax: Int64 = 600
    /// Keys of one user; the most recently used ones stay.
    public static let biometricKeysOfUserMax = 20
    /// Keys that one user sets up within ``biometricSetUpWindowSeconds``: fewer than stay, so that an attacker cannot
    /// replace all at once.
    public static let biometricSetUpsMax: Int64 = 10
    /// Sign-ins with one key within the same time: each leaves a row, and sessions are renewed without one.
    public static let biometricSignInsMax: Int64 = 60
    /// An hour, in seconds.
    public static let biometricSetUpWindowSeconds: Int64 = 3_600
    /// A key not used for so long is removed, in seconds: its device is probably gone.
    public static let biometricKeyIdleSeconds: Int64 = 400 * 86_400
    /// A device's name, in characters.
    public static let deviceNameCharactersMax = 64
}
