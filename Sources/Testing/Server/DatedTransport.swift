internal import Foundation
package import KeyturnBase
package import KeyturnVerify

/// The way to a server whose time a test holds: its answers are dated by that clock, as a real server's are by its own.
package struct DatedTransport: HTTPTransport {
    let clock: VirtualClock
    /// How far the server's `Date` is off, in seconds.
    var wrongBy: Int64 = 0
    private let inner = URLSessionTransport()

    package init(_ clock: VirtualClock, wrongBy: Int64 = 0) {
        self.clock = clock
        self.wrongBy = wrongBy
    }

    package func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let response = try await inner.send(request)
        let others = response.headers.filter { $0.name.lowercased() != "date" }
        return HTTPResponse(
            status: response.status, headers: others + [("Date", Self.text(clock.now + wrongBy))], body: response.body)
    }

    private static func text(_ time: UnixTime) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(time.rawValue)))
    }
}
