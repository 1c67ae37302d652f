internal import CQREncode

/// A QR code (ISO/IEC 18004), made by libqrencode, with error correction level M: a seventh of it may be unreadable.
public struct QRCode: Hashable, Sendable {
    /// Modules on each side, without the quiet zone: 21 to 177.
    public let width: Int
    /// Row by row from the top left; `true` is dark.
    let modules: [Bool]

    /// - Returns: `nil` if `text` is empty, or longer than a code of this level can hold (2331 bytes).
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        // Version 0: the smallest that fits.
        guard !bytes.isEmpty,
            let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        width = unsafe Int(code.pointee.width)
        let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        // The lowest bit is the colour; the others say what a module is for.
        modules = unsafe data.map { $0 & 1 == 1 }
    }

    /// As a PNG in black and white: quiet zone of four modules as the standard demands, at least 4 pixels a module.
    public func png() -> [UInt8] {
        let side = width + 2 * Self.quietModules
        let scale = max(Self.pixelsPerModuleMin, Self.pixelsAimed / side)
        let rowBytes = (side * scale + 7) / 8
        var rows: [[UInt8]] = []
        rows.reserveCapacity(side * scale)
        for y in 0..<side {
            // A set bit is white.
            var row = [UInt8](repeating: 0xFF, count: rowBytes)
            for x in 0..<side where isDark(x - Self.quietModules, y - Self.quietModules) {
                for pixel in x * scale..<(x + 1) * scale { row[pixel / 8] &= ~(0x80 >> UInt8(pixel % 8)) }
            }
            rows.append(contentsOf: repeatElement(row, count: scale))
        }
        return PNG.encode(bitRows: rows, width: side * scale)
    }

    private static let quietModules = 4
    private static let pixelsPerModuleMin = 4
    private static let pixelsAimed = 240

    func isDark(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x < width && y < width && modules[y * width + x]
    }
}
