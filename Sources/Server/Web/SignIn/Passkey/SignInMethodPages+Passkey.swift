internal import HTTPTypes
internal import SignIn

extension SignInMethodPages {
    static let passkey = SignInMethodPages(
        method: UserPasskeys.self,
        buttons: [SignInButton(action: "passkey") { try await $0.checkPasskey($1) }],
        factorButtons: [FactorButton(action: "passkey") { try await $0.checkPasskey($1, $2) }],
        routes: {
            [
                Route(
                    .get, SignInRoutes.offerPath, $0.checks.transactionPage(), isPage: true, handler: $0.showOffer),
                Route(.post, SignInRoutes.offerPath, $0.offerForm, isPage: true, handler: $0.takeOffer),
                Route(
                    .get, SignInRoutes.ceremonyPath,
                    open: "what comes of it is worth nothing without the transaction", isPage: true,
                    handler: $0.showCeremony),
            ]
        },
        calls: { PasskeyRoutes(frame: $0).routes })
}
