import KeyturnBase
import Model
import StoreValues

/// One state: what the server keeps, what the people have, and what the judge must remember of the past.
struct AuthorityState: Sendable {
    var stores: StoreWorld
    var now: UnixTime
    var holdings: [Person: Holdings] = [:]
    var letters: [Letter] = []
    var past = Past()
    /// How often each act was done.
    var done: [String: Int] = [:]
    /// The accounts as the stores have them; follows from them.
    var accounts: [Account] = []
    /// The ways into the accounts; follows from the rest.
    var ways: [UserID: Set<Possession>] = [:]

    init(stores: StoreWorld, now: UnixTime) {
        self.stores = stores
        self.now = now
    }

    func account(_ user: UserID) -> Account? { accounts.first { $0.user.id == user } }

    /// The account with a login ID.
    func account(named name: String) -> Account? {
        guard let identifier = Identifier(loginID: name) else { return nil }
        return accounts.first { $0.identifiers[identifier] != nil }
    }
}

extension AuthorityState: Hashable {
    static func == (one: Self, other: Self) -> Bool {
        one.now == other.now && one.done == other.done && one.holdings == other.holdings
            && one.letters == other.letters && one.past == other.past && one.compared == other.compared
    }

    /// The stores without connections: they are sealed, and what is sealed has no order. The acts that were done say
    /// what connections there are.
    private var compared: StoreWorld {
        var stores = stores
        stores.connections = [:]
        return stores
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(now)
        hasher.combine(done)
        hasher.combine(holdings)
        hasher.combine(letters)
        hasher.combine(past)
        hasher.combine(compared)
    }
}

/// What only the judge remembers.
struct Past: Hashable, Sendable {
    /// Who made an account.
    var makers: [UserID: Person] = [:]
    /// The roles in the console that an owner gave.
    var consoleRoles: [UserID: String] = [:]
    /// Ways into accounts that the attacker has at the beginning.
    var excused: Set<Possession> = []
    /// What each provider said last of a person's groups; `nil` within: it says nothing of them.
    var groups: [String: Set<String>] = [:]
    /// Roles that an operator gave, by user.
    var givenRoles: [UserID: Set<String>] = [:]
    /// People whom a tenant's directory has deactivated.
    var deactivated: [Person: Set<String>] = [:]
    /// People whom a tenant's directory has removed, until the tenant's provider vouches for them again.
    var removed: [Person: Set<String>] = [:]
    /// Grants that are over, by the rule of what ends with what.
    var endedGrants: Set<GrantID> = []
    /// Tokens of a grant that were issued up to then are over: a sign-out in the browser with an offline grant.
    var endedTokens: [GrantID: UnixTime] = [:]
    /// Browser sessions that are over.
    var endedSessions: Set<SessionID> = []
    /// The grants that clients got, each with the browser session that it came from.
    var clientGrants: [GrantID: ClientGrant] = [:]
    /// What the person agreed to, by client: names of claims.
    var agreed: [String: Set<String>] = [:]

    /// Clients that registered themselves.
    var registered: [String] = []

    struct ClientGrant: Hashable, Sendable {
        let client: String
        let session: SessionID?
        let user: UserID
        /// Whether it lives without the session.
        let isOffline: Bool
    }
}

/// One way of one person into an account.
struct Possession: Hashable, Sendable {
    enum Way: Hashable, Sendable, CustomStringConvertible {
        /// The account's password is this person's.
        case password(Person)
        /// Messages go to the person's mailbox, proved.
        case address(Person)
        /// The account's authenticator app is the person's.
        case authenticator
        /// An identity at a provider, by the connection.
        case identity(String)
        /// A live session of the methods' wire, or a client's.
        case grant(GrantID)
        /// A live session of a browser.
        case browser(SessionID)

        /// Whether it opens new sessions; a session is not one.
        var isWayIn: Bool {
            switch self {
            case .grant, .browser: false
            default: true
            }
        }

        var description: String {
            switch self {
            case .password(let owner): "\(owner.rawValue)'s password"
            case .address(let reader): "\(reader.rawValue)'s mailbox"
            case .authenticator: "an authenticator"
            case .identity(let connection): "an identity at \(connection)"
            case .grant: "a session of an app"
            case .browser: "a session of a browser"
            }
        }
    }

    let person: Person
    let way: Way
}
