import Model

@testable import Web

/// Sign-ins on other devices that wait for approval.
extension Gallery {
    var approvals: [Specimen] {
        func item(_ number: Int, message: String?, isSession: Bool = false) -> SettingsApprovalsPage.Item {
            SettingsApprovalsPage.Item(
                id: untrusted("r\(number)"), clientName: untrusted("Harbour Till"), message: message,
                scopes: ["openid", "profile", untrusted("api.read")],
                resources: [NamedResource(uri: untrusted("https://api.harbour.example"))],
                network: number == 0 ? untrusted("192.0.2.1") : nil,
                device: isSession ? untrusted("Firefox on Linux") : nil, isSession: isSession, secondsAgo: 40)
        }
        func page(
            _ items: [SettingsApprovalsPage.Item], _ notice: SettingsApprovalsPage.Notice? = nil,
            _ problem: SettingsApprovalsPage.Problem? = nil
        ) -> SettingsApprovalsPage {
            SettingsApprovalsPage(
                form: form("/settings/approvals"), settingsUser: settingsUser, items: items, notice: notice,
                problem: problem)
        }
        func waiting(_ number: String?) -> ApprovalPage {
            ApprovalPage(
                form: form("/login/approval"), number: number.map(untrusted), pollURI: untrusted("/poll"),
                settingsURI: untrusted("https://id.example.test/settings/approvals"))
        }
        let one = item(0, message: untrusted("Till 4"))
        return [
            ("settings-approvals", page([one])), ("settings-approvals-none", page([])),
            ("settings-approvals-session", page([item(0, message: nil, isSession: true)])),
            ("approval", waiting("42")), ("approval-over", waiting(nil)),
            ("settings-approvals-two", page([one, item(1, message: nil)])),
        ]
            + SettingsApprovalsPage.Notice.allCases.map { ("settings-approvals-\($0)", page([], $0)) }
            + SettingsApprovalsPage.Problem.allCases.map { ("settings-approvals-\($0)", page([one], nil, $0)) }
    }
}
