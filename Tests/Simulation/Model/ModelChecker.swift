/// Explores every state of a model, stops at the first forbidden one, and shows a shortest way there.
struct ModelChecker<State: Hashable> {
    /// One step of the model: its name, and the state after it.
    struct Transition {
        let label: String
        let state: State

        init(_ label: String, _ state: State) {
            self.label = label
            self.state = state
        }
    }

    /// The result of an exploration.
    struct Report {
        /// How many different states were reached.
        let stateCount: Int
        /// Whether every state was explored; `false` if the bound was hit or a violation ended the search.
        let isComplete: Bool
        /// The problem, and the steps that lead there; `nil` if there is none.
        let violation: (text: String, steps: [String])?
    }

    private let next: (State) -> [Transition]
    private let violation: (State) -> String?

    /// - Parameters:
    ///   - next: Every possible step in a state.
    ///   - violation: The problem of a state; `nil` if there is none.
    init(next: @escaping (State) -> [Transition], violation: @escaping (State) -> String?) {
        self.next = next
        self.violation = violation
    }

    /// Explores from `initial`, at most `bound` states, breadth first: it shows a shortest way to a violation.
    ///
    /// States are compared by two 64-bit hashes: among a million states, the probability that two are confused is less
    /// than one in ten to the twenty-sixth.
    func explore(from initial: State, bound: Int) -> Report {
        var known: Set<Fingerprint> = [Fingerprint(of: initial)]
        var parents: [(parent: Int, label: String)] = [(-1, "start")]
        var frontier: [(state: State, index: Int)] = [(initial, 0)]
        while !frontier.isEmpty {
            var following: [(state: State, index: Int)] = []
            for (state, index) in frontier {
                for transition in next(state) where known.insert(Fingerprint(of: transition.state)).inserted {
                    parents.append((index, transition.label))
                    if let text = violation(transition.state) {
                        let steps = Self.path(to: parents.count - 1, parents)
                        return Report(stateCount: known.count, isComplete: false, violation: (text, steps))
                    }
                    guard known.count < bound else {
                        return Report(stateCount: known.count, isComplete: false, violation: nil)
                    }
                    following.append((transition.state, parents.count - 1))
                }
            }
            frontier = following
        }
        return Report(stateCount: known.count, isComplete: true, violation: nil)
    }

    /// Explores depth first, which holds few states at a time and so needs far less memory. A violation is then
    /// searched again breadth first, for a shortest way to it.
    ///
    /// - Parameter progress: called with the number of states, every million.
    func exploreDeep(from initial: State, bound: Int, progress: (Int) -> Void) -> Report {
        var known: Set<Fingerprint> = [Fingerprint(of: initial)]
        var waiting = [initial]
        while let state = waiting.popLast() {
            for transition in next(state) where known.insert(Fingerprint(of: transition.state)).inserted {
                guard violation(transition.state) == nil else { return explore(from: initial, bound: Int.max) }
                guard known.count < bound else {
                    return Report(stateCount: known.count, isComplete: false, violation: nil)
                }
                if known.count.isMultiple(of: 1_000_000) { progress(known.count) }
                waiting.append(transition.state)
            }
        }
        return Report(stateCount: known.count, isComplete: true, violation: nil)
    }

    private struct Fingerprint: Hashable {
        let first: Int
        let second: Int

        init(of state: State) {
            var one = Hasher()
            one.combine(state)
            var two = one
            two.combine(1)
            first = one.finalize()
            second = two.finalize()
        }
    }

    private static func path(to last: Int, _ parents: [(parent: Int, label: String)]) -> [String] {
        var steps: [String] = []
        var index = last
        while index >= 0 {
            steps.append(parents[index].label)
            index = parents[index].parent
        }
        return steps.reversed()
    }
}
