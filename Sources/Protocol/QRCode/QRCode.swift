internal import CQREncode

/// A QR code (ISO/IEC 18004), made by libqrencode, with error correction level M: a seventh of it may be unreadable.
public struct QRCode: Hashable, Sendable {
    /// Modules on each side, without the quiet zone: 21 to 177.
    public let width: Int
    /// Row by row from the top left; `true` is dark.
    package let modules: [Bool]

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

    /// As an image (SVG 1.1) in black on white, with the quiet zone of four modules that the standard demands.
    public func svg() -> String {
        let side = width + 2 * Self.quietModules
        var path = ""
        for y in 0..<width {
            var x = 0
            while x < width {
                let start = x
                while isDark(x, y) { x += 1 }
                let left = start + Self.quietModules
                if x > start { path += "M\(left) \(y + Self.quietModules)h\(x - start)v1H\(left)z" }
                x += 1
            }
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\""
            + " shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h\(side)v\(side)H0z\"/><path d=\"\(path)\"/></svg>"
    }

    /// The light modules around a code.
    package static let quietModules = 4

    package func isDark(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x < width && y < width && modules[y * width + x]
    }
}
