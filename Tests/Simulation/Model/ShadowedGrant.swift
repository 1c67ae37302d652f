import enum Model.RefreshRules
import struct Model.RefreshParty
import enum Model.ShadowRules
import KeyturnBase

/// A mistake in how a copy that follows each rotation is found, planted to see whether the exploration finds it.
enum ShadowFault: Hashable {
    case none
    /// Each repetition counts, whoever makes it.
    case countsRetries
    /// A rotation that one party had alone does not begin the count anew.
    case forgetsTheRotationBetween
    /// IPv4 and IPv6 are two networks.
    case twoFamilies
}

/// One grant at the server, judged by its own ``RefreshRules`` and ``ShadowRules``. Time stands still and the past moves
/// away; counters are numbered anew, so that what differs in nothing but them is one state.
struct ShadowedGrant: Hashable {
    private static let now = UnixTime(rawValue: 1_000_000)
    private static let longAgo = now - RefreshRules.overlapSeconds - 1

    let fault: ShadowFault
    var counter: Int64 = 0
    var rotations: [RefreshRules.Rotation] = []
    var lateRepetition: RefreshRules.Rotation?
    var lateRepetitions: Int64 = 0
    var isEnded = false
    var isTold = false
    var refreshedBy = Place.home
    var run: ShadowRules.Run?

    private var row: RefreshRules.Row {
        RefreshRules.Row(
            counter: counter, rotations: rotations, lateRepetition: lateRepetition, lateRepetitions: lateRepetitions)
    }

    /// Whether it was rotated within the last minute.
    var isRecent: Bool { rotations.first.map { $0.time > Self.longAgo } ?? false }

    /// - Returns: the counter of the token that is given; `nil`: the grant is over.
    mutating func refresh(_ presented: Int64, from place: Place) -> Int64? {
        if presented == counter {
            rotate(by: place)
            return counter
        }
        let verdict = RefreshRules.judge(presented: presented, row: row, at: Self.now)
        guard verdict != .replay else {
            isEnded = true
            return nil
        }
        let finding = judge(place, presented)
        if verdict == .forgiveLate {
            lateRepetition = RefreshRules.Rotation(time: Self.now, counter: counter)
            lateRepetitions += 1
        }
        if let finding {
            run = finding.run
            isTold = isTold || finding.isTold
        }
        return counter
    }

    /// As the store keeps it: one entry a second, and those of the last minute.
    private mutating func rotate(by place: Place) {
        let newest = RefreshRules.Rotation(time: Self.now, counter: counter)
        if rotations.first?.time != Self.now { rotations = isRecent ? [newest] + rotations : [newest] }
        counter += 1
        refreshedBy = place
    }

    private func judge(_ place: Place, _ presented: Int64) -> ShadowRules.Finding? {
        func party(_ place: Place) -> RefreshParty {
            let network = fault == .twoFamilies ? place.network.replacing(":", with: "-") : place.network
            return RefreshParty(network: network, client: "Firefox on Linux")
        }
        let nobody = RefreshParty(network: nil, client: "nobody")
        var before = party(refreshedBy)
        var run = run
        switch fault {
        case .countsRetries:
            before = nobody
            run = run.map { .init(given: $0.given, last: party(place), changes: $0.changes) }
        case .forgetsTheRotationBetween:
            run = run.map {
                .init(given: $0.given < counter ? presented : $0.given, last: $0.last, changes: $0.changes)
            }
        case .none, .twoFamilies: break
        }
        return ShadowRules.judge(
            party(place), presented: presented, row,
            ShadowRules.Row(refreshedBy: before, run: run, toldAt: nil), at: Self.now)
    }

    /// A minute and a second pass.
    mutating func age() {
        func aged(_ rotation: RefreshRules.Rotation) -> RefreshRules.Rotation {
            .init(time: Self.longAgo, counter: rotation.counter)
        }
        // All are older than the overlap: the newest one says as much as all of them.
        rotations = rotations.prefix(1).map(aged)
        lateRepetition = lateRepetition.map(aged)
    }

    /// Numbers everything anew, from `oldest` on.
    mutating func renumber(from oldest: Int64) {
        func renumbered(_ rotation: RefreshRules.Rotation) -> RefreshRules.Rotation {
            .init(time: rotation.time, counter: max(-2, rotation.counter - oldest))
        }
        counter -= oldest
        rotations = rotations.map(renumbered)
        lateRepetition = lateRepetition.map(renumbered)
        run = run.map { .init(given: max(-2, $0.given - oldest), last: $0.last, changes: $0.changes) }
    }
}
