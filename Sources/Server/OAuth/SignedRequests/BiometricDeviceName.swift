internal import KeyturnBase
internal import Model

/// A device's name, from its own description, for its owner to recognise it. Nothing is decided by it.
struct BiometricDeviceName: Sendable {
    let text: String

    /// Reads the `device_info` of the supported systems' apps; `nil` if it has no name.
    init?(_ info: JSONValue?) {
        guard let info else { return nil }
        let android = [
            info["android"]?["Build"]?["MANUFACTURER"]?.stringValue, info["android"]?["Build"]?["MODEL"]?.stringValue,
        ].compactMap(\.self).joined(separator: " ")
        let names = [
            info["ios"]?["UIDevice"]?["name"]?.stringValue, info["ios"]?["uname"]?["machine"]?.stringValue, android,
            info["linux"]?["name"]?.stringValue, info["macos"]?["name"]?.stringValue,
        ]
        let name = names.compactMap(\.self).first { !$0.isEmpty }
        guard let name, VisibleText.holds(name), name.unicodeScalars.contains(where: Self.isSeen) else { return nil }
        var bounded = String.UnicodeScalarView()
        var marks = 0
        for scalar in name.unicodeScalars.prefix(Limits.deviceNameCharactersMax) {
            // Many marks on one letter would be painted over its neighbours.
            marks = scalar.properties.generalCategory == .nonspacingMark ? marks + 1 : 0
            if marks <= 2 { bounded.append(scalar) }
        }
        text = String(bounded)
    }

    /// Whether it is visible: neither a blank nor one of the letters that look like one.
    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
    }
}
