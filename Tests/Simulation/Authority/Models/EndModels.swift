import Authority
import KeyturnBase
import KeyturnWire
import Model

/// What ends with what: the victim's browser, two apps and a session of the methods' wire.
enum EndModels {
    static func ends(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "ends: sign-outs, and every token afterwards", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfOperators()
                try await story.tellOfClients()
                try await story.tell(
                    ClientActs.authorize(.vera, .init(client: "own", scope: "openid")), ClientActs.redeem(.vera),
                    ClientActs.authorize(.vera, .init(client: "own", scope: "openid offline_access")),
                    ClientActs.redeem(.vera), EndActs.showAll(.vera))
                story.set { $0.holdings[.vera]?.codes = [] }
                return try await story.ended()
            },
            acts: [
                EndActs.signOutInBrowser(.vera), EndActs.revoke(.vera), EndActs.signOutOfApp(.vera, all: false),
                EndActs.signOutOfApp(.vera, all: true), EndActs.endOthers(.vera),
                EndActs.changePassword(.vera, knowing: .vera), ClientActs.endAccess(.vera),
                EndActs.byOperator(.oscar, nil, of: .vera), EndActs.byOperator(.oscar, .disabled, of: .vera),
                EndActs.byOperator(.oscar, .active, of: .vera), ClientActs.refresh(.vera),
                ClientActs.authorize(.vera, .init(client: "own", scope: "openid offline_access")),
                ClientActs.redeem(.vera), WireActs.signInByPassword(.vera, as: Person.vera.address, with: .vera),
                EndActs.showAll(.vera), TimeActs.pause("twenty minutes", seconds: 1_200),
            ], depth: (3, 4))
    }
}
