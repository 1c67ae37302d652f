/// What a server answered, as a plain value.
public struct HTTPResponse: Sendable {
    /// The status code (RFC 9110 §15).
    public let status: Int
    /// In the order received, as far as the transport knows it; a name may repeat.
    public let headers: [(name: String, value: String)]
    /// Complete; empty if there was none.
    public let body: [UInt8]

    /// An answer; for transports and tests.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Every value of the header `name`, joined with `, ` as RFC 9110 §5.3 says; `nil` if it is not there.
    ///
    /// Case does not matter.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.lazy.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the status alone: headers and body may hold secrets.
    public var description: String { "HTTPResponse(\(status))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
