/// Finds the name that was probably meant.
enum Suggestion {
    /// The nearest of `candidates`, if it is near enough to be a slip: a third of the letters, at most 3.
    static func nearest(to name: String, among candidates: [String]) -> String? {
        let name = Array(name.lowercased().utf8.prefix(64))
        let allowed = min(3, max(1, name.count / 3))
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = editDistance(name, Array(candidate.lowercased().utf8.prefix(64)))
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// How many insertions, deletions, replacements and swaps of neighbours lead from one to the other
    /// (optimal string alignment).
    static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
