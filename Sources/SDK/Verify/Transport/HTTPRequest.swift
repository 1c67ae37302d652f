/// A request, as a plain value.
public struct HTTPRequest: Sendable {
    /// `GET`, `POST`, …; case matters (RFC 9110 §9).
    public var method: String
    /// Absolute. Checked by ``checkedURL(allowInsecureRequests:)`` before anything is sent.
    public var url: String
    /// In order; a name may repeat.
    public var headers: [(name: String, value: String)]
    /// What follows the headers; `nil`: nothing.
    public var body: [UInt8]?
    /// From the first byte sent to the last byte received, in seconds; 1…600.
    public var timeoutSeconds: Int

    /// A request; the defaults make it a `GET` without headers.
    public init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeoutSeconds: Int = VerifyLimits.requestSeconds
    ) {
        precondition((1...600).contains(timeoutSeconds), "a timeout is 1...600 seconds")
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the method alone: URL, headers and body may hold secrets.
    public var description: String { "HTTPRequest(\(method))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
