/// Every bound of certificate paths and metadata, with its unit and its reason.
public enum AttestationLimits {
    /// Longest metadata blob, in bytes. That of the FIDO Alliance has about seven million.
    public static let metadataBytes = 33_554_432
    /// Most models in one blob. There are some three hundred.
    public static let metadataEntries = 10_000
    /// Deepest nesting of JSON in a blob.
    public static let metadataDepth = 16
    /// Most certificates in the header of a blob.
    public static let headerCertificates = 5
    /// Longest header of a blob, in bytes: its certificates.
    public static let headerBytes = 65_536
}
