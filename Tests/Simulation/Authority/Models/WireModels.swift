import Authority
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// The methods' wire, with attackers of several means.
enum WireModels {
    private typealias Wire = WireActs
    private static let vera = Person.vera.address
    private static let mallory = Person.mallory.address

    /// There are no accounts. The attacker knows the victim's address; she signs up as users do, and opens a link that
    /// she did not ask for.
    static func newcomer(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "wire: an address of another person" + settings.shown, settings: settings,
            start: { server in
                var story = Story(server)
                return try await story.ended()
            },
            acts: [
                Wire.signUpByPassword(.mallory, as: vera),
                Wire.signUpByPassword(.mallory, as: mallory, contact: vera),
                Wire.signUpByPassword(.mallory, as: "vera", contact: vera, named: vera),
                Wire.signUpByAuthenticator(.mallory, as: vera),
                Wire.sendCode(.mallory, .signUp(SignUpDetails(email: vera)), to: mallory),
                Wire.enterCode(.mallory, of: .mallory, as: mallory, in: nil),
                Wire.sendLink(.mallory, .signUpOrIn, to: vera), Wire.resetPassword(.mallory, of: vera),
                // An address of one's own beside the one that is only claimed.
                Wire.updateAddress(.mallory, to: mallory), Wire.enterCode(.mallory, of: .mallory, as: vera, in: 0),
                Wire.updateAddress(.mallory, to: vera, byLink: true),
                Wire.updateAddress(.mallory, to: vera, byLink: true, adds: false),
                Wire.updateAddress(.mallory, to: vera, merges: true),
                Wire.updatePassword(.mallory), Wire.setUpAuthenticator(.mallory),
                Wire.signInByPassword(.mallory, as: vera, with: .mallory),
                Wire.useAuthenticator(.mallory, as: vera, .alone), Wire.refresh(.mallory),
                Wire.sendCode(.vera, .signUpOrIn, to: vera), Wire.enterCode(.vera, of: .vera, as: vera, in: nil),
                Wire.openLink(.vera, of: .vera, in: nil), Wire.updatePassword(.vera),
                Wire.signUpByPassword(.vera, as: vera), Wire.signInByPassword(.vera, as: vera, with: .vera),
            ], depth: (3, 4))
    }

    /// The victim has a password and an authenticator; the attacker knows the password.
    static func password(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "wire: a password", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfVera(hasAuthenticator: true)
                story.set { $0.holdings[.mallory, default: Holdings()].passwords = [.vera] }
                return try await story.ended()
            },
            acts: [
                Wire.signInByPassword(.mallory, as: vera, with: .vera),
                Wire.replacePassword(.mallory, of: .vera, as: vera),
                Wire.signInByPassword(.mallory, as: vera, with: .mallory),
                Wire.updatePassword(.mallory), Wire.setUpAuthenticator(.mallory),
                Wire.useAuthenticator(.mallory, as: vera, .completing),
                Wire.useAuthenticator(.mallory, as: vera, .raising),
                Wire.updateAddress(.mallory, to: mallory), Wire.enterCode(.mallory, of: .mallory, as: vera, in: 0),
                Wire.signUpByPassword(.mallory, as: mallory),
                Wire.signUpByAuthenticator(.mallory, as: mallory), Wire.refresh(.mallory),
                Wire.signInByPassword(.vera, as: vera, with: .vera),
                Wire.useAuthenticator(.vera, as: vera, .completing), Wire.updatePassword(.vera),
                Wire.signOut(.vera, all: true), TimeActs.pause("twenty minutes", seconds: 1_200),
            ], depth: (3, 5))
    }

    /// The victim has a password and an authenticator; the attacker has an account, and reads one letter of hers.
    static func mailbox(_ settings: AuthoritySettings = AuthoritySettings()) -> AuthorityModel {
        AuthorityModel(
            name: "wire: a mailbox for one read", settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfVera(hasAuthenticator: true)
                try await story.tellOfMallory()
                story.set { $0.holdings[.mallory, default: Holdings()].reads = [.vera: 1] }
                return try await story.ended()
            },
            acts: [
                Wire.sendCode(.mallory, .signIn, to: vera), Wire.sendLink(.mallory, .signIn, to: vera),
                Wire.resetPassword(.mallory, of: vera), Wire.enterCode(.mallory, of: .vera, as: vera, in: nil),
                Wire.openLink(.mallory, of: .vera, in: nil),
                Wire.updateAddress(.mallory, to: vera), Wire.updateAddress(.mallory, to: vera, merges: true),
                Wire.updateAddress(.mallory, to: vera, adds: false),
                Wire.updateAddress(.mallory, to: vera, byLink: true, merges: true),
                Wire.enterCode(.mallory, of: .vera, as: nil, in: 0), Wire.openLink(.mallory, of: .vera, in: 0),
                Wire.updatePassword(.mallory), Wire.setUpAuthenticator(.mallory),
                Wire.useAuthenticator(.mallory, as: vera, .completing),
                Wire.signInByPassword(.vera, as: vera, with: .vera),
                Wire.useAuthenticator(.vera, as: vera, .completing), Wire.signOut(.vera, all: true),
            ], depth: (3, 4),
            idle: ["mallory: totp/verify \(vera), completing"])
    }

    /// The attacker has a copy of a refresh token of the victim's, five days old.
    static func oldSession(hasAuthenticator: Bool, _ settings: AuthoritySettings = AuthoritySettings())
        -> AuthorityModel
    {
        AuthorityModel(
            name: "wire: an old refresh token" + (hasAuthenticator ? ", and an authenticator" : ""), settings: settings,
            start: { server in
                var story = Story(server)
                try await story.tellOfVera(hasAuthenticator: false)
                if hasAuthenticator { try await story.tell(WireActs.setUpAuthenticator(.vera)) }
                // The one before the authenticator is in use, in another of her apps.
                story.set { state in
                    state.holdings[.mallory, default: Holdings()].sessions =
                        Array(state.holdings[.vera]?.sessions.prefix(1) ?? [])
                }
                try await story.tell(TimeActs.pause("five days", seconds: 432_000))
                return try await story.ended()
            },
            acts: [
                Wire.updatePassword(.mallory), Wire.setUpAuthenticator(.mallory), Wire.refresh(.mallory),
                Wire.updateAddress(.mallory, to: mallory), Wire.updateAddress(.mallory, to: mallory, byLink: true),
                Wire.updateAddress(.mallory, to: mallory, merges: true),
                Wire.enterCode(.mallory, of: .mallory, as: vera, in: 0), Wire.openLink(.mallory, of: .mallory, in: 0),
                Wire.useAuthenticator(.mallory, as: vera, .raising), Wire.signUpByPassword(.mallory, as: mallory),
                Wire.signUpByAuthenticator(.mallory, as: "mallory"), Wire.signOut(.mallory, all: true),
                Wire.signInByPassword(.vera, as: vera, with: .vera), Wire.updatePassword(.vera),
                Wire.setUpAuthenticator(.vera), Wire.signOut(.vera, all: true),
            ], depth: (3, 5))
    }
}

extension Story {
    /// The victim has an account: a proved address, a password, a session; perhaps an authenticator.
    mutating func tellOfVera(hasAuthenticator: Bool) async throws {
        let vera = Person.vera.address
        try await tell(
            WireActs.sendCode(.vera, .signUpOrIn, to: vera), WireActs.enterCode(.vera, of: .vera, as: vera, in: nil),
            WireActs.updatePassword(.vera))
        if hasAuthenticator { try await tell(WireActs.setUpAuthenticator(.vera)) }
    }

    /// The attacker has an account too.
    mutating func tellOfMallory() async throws {
        let mallory = Person.mallory.address
        try await tell(
            WireActs.sendCode(.mallory, .signUpOrIn, to: mallory),
            WireActs.enterCode(.mallory, of: .mallory, as: mallory, in: nil))
    }
}
