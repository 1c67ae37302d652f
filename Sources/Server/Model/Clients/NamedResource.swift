/// A service that access tokens are for, as pages show it.
public struct NamedResource: Hashable, Sendable {
    /// The address that tokens name (`aud`).
    public let uri: String
    /// What the operator calls the service; `nil`: no client of the operator's is that service.
    public let name: String?

    public init(uri: String, name: String? = nil) {
        self.uri = uri
        self.name = name
    }
}
