internal import Foundation

/// The same colour, lighter or darker: hue and saturation as the eye sees them stay, by Oklab.
struct LightnessSteps {
    private let lightness: Double
    private let a: Double
    private let b: Double
    private let start: HexColor

    /// From black to white.
    private static let count = 1_000

    init(_ color: HexColor) {
        start = color
        let (red, green, blue) =
            (HexColor.linear(color.red), HexColor.linear(color.green), HexColor.linear(color.blue))
        let long = cbrt(0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue)
        let medium = cbrt(0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue)
        let short = cbrt(0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue)
        lightness = 0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short
        a = 1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short
        b = 0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short
    }

    /// The nearest that is good, of those that are lighter or darker; `nil` if none is, not even black or white.
    func nearest(where isGood: (HexColor) -> Bool) -> HexColor? {
        if isGood(start) { return start }
        for step in 1...Self.count {
            let distance = Double(step) / Double(Self.count)
            for target in [lightness - distance, lightness + distance]
            where target > -1 / Double(Self.count) && target < 1 + 1 / Double(Self.count) {
                let color = color(min(max(target, 0), 1))
                if isGood(color) { return color }
            }
        }
        return nil
    }

    /// With that lightness, and as much of the saturation as sRGB has there.
    private func color(_ lightness: Double) -> HexColor {
        var (least, most) = (0.0, 1.0)
        if let whole = color(lightness, saturation: 1) { return whole }
        for _ in 0..<12 {
            let middle = (least + most) / 2
            if color(lightness, saturation: middle) == nil { most = middle } else { least = middle }
        }
        return color(lightness, saturation: least) ?? (lightness > 0.5 ? .white : .black)
    }

    /// `nil` if sRGB has no such colour.
    private func color(_ lightness: Double, saturation: Double) -> HexColor? {
        let (a, b) = (a * saturation, b * saturation)
        let long = pow(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b, 3)
        let medium = pow(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b, 3)
        let short = pow(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b, 3)
        let channels = [
            4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
            -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
            -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
        ]
        // Rounding to whole channels swallows a thousandth.
        guard channels.allSatisfy({ $0 > -0.001 && $0 < 1.001 }) else { return nil }
        let bytes = channels.map { linear -> UInt8 in
            let value = min(max(linear, 0), 1)
            let encoded = value <= 0.003_130_8 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
            return UInt8((encoded * 255).rounded())
        }
        return HexColor(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}
