import Foundation
import KeyturnBase
import Testing

@Suite("Base values")
struct ValuesTests {
    @Test(arguments: [0, 1, 2, 3, 4, 31, 32, 33, 255])
    func `base64url has one spelling for each byte string`(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        let text = Base64URL.encode(bytes)
        #expect(Base64URL.decode(text) == bytes)
        #expect(!text.contains("=") && !text.contains("+") && !text.contains("/"))
    }

    @Test(arguments: ["A", "AA=", "AA==", "A A", "AB", "AAB", "AA+A", "AA/A", "AA\n", "é", "AAAAA"])
    func `attack 60: every other spelling is refused`(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `hexadecimal digits are two a byte, in lower case, and are read in either`() {
        let bytes = (0...255).map { UInt8($0) }
        let text = Base16.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Base16.decode(text) == bytes && Base16.decode(text.uppercased()) == bytes)
        for wrong in ["0", "0g", "G0", " 0", "0x", "é0", "+1"] { #expect(Base16.decode(wrong) == nil) }
        #expect(Base16.decode("")?.isEmpty == true)
    }

    @Test func `moments do not overflow`() {
        #expect(UnixTime(rawValue: .max) + 1 == UnixTime(rawValue: .max))
        #expect(UnixTime(rawValue: .min) - 1 == UnixTime(rawValue: .min))
        #expect(UnixTime(rawValue: 10).seconds(since: UnixTime(rawValue: 4)) == 6)
    }

    @Test(arguments: [0, 1_800_000_000, -1, 253_402_300_799] as [Int64])
    func `a moment is the same second as Foundation's date`(_ seconds: Int64) {
        let time = UnixTime(rawValue: seconds)
        #expect(time.date.timeIntervalSince1970 == Double(seconds))
        #expect(UnixTime(time.date) == time && UnixTime(time.date.addingTimeInterval(0.999)) == time)
    }

    @Test func `dates beyond the range are at its ends`() {
        #expect(UnixTime(Date(timeIntervalSince1970: .infinity)) == UnixTime(rawValue: .max))
        #expect(UnixTime(Date(timeIntervalSince1970: -1e300)) == UnixTime(rawValue: .min))
    }

    @Test func `a secret does not print`() {
        let secret = Secret("hunter2")
        #expect("\(secret)" == "«secret»" && String(reflecting: secret) == "«secret»")
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret == Secret("hunter2") && secret != Secret("hunter3") && secret != Secret("hunter"))
    }

    @Test func `an error prints its code alone`() {
        let error = AuthError(.tokenExpired, "exp passed", cause: AuthError(.refused, "inner"))
        #expect("\(error)" == "AuthError(token.expired)")
        #expect(error == AuthError(.tokenExpired, "another detail"))
    }
}
