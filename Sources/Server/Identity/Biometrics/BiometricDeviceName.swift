internal import KeyturnBase

/// What a device that says everything about itself is called, for its owner, who wants to recognise it. Nothing is decided
/// by it.
struct BiometricDeviceName: Sendable {
    let text: String

    /// Reads what apps of the known systems send (`device_info`); `nil` if no name can be found in it.
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
        guard let name, VisibleText.holds(name) else { return nil }
        text = String(name.prefix(Limits.deviceNameCharactersMax))
    }
}
