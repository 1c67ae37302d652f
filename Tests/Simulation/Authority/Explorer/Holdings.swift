import KeyturnBase
import KeyturnWire
import Model

/// What a person has in hand, beside what is in their head.
struct Holdings: Hashable, Sendable {
    /// Passwords that the person knows: whose they are.
    var passwords: Set<Person> = []
    /// Letters that the person may still read in mailboxes that are not their own, by the mailbox.
    var reads: [Person: Int] = [:]
    /// How often the person still clicks on what a page of a client's request shows.
    var clicks = 0
    /// Sessions of the methods' wire, the oldest first.
    var sessions: [HeldSession] = []
    /// Cookies of this server's pages, the oldest first.
    var cookies: [HeldCookie] = []
    /// What a sign-in waits with for a second factor; the newest alone.
    var pending: HeldPending?
    /// Secrets of authenticator apps, in base32.
    var authenticators: Set<String> = []
    /// Tokens of clients, the oldest first.
    var tokens: [HeldToken] = []
    /// Authorization codes, each with its request.
    var codes: [HeldCode] = []
}

/// What a sign-in waits with for a second factor. Two are the same if they are of one user and moment: the sealed text
/// differs each time, because the members in it have no order.
struct HeldPending: Hashable, Sendable {
    let reference: String
    let user: UserID
    let at: UnixTime

    static func == (one: Self, other: Self) -> Bool { one.user == other.user && one.at == other.at }

    func hash(into hasher: inout Hasher) {
        hasher.combine(user)
        hasher.combine(at)
    }
}

/// A refresh token of the methods' wire. Two are the same if they are of one grant: signatures are random.
struct HeldSession: Hashable, Sendable {
    let token: String
    let grant: GrantID
    let user: UserID

    static func == (one: Self, other: Self) -> Bool { one.grant == other.grant && one.user == other.user }

    func hash(into hasher: inout Hasher) {
        hasher.combine(grant)
        hasher.combine(user)
    }
}

/// A session of a browser.
struct HeldCookie: Hashable, Sendable {
    let cookie: String
    let session: SessionID
    let user: UserID
}

/// The tokens that a client got.
struct HeldToken: Hashable, Sendable {
    let client: String
    let grant: GrantID
    let accessToken: String
    var refreshToken: String?
    let idToken: String?
    let issuedAt: UnixTime

    static func == (one: Self, other: Self) -> Bool {
        one.client == other.client && one.grant == other.grant && one.issuedAt == other.issuedAt
            && (one.refreshToken == nil) == (other.refreshToken == nil)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(client)
        hasher.combine(grant)
        hasher.combine(issuedAt)
        hasher.combine(refreshToken == nil)
    }
}

/// An authorization code on its way.
struct HeldCode: Hashable, Sendable {
    let client: String
    let code: String
    let redirectURI: String
    /// The browser session that it came from.
    let session: SessionID
}

/// A message with a code or a link that was not used yet.
struct Letter: Hashable, Sendable {
    let to: Person
    let kind: MessageKind
    let code: String?
    /// The token of its link.
    let link: String?
}
