internal import KeyturnWire
internal import SignIn

extension SignInMethodPages {
    static let oneTimeCode = SignInMethodPages(
        method: OneTimeCodes.self,
        buttons: [
            SignInButton(action: "code", isOffered: { $0.reach.kind != nil }) {
                try await $0.begin($1, asLink: false)
            }
        ],
        ways: [
            SignInWay(
                value: "code", place: .first,
                label: { ($0.channel($1.progress) == .sms ? .sms : .codeOrLink, $1.progress.sent?.destination) },
                choose: { try await $0.sentInstead($1, asLink: false) })
        ],
        steps: [
            SignInStepPage(step: .code, path: "/login/code", show: { $0.codePage($1, $2.refusal) }) {
                try await $2.one("action") == "resend" ? $0.sendAgain($1) : $0.checkCode($1, $2)
            }
        ],
        calls: { OneTimeCodeRoutes(frame: $0).routes })
}
