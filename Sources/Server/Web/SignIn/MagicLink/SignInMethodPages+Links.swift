internal import HTTPTypes
internal import KeyturnWire
internal import SignIn

extension SignInMethodPages {
    /// A link in a message also stands beside a code; `/link` is the page that every link opens.
    static let magicLink = SignInMethodPages(
        method: MagicLinks.self,
        routes: {
            [
                Route(.get, SignInRoutes.linkPath, open: SignInRoutes.whyLink, isPage: true, handler: $0.showLanding),
                Route(.post, SignInRoutes.linkPath, $0.checks.linkTokenForm, isPage: true, handler: $0.landed),
            ]
        },
        calls: { MagicLinkRoutes(frame: $0).routes })

    /// Three numbered links, and the page that waits for one.
    static let enchantedLink = SignInMethodPages(
        method: EnchantedLinks.self,
        buttons: [
            SignInButton(action: "link", isOffered: { $0.reach.kind != nil }) { try await $0.begin($1, asLink: true) }
        ],
        ways: [
            SignInWay(
                value: "link", place: .first,
                label: {
                    (
                        $0.channel($1.progress) == .sms ? .numberedTextLink : .numberedLink,
                        $1.progress.sent?.destination
                    )
                },
                choose: { try await $0.sentInstead($1, asLink: true) })
        ],
        steps: [
            SignInStepPage(
                step: .link, path: "/login/link",
                show: {
                    try await $2.refusal == nil
                        ? $0.waitForLink($1) : $0.linkSentPage($1, isExpired: false, $2.refusal)
                }
            ) {
                switch try $2.one("action") {
                case "resend": try await $0.sendAgain($1)
                case "code": try $0.typeInstead($1)
                default: .seeOther($0.location($1.transaction))
                }
            }
        ],
        routes: { [Route(.get, SignInRoutes.statusPath, $0.signInOfScript, handler: $0.linkStatus)] },
        calls: { EnchantedLinkRoutes(frame: $0).routes })

    /// The operator's backend sends these links; they are opened like any other.
    static let embeddedLink = SignInMethodPages(method: EmbeddedLinks.self)
}
