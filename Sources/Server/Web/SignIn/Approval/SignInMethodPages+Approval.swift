internal import HTTPTypes
internal import Identity
internal import KeyturnWire
internal import SignIn

extension SignInMethodPages {
    /// The number, and the page that waits until the user has typed it on another device.
    static let approval = SignInMethodPages(
        method: Approvals.self,
        buttons: [
            SignInButton(action: "approval", isOffered: { $0.services.methods.offers(Approvals.self) }) {
                try await $0.askForApproval($1)
            }
        ],
        ways: [
            SignInWay(
                value: "approval", place: .first, label: { _, _ in (.otherDevice, nil) },
                choose: { try await $0.approvalInstead($1) })
        ],
        steps: [
            SignInStepPage(
                step: .approval, path: "/login/approval",
                show: { try await $2.refusal == nil ? $0.waitForApproval($1) : $0.approvalPage($1, isOver: true) }
            ) {
                try await $2.one("action") == "again" ? $0.approvalInstead($1) : .seeOther($0.location($1.transaction))
            }
        ],
        routes: { [Route(.get, SignInRoutes.approvalStatusPath, $0.signInOfScript, handler: $0.approvalStatus)] })
}
