@testable import Web

extension Gallery {
    /// A sign-in is disputed.
    var disputes: [Specimen] {
        func page(_ state: DisputePage.State, hasForm: Bool = true) -> DisputePage {
            DisputePage(
                form: hasForm ? form("/sign-in/dispute") : nil, state: state, projectName: untrusted("Harbour"))
        }
        return [
            ("dispute", page(.live(token: untrusted("token"), signedInAt: "2026-11-25 06:30 UTC"))),
            ("dispute-done", page(.done, hasForm: false)), ("dispute-gone", page(.gone)),
        ]
    }
}
