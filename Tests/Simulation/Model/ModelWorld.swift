import KeyturnBase
import KeyturnWire

@testable import Keyturn

/// What may go wrong, and how often, in one exploration. Everything else is free.
struct Budget: Hashable {
    /// Times that a hundred seconds pass: more than the server's overlap, and enough for an access token to run out.
    var ticks = 0
    /// Requests and answers that are lost.
    var drops = 0
    /// Requests that arrive twice.
    var duplicates = 0
    /// Clients that give up waiting while their request is still on its way.
    var timeouts = 0
    /// Processes that are killed, at any point, and start again.
    var crashes = 0
    /// Waits for the lock that end because its holder does not move.
    var impatience = 0
    /// Renewals that a process wants although its token is good, after a 401.
    var forcedRenewals = 0
    /// Writes that fail.
    var fullDisks = 0
    var signOuts = 0
    var forcedSignOuts = 0
    /// Sign-ins of somebody else over the session.
    var signIns = 0
    /// Refresh tokens copied by a thief, and uses of the copy.
    var thefts = 0
    var thiefUses = 0
    /// Rotations that the database forgets after they were acknowledged.
    var losses = 0
}

/// A mistake that is planted to see whether the exploration finds it.
enum Fault: Hashable {
    case none
    /// The client believes `invalid_grant` without looking whether the store still holds what was refused.
    case noReread
    /// The store replaces whatever is there.
    case noGenerationCheck
    /// The server reads the row and writes it in two steps.
    case noGuardedUpdate
    /// Everybody gets the lock.
    case noLock
    /// A process that was stopped before it sent sends what it had in mind.
    case noDeadline
    /// The server repeats the successor for much longer.
    case wideWindow
    /// The server judges by ``FormerRules``.
    case formerRules
    /// The server takes a token that is newer than its row for a thief's.
    case noAhead
}

/// How the server takes a refresh token that is not the current one.
enum Rotation: Hashable {
    /// As ours does: see ``RefreshRules``.
    case ours
    /// As many others do: refuses it, whatever the reason.
    case strict
}

/// A request for new tokens, or the answer, on its way.
enum Message: Hashable {
    case request(slot: SlotID, grant: Int, counter: Int64)
    /// The server has read the row and not written yet; only with a planted fault.
    case halfDone(slot: SlotID, grant: Int, presented: Int64, copy: Int)
    case answer(slot: SlotID, ModelServer.Answer, grant: Int)

    /// Whether it has arrived, and the server is in the middle of it.
    var isAtServer: Bool {
        if case .halfDone = self { true } else { false }
    }

    var slot: SlotID {
        switch self {
        case .request(let slot, _, _), .halfDone(let slot, _, _, _), .answer(let slot, _, _): slot
        }
    }
}

/// One exchange of one run of one process. The number tells a new exchange from one that was given up.
struct SlotID: Hashable {
    let process: Int
    let slot: Int
    let exchange: Int
}

/// A procedure under way in a process.
struct Slot: Hashable {
    enum Run: Hashable {
        case renewal(Renewal)
        case signOut(SignOut)
        case forcedSignOut(ForcedSignOut)
        case signIn(SignInRecording)
    }

    var run: Run
    /// What it waits for.
    var wanted: StepAction
    /// Exchanges that others began while it had a request in mind and did not send it. When one of them times out, so
    /// much time has passed that its own is held up.
    var outwaits: Set<SlotID> = []
    var isHeldUp = false
    /// The exchange that it waits for, if it has sent one.
    var exchange: Int?
    var hasLock = false
}

extension Slot {
    /// Whether it could go on, and does not: neither the lock nor the network holds it up.
    var isStopped: Bool {
        switch wanted {
        case .lock: false
        case .renew: exchange == nil
        default: true
        }
    }
}

struct Process: Hashable {
    var machine = SessionMachine()
    var slots: [Slot?] = [nil, nil]
    var exchanges = 0
    /// Renewals begun since time passed last; pauses would see to it that there are few.
    var attempts = 0
}

/// Everything: two processes, a store, a network, a server, and a thief.
struct World: Hashable {
    static let start = UnixTime(rawValue: 1_000_000)
    static let tickSeconds: Int64 = 100
    static let lifetimeSeconds: Int64 = 150
    /// With a server whose rules nobody promised, the client waits until a rival cannot be under way any more.
    var client: SessionRecord.Client {
        SessionRecord.Client(
            kind: rotation == .ours ? .keyturn : .openID, issuer: "https://id.example.com", clientID: "app")
    }

    let fault: Fault
    let rotation: Rotation
    var budget: Budget
    var now: Int64 = 0
    var server: ModelServer
    var stored: SessionRecord?
    var lockHolder: (Int, Int)? {
        get { holder.map { ($0 / 2, $0 % 2) } }
        set { holder = newValue.map { $0.0 * 2 + $0.1 } }
    }
    private var holder: Int?
    var processes: [Process]
    var mail: Set<Message> = []
    /// The counter of the copy, and the grant it belongs to.
    var stolen: [Int64?]
    /// What excuses the end of a session.
    var hasSignedOut = false
    var thiefHasActed = false
    /// An honest client repeated a refresh later than the overlap, and more often than the server promises to forgive.
    var hasRepeatedTooOften = false
    /// Tabs of a browser, say, have none.
    let hasLock: Bool
    var lockWasBroken: Bool
    /// Whether a request may arrive after one that was sent later.
    let canOvertake: Bool
    var violation: String?

    /// Somebody has just signed in, and `processCount` processes know.
    init(
        isBound: Bool, rotation: Rotation, hasLock: Bool = true, processCount: Int = 2, canOvertake: Bool = false,
        budget: Budget, fault: Fault
    ) {
        self.fault = fault
        self.hasLock = hasLock
        lockWasBroken = !hasLock
        self.canOvertake = canOvertake
        self.rotation = rotation
        self.budget = budget
        server = ModelServer(isBound: isBound, isLossy: budget.losses > 0)
        processes = Array(repeating: Process(), count: processCount)
        stolen = [nil]
        stored = record(signIn: "a", grant: 0)
        for index in processes.indices {
            processes[index].machine.absorb(.found(record(signIn: "a", grant: 0)), at: moment)
            _ = processes[index].machine.takeChanges()
        }
    }

    var moment: Moment {
        Moment(wall: Self.start + now * Self.tickSeconds, uptime: now * Self.tickSeconds)
    }

    func record(signIn: String, grant: Int) -> SessionRecord {
        SessionRecord(
            generation: Generation(signIn: signIn, number: 1), client: client,
            accessToken: "a\(grant).0@\(now)", obtainedAt: moment.wall,
            expiresAt: moment.wall + Self.lifetimeSeconds, refreshToken: "\(grant).0", idToken: nil, scope: .none,
            keyThumbprint: server.grants[grant].isBound ? "key" : nil)
    }

    /// What the server's answer brings.
    func tokens(_ grant: Int, _ counter: Int64) -> TokenGrant {
        TokenGrant(
            accessToken: "a\(grant).\(counter)@\(now)", expiresInSeconds: Self.lifetimeSeconds,
            refreshToken: "\(grant).\(counter)", idToken: nil, scope: nil)
    }

    /// Grant and counter of a refresh token.
    static func parse(_ token: String?) -> (grant: Int, counter: Int64)? {
        let parts = (token ?? "").split(separator: ".")
        guard parts.count == 2, let grant = Int(parts[0]), let counter = Int64(parts[1]) else { return nil }
        return (grant, counter)
    }
}
