import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Dates in HTTP, RFC 9110 §5.6.7")
struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Sat, 21 Nov 2026 07:15:18 GMT", 1_795_245_318),
    ])
    func `a date is a moment`(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate.parse(text) == UnixTime(rawValue: seconds))
    }

    @Test(arguments: [
        "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
    ])
    func `anything else is none`(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    static let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")

    @Test(arguments: [
        ([("Retry-After", "30")], 30), ([("Retry-After", "-1")], nil), ([("Retry-After", "99999999")], 3_600),
        ([date, ("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")], 30),
        ([date, ("Retry-After", "Sun, 06 Nov 1994 08:00:00 GMT")], 0),
        ([("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")], nil), ([], nil),
    ])
    func `a pause in seconds or as a date, whatever our clock says`(_ fields: [(String, String)], _ seconds: Int?) {
        #expect(
            Exchange.retryAfter(HTTPResponse(status: 429, headers: fields.map { (name: $0.0, value: $0.1) })) == seconds
        )
    }
}
