internal import Model
internal import SignIn

extension MethodSettingsRow {
    /// How users remove a second factor that they lost.
    static let recovery = MethodSettingsRow(
        keys: ["recovery"], scalars: [["recovery", "enabled"], ["recovery", "delay_hours"]]
    ) { project, _, settings in
        settings.recovery = readRecovery(project.section("recovery", keys: ["enabled", "delay_hours"]))
    }

    private static func readRecovery(_ section: Section?) -> RecoverySettings? {
        guard let section else { return RecoverySettings() }
        let limits = ConfigurationLimits.recoveryDelayHours
        let isDevelopment = section.reading.isDevelopment
        let hours = section.integer(
            "delay_hours", within: (isDevelopment ? 0 : limits.lowerBound)...limits.upperBound,
            hint: "To turn it off, write enabled: false.")
        guard section.boolean("enabled") ?? true else {
            if section.has("delay_hours") {
                section.warning(
                    "delay_hours", "nothing waits: enabled is false", "Write enabled: true, or remove delay_hours.")
            }
            return nil
        }
        return hours.map { RecoverySettings(delaySeconds: Int64($0) * 3_600) } ?? RecoverySettings()
    }
}
