@testable import Web

extension Gallery {
    /// A second factor is lost.
    var lostFactors: [Specimen] {
        func page(_ state: LostFactorPage.State) -> LostFactorPage {
            LostFactorPage(
                form: form("/login/lost"), state: state, delaySeconds: 259_200, projectName: untrusted("Harbour"),
                userName: untrusted("maria@example.test"))
        }
        func step(_ state: LostFactorStepPage.State) -> LostFactorStepPage {
            LostFactorStepPage(form: form("/login/lost/waiting"), state: state)
        }
        func cancel(_ state: RecoveryCancelPage.State) -> RecoveryCancelPage {
            RecoveryCancelPage(form: form("/recovery/cancel"), state: state, projectName: untrusted("Harbour"))
        }
        let addresses: [(method: VerificationMethod, destination: String)] = [
            (.email, untrusted("m****@e******.test")), (.sms, untrusted("+*******67")),
        ]
        let ready = "2026-11-25 06:30 UTC"
        return [
            ("lost-code", page(.code([addresses[0]], nil))), ("lost-code-several", page(.code(addresses, nil))),
            ("lost-code-throttled", page(.code(addresses, .tooManyAttempts(retryAfterSeconds: 600)))),
            ("lost-password", page(.password(nil))), ("lost-password-wrong", page(.password(.wrongPassword))),
            ("lost-password-busy", page(.password(.busy))),
            ("lost-unavailable", page(.unavailable)), ("lost-later", page(.later(seconds: 80_000))),
            ("lost-waiting", step(.waiting(seconds: 259_200, from: ready, until: "2026-12-02 06:30 UTC"))),
            ("lost-removal", step(.removal)),
            ("recovery-cancel", cancel(.live(token: untrusted("token"), secondsAgo: 7_300, from: ready))),
            ("recovery-cancel-gone", cancel(.gone)),
        ]
    }
}
