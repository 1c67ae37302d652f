import Authority
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// The settings pages, by a copy of the victim's cookie.
enum PageModels {
    private static let vera = Person.vera.address
    private static let mallory = Person.mallory.address

    /// - Parameter isOld: whether the sign-in was five days ago, of a user with a password; otherwise it is of this
    ///   moment, by the password alone, and the authenticator was set up elsewhere since.
    static func cookie(isOld: Bool, _ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "settings: a cookie" + (isOld ? " of five days ago" : " of one factor"), settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfVera(hasAuthenticator: false)
                try await story.tell(
                    WireActs.sendCode(.vera, .signIn, to: vera), PageActs.signIn(.vera, byCodeIn: .vera))
                story.set { state in
                    state.holdings[.mallory, default: Holdings()].cookies = state.holdings[.vera]?.cookies ?? []
                    // She closes her browser, and signs in anew when she needs to.
                    state.holdings[.vera]?.cookies = []
                }
                if isOld {
                    try await story.tell(TimeActs.pause("five days", seconds: 432_000))
                } else {
                    try await story.tell(WireActs.setUpAuthenticator(.vera))
                }
                return try await story.ended()
            },
            acts: [
                PageActs.setPassword(.mallory), PageActs.addAddress(.mallory, mallory),
                PageActs.makePrimary(.mallory, mallory), PageActs.removeAddress(.mallory, vera),
                PageActs.setUpAuthenticator(.mallory), PageActs.removeAuthenticator(.mallory),
                PageActs.deleteAccount(.mallory), PageActs.endOthers(.mallory),
                WireActs.signInByPassword(.mallory, as: vera, with: .mallory),
                WireActs.sendCode(.mallory, .signIn, to: vera),
                PageActs.signIn(.vera, as: vera, with: .vera), PageActs.setUpAuthenticator(.vera),
                PageActs.setPassword(.vera, knowing: .vera),
                PageActs.endOthers(.vera), PageActs.addAddress(.vera, "vera@home.example"),
                TimeActs.pause("twenty minutes", seconds: 1_200),
            ], depth: (5, 7))
    }
}
