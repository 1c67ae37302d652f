internal import KeyturnQRCode

extension QRCode {
    /// As a PNG in black and white, with the quiet zone: at least 4 pixels a module.
    func png() -> [UInt8] {
        let side = width + 2 * Self.quietModules
        let scale = max(4, 240 / side)
        var rows: [[UInt8]] = []
        rows.reserveCapacity(side * scale)
        for y in 0..<side {
            // A set bit is white.
            var row = [UInt8](repeating: 0xFF, count: (side * scale + 7) / 8)
            for x in 0..<side where isDark(x - Self.quietModules, y - Self.quietModules) {
                for pixel in x * scale..<(x + 1) * scale { row[pixel / 8] &= ~(0x80 >> UInt8(pixel % 8)) }
            }
            rows.append(contentsOf: repeatElement(row, count: scale))
        }
        return PNG.encode(bitRows: rows, width: side * scale)
    }
}

/// Black-and-white images (PNG, RFC 2083): one bit a pixel, not compressed, since a QR code is a few kilobytes.
///
/// Only for ``TOTPAnswer``: apps make an image of it, and iOS makes none of SVG. Pages take ``QRCode/svg()``.
enum PNG {
    /// - Parameters:
    ///   - bitRows: from the top; eight pixels a byte from the left, a set bit is white.
    ///   - width: in pixels.
    static func encode(bitRows: [[UInt8]], width: Int) -> [UInt8] {
        precondition(bitRows.allSatisfy { $0.count == (width + 7) / 8 }, "every row has the width of the picture")
        // One bit deep, greyscale, standard compression and filters, not interlaced.
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(bitRows.count)) + [1, 0, 0, 0, 0]
        // Each row begins with its filter: none.
        let pixels: [UInt8] = bitRows.flatMap { row -> [UInt8] in [0] + row }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("IDAT", zlib(pixels)) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc32(body))
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let count = min(data.count - start, 0xFFFF)
            let isLast = start + count == data.count
            let length = [UInt8(count & 0xFF), UInt8(count >> 8)]
            result += [isLast ? 1 : 0] + length + length.map { ~$0 } + data[start..<start + count]
            start += count
        } while start < data.count
        return result + bigEndian(adler32(data))
    }

    /// RFC 1950 §8.
    private static func adler32(_ data: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    /// RFC 2083 §15, bit by bit.
    private static func crc32(_ data: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
