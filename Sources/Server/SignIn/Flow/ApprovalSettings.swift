internal import Model

/// The operator's settings for sign-ins that users approve on another device.
public struct ApprovalSettings: Hashable, Sendable {
    /// How long a request waits for its user, in seconds; ``Limits/approvalSecondsAllowed``.
    public var seconds: Int64

    public init(seconds: Int64 = 180) {
        self.seconds = seconds
    }
}
