import Foundation
import KeyturnBase
import SignIn

/// How many password checks a second all cores make when nothing else happens: the limit of sign-ins.
@main
struct HashBenchmark {
    static let seconds = 4.0

    static func main() async throws {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let passwords = Passwords(pool: HashingPool(threads: threads), ambient: .live)
        let hash = try await passwords.hash(Secret("correct-horse-battery"))
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now - start < .seconds(seconds) {
                        _ = try await passwords.check(Secret("correct-horse-battery"), against: hash)
                        count += 1
                    }
                    return count
                }
            }
            var total = 0
            for try await count in group { total += count }
            return total
        }
        print(Int(Double(count) / seconds))
    }
}
