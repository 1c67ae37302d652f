internal import Model

/// Reads `key_service`: data keys for devices that are unlocked with a PIN or a touch.
enum KeyServiceReader {
    static let keys = ["enabled", "realms", "unused_days"]

    /// - Parameter isDevelopment: there is a key service unless the file says otherwise.
    static func read(_ section: Section?, isDevelopment: Bool) -> KeyServiceSettings? {
        guard let section else { return isDevelopment ? KeyServiceSettings() : nil }
        let realms = realms(section)
        let unusedDays = section.integer("unused_days", within: ConfigurationLimits.keyUnusedDays)
        guard section.boolean("enabled") ?? isDevelopment else {
            if section.keys.contains(where: { $0 != "enabled" }) {
                section.warning(
                    "enabled", "there is no key service: it is not true", "Write enabled: true, or remove the rest.")
            }
            return nil
        }
        return KeyServiceSettings(realms: realms, unusedDays: unusedDays ?? KeyServiceSettings.standardUnusedDays)
    }

    private static func realms(_ section: Section) -> Set<String>? {
        guard let texts = section.texts("realms", bytesMax: ConfigurationLimits.nameBytesMax) else { return nil }
        if texts.count > ConfigurationLimits.realmsMax {
            section.mistake(
                "realms", "\(texts.count) realms are named",
                "Name up to \(ConfigurationLimits.realmsMax), or remove the key to allow any name.")
        }
        for text in texts where !KeyServiceSettings.isRealm(text.value) {
            section.reading.mistake(
                text.path, at: text.origin, "it is no name of a realm",
                "Use up to \(Limits.realmLengthMax) letters, digits, -, _ and ., the first of them no dot.")
        }
        return Set(texts.map(\.value))
    }
}
