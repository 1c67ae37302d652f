/// A picture of an operator: SVG that only draws, or PNG.
public struct ThemeLogo: Sendable, Equatable {
    /// What kind of picture it is.
    enum Format: Sendable {
        case svg
        case png

        var contentType: String { self == .svg ? "image/svg+xml" : "image/png" }
        var ending: String { self == .svg ? "svg" : "png" }
    }

    let format: Format
    let bytes: [UInt8]

    /// Largest file, in bytes: every page shows it.
    public static let bytesMax = 64 * 1_024

    /// Checks a picture. What it is follows from its first bytes, not from a name.
    ///
    /// - Throws: ``LogoProblem`` with what is wrong.
    public init(bytes: [UInt8]) throws(LogoProblem) {
        guard bytes.count <= Self.bytesMax else { throw .init("it has \(bytes.count) bytes", .smaller) }
        if PNGCheck.isPNG(bytes) {
            try PNGCheck.check(bytes)
            format = .png
        } else {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw LogoProblem("it is neither PNG nor SVG in UTF-8", .otherFormat)
            }
            try SVGCheck.check(text)
            format = .svg
        }
        self.bytes = bytes
    }
}

/// Why a picture is refused.
public struct LogoProblem: Error, Sendable, Equatable {
    /// What to do about it.
    enum Advice: String, Sendable {
        case smaller = "Use a file of at most 64 KiB."
        case otherFormat = "Export it as SVG in UTF-8, or as PNG."
        case plain = "Export it as plain SVG: only shapes, without scripts, texts of other programs, or references."
        case exportAgain = "Export it again: the file is damaged."
        case fewerPixels = "Use a PNG of at most 2048 by 2048 pixels."
    }

    /// What is wrong, without a final stop.
    public let detail: String
    /// What to do about it, as a whole sentence.
    public let remedy: String

    init(_ detail: String, _ advice: Advice) {
        self.detail = detail
        remedy = advice.rawValue
    }
}

/// Reads the frame of a PNG file, not its pixels (PNG, third edition, §5).
enum PNGCheck {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    private static let pixelsMax = 2_048

    static func isPNG(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    /// - Throws: ``LogoProblem`` if chunks are cut off, or bytes follow the last one.
    static func check(_ bytes: [UInt8]) throws(LogoProblem) {
        let damaged = LogoProblem("it is no whole PNG", .exportAgain)
        var position = signature.count
        var isFirst = true
        while true {
            guard bytes.count - position >= 12 else { throw damaged }
            let length = number(bytes, at: position)
            let name = Array(bytes[(position + 4)..<(position + 8)])
            guard length <= bytes.count - position - 12 else { throw damaged }
            if isFirst {
                guard name == Array("IHDR".utf8), length == 13 else { throw damaged }
                let (width, height) = (number(bytes, at: position + 8), number(bytes, at: position + 12))
                guard (1...pixelsMax).contains(width), (1...pixelsMax).contains(height) else {
                    throw LogoProblem("it has \(width) by \(height) pixels", .fewerPixels)
                }
            }
            isFirst = false
            position += 12 + length
            guard name != Array("IEND".utf8) else { break }
        }
        guard position == bytes.count else { throw LogoProblem("something follows the PNG's end", .exportAgain) }
    }

    private static func number(_ bytes: [UInt8], at position: Int) -> Int {
        bytes[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}
