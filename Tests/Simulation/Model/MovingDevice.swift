/// An honest device with two processes that share no lock, at the server's own rules: it tries again, its answers are
/// lost, a request arrives late and more than once, it uses IPv4 and IPv6 in turn, and it moves. It must never be taken
/// for two holders of a token.
struct MovingDevice: Hashable {
    /// What is assumed of a device that moves.
    enum Assumption: Hashable {
        /// Three times at most it changes its network, or a request is held up until after another one, at any pace.
        case fewTroubles
        /// It moves as often as it likes, renews once a minute at most, and moves between two uses of one token at two
        /// rotations running at most.
        case calmRotations
    }

    /// A request that its sender has given up, and which still arrives.
    struct HeldUp: Hashable {
        var counter: Int64
        let place: Place
    }

    let assumption: Assumption
    /// How many requests the server may still hear. Pauses are free.
    var usesLeft: Int
    /// Moves and requests that are held up; `nil`: as many as it likes.
    var troublesLeft: Int?
    var grant: ShadowedGrant
    var isAtHome = true
    /// The token that each process holds.
    var held: [Int64] = [0, 0]
    var heldUp: HeldUp?
    /// Where the device was at the uses since the last rotation, and at how many rotations running before it moved.
    var places: Set<Bool> = []
    var movedRunning = 0

    init(_ assumption: Assumption, fault: ShadowFault, uses: Int, troubles: Int?) {
        self.assumption = assumption
        usesLeft = uses
        troublesLeft = troubles
        grant = ShadowedGrant(fault: fault)
    }

    var violation: String? { grant.isTold ? "an honest device was taken for two holders" : nil }

    static func next(_ model: MovingDevice) -> [ModelChecker<MovingDevice>.Transition] {
        guard !model.grant.isTold, !model.grant.isEnded, model.usesLeft > 0 else { return [] }
        var steps: [ModelChecker<MovingDevice>.Transition] = []
        func step(_ label: String, _ change: (inout MovingDevice) -> Bool) {
            var next = model
            guard change(&next) else { return }
            next.renumber()
            steps.append(.init(label, next))
        }
        let place: Place = model.isAtHome ? .home : .mobile
        for process in model.held.indices {
            let counter = model.held[process]
            step("process \(process) refreshes, \(place)") { $0.hear(counter, at: place, by: process) }
            step("process \(process) refreshes in vain") { $0.hear(counter, at: place, by: nil) }
            step("process \(process) reads what the other one holds") { $0.read(process) }
        }
        let counter = model.held[0]
        step("process 0 refreshes, \(place.overIPv6)") { $0.hear(counter, at: place.overIPv6, by: 0) }
        if model.heldUp == nil {
            step("a request of process 0 is held up") {
                $0.heldUp = HeldUp(counter: counter, place: place)
                return $0.takesTrouble()
            }
        }
        if let late = model.heldUp {
            step("the request arrives, perhaps again") { $0.hear(late.counter, at: late.place, by: nil) }
        }
        step("the device moves") {
            $0.isAtHome.toggle()
            return $0.takesTrouble()
        }
        step("a minute passes") {
            $0.heldUp = nil
            $0.grant.age()
            return true
        }
        return steps
    }

    private mutating func takesTrouble() -> Bool {
        guard let left = troublesLeft else { return true }
        troublesLeft = left - 1
        return left > 0
    }

    private mutating func read(_ process: Int) -> Bool {
        guard let newest = held.max(), held[process] < newest else { return false }
        held[process] = newest
        return true
    }

    /// - Parameter process: who gets the answer; `nil`: it is lost.
    private mutating func hear(_ presented: Int64, at place: Place, by process: Int?) -> Bool {
        usesLeft -= 1
        guard keepsAssumption(presented, place) else { return false }
        guard let counter = grant.refresh(presented, from: place) else { return true }
        if let process { held[process] = counter }
        return true
    }

    private mutating func keepsAssumption(_ presented: Int64, _ place: Place) -> Bool {
        guard assumption == .calmRotations else { return true }
        if presented == grant.counter {
            if grant.isRecent { return false }
            movedRunning = places.count > 1 ? movedRunning + 1 : 0
            places = [place.isHome]
        } else {
            places.insert(place.isHome)
        }
        return places.count < 2 || movedRunning < 2
    }

    private mutating func renumber() {
        let oldest = (held + [heldUp?.counter ?? grant.counter]).min() ?? 0
        guard oldest != 0 else { return }
        held = held.map { $0 - oldest }
        heldUp?.counter -= oldest
        grant.renumber(from: oldest)
    }
}
