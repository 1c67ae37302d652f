import Model

@testable import Web

/// Devices without a keyboard.
extension Gallery {
    var devices: [Specimen] {
        func entry(_ typed: String?, _ problem: DeviceEntryPage.Problem?) -> DeviceEntryPage {
            DeviceEntryPage(
                form: PageForm(action: "/device", transaction: nil, csrf: untrusted("mark")), typed: typed,
                problem: problem
            )
        }
        func question(_ origin: DeviceQuestionPage.Origin, linked: Bool) -> DeviceQuestionPage {
            DeviceQuestionPage(
                form: form("/device/confirm"), clientName: untrusted("Harbour Television"),
                userName: untrusted("Maria Weber"),
                userCode: untrusted("WDJB-MJHT"),
                scopes: ["openid", "profile", "offline_access", untrusted("api.read")],
                resources: [NamedResource(uri: untrusted("https://api.harbour.example"))], secondsAgo: 40,
                origin: origin, policyURI: linked ? untrusted("https://app.example/policy") : nil,
                tosURI: linked ? untrusted("https://app.example/terms") : nil)
        }
        return [
            ("device", entry(nil, nil)), ("device-filled", entry(untrusted("WDJB-MJHT"), nil)),
            ("device-malformed", entry(untrusted("WDJB"), .malformed)),
            ("device-unknown", entry(untrusted("WDJB-MJHT"), .unknown)),
            ("device-expired", entry(untrusted("WDJB-MJHT"), .expired)),
            ("device-throttled", entry(untrusted("WDJB-MJHT"), .tooMany(retryAfterSeconds: 1_800))),
        ]
            + DeviceQuestionPage.Origin.allCases.map {
                ("device-question-\($0)", question($0, linked: $0 == .elsewhere))
            }
            + DeviceDonePage.Kind.allCases.map { ("device-done-\($0)", DeviceDonePage(outcome: $0)) }
    }
}
