internal import Crypto
public import KeyturnBase

/// Checks that a ``ReplayStore`` keeps its promises. Call it in the tests of a store of your own.
public enum ReplayStoreConformance {
    /// What a store does wrong, each as one sentence; empty if nothing was found. Writes some hundred names.
    ///
    /// - Parameters:
    ///   - openings: The same store, opened once for each backend that would.
    ///   - now: A moment after the store began to exist.
    /// - Throws: What the store throws.
    public static func violations(
        of openings: [any ReplayStore], at now: UnixTime
    ) async throws(AuthError) -> [String] {
        guard let first = openings.first, let last = openings.last else { return ["there is no store to check"] }
        var violations: [String] = []
        let until = now + 60
        for number in 0..<20 {
            let name = name("kept \(number)", now)
            if try await first.admit(name, evidence: now, until: until, at: now) != .admitted {
                violations.append("a new name is not admitted")
            }
            for (store, moment) in [(first, now), (last, now), (last, until - 1)]
            where try await store.admit(name, evidence: now, until: until, at: moment) != .replayed {
                violations.append("a known name is not replayed \(moment.seconds(since: now)) seconds later")
            }
        }
        let pair = name("case", now)
        for name in [pair, swappingCase(pair)]
        where try await first.admit(name, evidence: now, until: until, at: now) != .admitted {
            violations.append("names that differ in case are taken for one")
        }
        var most = 0
        var least = Int.max
        for round in 0..<10 {
            let admitted = try await race(openings, name("race \(round)", now), until: until, at: now)
            (most, least) = (max(most, admitted), min(least, admitted))
        }
        if most > 1 { violations.append("of 40 calls at one time \(most) were admitted") }
        if least < 1 { violations.append("of 40 calls at one time none was admitted") }
        if try await first.admit(name("old", now), evidence: UnixTime(rawValue: 0), until: until, at: now) != .tooOld {
            violations.append("a name from before the store is not too old")
        }
        return Array(Set(violations)).sorted()
    }

    private static func name(_ text: String, _ now: UnixTime) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array("\(text) \(now.rawValue)".utf8))))
    }

    private static func swappingCase(_ name: String) -> String {
        String(name.map { $0.isUppercase ? Character($0.lowercased()) : Character($0.uppercased()) })
    }

    private static func race(
        _ openings: [any ReplayStore], _ name: String, until: UnixTime, at now: UnixTime
    ) async throws(AuthError) -> Int {
        let outcomes = await withTaskGroup(of: Result<ReplayAdmission, AuthError>.self) { group in
            for number in 0..<40 {
                let store = openings[number % openings.count]
                group.addTask {
                    do throws(AuthError) {
                        return .success(try await store.admit(name, evidence: now, until: until, at: now))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var admitted = 0
        for outcome in outcomes where try outcome.get() == .admitted { admitted += 1 }
        return admitted
    }
}
