internal import KeyturnBase
internal import Foundation

/// An opaque sRGB colour, written as `#rrggbb`.
public struct HexColor: Hashable, Sendable {
    /// The red channel, 0 to 255.
    public let red: UInt8
    /// The green channel, 0 to 255.
    public let green: UInt8
    /// The blue channel, 0 to 255.
    public let blue: UInt8

    /// A colour of its channels, 0 to 255 each.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `#rrggbb` or `#rgb`, in any case; `nil` if it is something else.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst().map(Self.digit)
        guard text.utf8.first == UInt8(ascii: "#"), [3, 6].contains(digits.count), digits.allSatisfy({ $0 != nil })
        else { return nil }
        let values = digits.compactMap(\.self)
        let channels =
            values.count == 3
            ? values.map { $0 * 17 } : stride(from: 0, to: 6, by: 2).map { values[$0] * 16 + values[$0 + 1] }
        self.init(red: channels[0], green: channels[1], blue: channels[2])
    }

    static let white = HexColor(red: 255, green: 255, blue: 255)
    static let black = HexColor(red: 0, green: 0, blue: 0)

    /// `#rrggbb`, in lower case.
    public var text: String {
        "#" + Base16.encode([red, green, blue])
    }

    /// Relative luminance, 0 to 1 (WCAG 2.2, definition of relative luminance).
    public var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// The contrast ratio, 1 to 21, the same in both directions (WCAG 2.2, definition of contrast ratio).
    public func contrast(with other: HexColor) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// The colour that is seen where this one covers another in part.
    ///
    /// - Parameter share: how much of this one is seen, 0 to 1.
    func covering(_ other: HexColor, share: Double) -> HexColor {
        func channel(_ own: UInt8, _ beneath: UInt8) -> UInt8 {
            UInt8((Double(own) * share + Double(beneath) * (1 - share)).rounded())
        }
        return HexColor(
            red: channel(red, other.red), green: channel(green, other.green), blue: channel(blue, other.blue))
    }

    /// A channel without the transfer function of sRGB, 0 to 1.
    static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
