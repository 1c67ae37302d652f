import Crypto
import Testing

@testable import OAuth

@Suite("A key of HMAC-SHA-256")
struct MACKeyTests {
    /// RFC 4231 §4.2.
    @Test func `a published code`() {
        let code = MACKey([UInt8](repeating: 0x0B, count: 20)).code(for: Array("Hi There".utf8)[...])
        #expect(
            code == [
                0xB0, 0x34, 0x4C, 0x61, 0xD8, 0xDB, 0x38, 0x53, 0x5C, 0xA8, 0xAF, 0xCE, 0xAF, 0x0B, 0xF1, 0x2B, 0x88,
                0x1D,
                0xC2, 0x00, 0xC9, 0x83, 0x3D, 0xA7, 0x26, 0xE9, 0x37, 0x6C, 0x2E, 0x32, 0xCF, 0xF7,
            ])
    }

    @Test(arguments: [0, 1, 32, 63, 64]) func `the same codes as the library's, for messages of any length`(
        keyBytes: Int
    ) {
        let key = (0..<keyBytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let own = MACKey(key)
        for length in [0, 1, 25, 55, 56, 63, 64, 65, 1000, 25] {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            let expected = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            #expect(own.code(for: message[...]) == Array(expected))
        }
    }
}
