import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("ES256 from DER")
    struct ES256SignatureTests {
        static let n: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]

        static func der(_ integers: [UInt8]...) -> [UInt8] {
            let body = integers.reduce(into: [UInt8]()) { $0 += [0x02, UInt8($1.count)] + $1 }
            return [0x30, UInt8(body.count)] + body
        }

        @Test func `short and long numbers become 32 bytes`() {
            let zeros = [UInt8](repeating: 0, count: 31)
            #expect(ES256Signature.raw(der: Self.der([1], [0x7F])) == zeros + [1] + zeros + [0x7F])
            #expect(ES256Signature.raw(der: Self.der([0, 0x80], [1])) == zeros + [0x80] + zeros + [1])
            let largest = Array(Self.n.dropLast()) + [0x50]
            #expect(ES256Signature.raw(der: Self.der([0] + largest, [0] + largest)) == largest + largest)
        }

        static let refused: [(String, [UInt8])] = [
            ("nothing", []), ("zero", der([0], [1])), ("zero second", der([1], [0])), ("negative", der([0x80], [1])),
            ("padded", der([0, 1], [1])), ("empty", der([], [1])), ("the order", der([0] + n, [1])),
            ("33 bytes", der([1] + [UInt8](repeating: 0, count: 32), [1])), ("one number", der([1])),
            ("three numbers", der([1], [1], [1])), ("trailing", der([1], [1]) + [0]),
            ("cut", Array(der([1], [1]).dropLast())), ("another type", [0x31] + der([1], [1]).dropFirst()),
            ("long length", [0x30, 0x81, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]),
            ("octet string", [0x30, 0x06, 0x04, 0x01, 0x01, 0x02, 0x01, 0x01]),
            ("integer beyond the end", [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x02, 0x01]),
            ("padded to nothing", [0x30, 0x07, 0x02, 0x02, 0x00, 0x00, 0x02, 0x01, 0x01]),
        ]

        @Test(arguments: refused) func `any other form is refused`(_ name: String, _ bytes: [UInt8]) {
            #expect(ES256Signature.raw(der: bytes) == nil, "\(name)")
        }

        @Test func `no cut or changed byte crashes`() {
            let good = Self.der([0] + [UInt8](repeating: 0xA5, count: 32), [0] + [UInt8](repeating: 0x99, count: 32))
            #expect(ES256Signature.raw(der: good) != nil)
            for index in good.indices {
                #expect(ES256Signature.raw(der: Array(good[..<index])) == nil)
                for byte in [0, 1, 0x20, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = good
                    changed[index] = byte
                    if let raw = ES256Signature.raw(der: changed) { #expect(raw.count == 64) }
                }
            }
        }
    }
}
