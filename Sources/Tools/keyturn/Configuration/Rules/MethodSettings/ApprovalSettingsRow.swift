internal import Model
internal import SignIn

extension MethodSettingsRow {
    /// Sign-ins that users approve on another device: off unless there is a section.
    static let approval = MethodSettingsRow(
        keys: ["approval"], scalars: [["approval", "enabled"], ["approval", "seconds"]]
    ) { project, _, settings in
        settings.approval = readApproval(project.section("approval", keys: ["enabled", "seconds"]))
    }

    private static func readApproval(_ section: Section?) -> ApprovalSettings? {
        guard let section else { return nil }
        let allowed = Limits.approvalSecondsAllowed
        let seconds = section.integer("seconds", within: Int(allowed.lowerBound)...Int(allowed.upperBound))
        guard section.boolean("enabled") ?? true else { return nil }
        return seconds.map { ApprovalSettings(seconds: Int64($0)) } ?? ApprovalSettings()
    }
}
