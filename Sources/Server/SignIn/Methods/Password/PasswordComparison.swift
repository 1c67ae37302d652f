internal import KeyturnBase
internal import Model

/// Compares a password with a stored hash, and does the same work whatever is stored: the time must not tell which
/// accounts exist, nor which of them were imported.
///
/// Each comparison costs one hash of ours and, for each kind of hash that is stored from elsewhere, the dearest of that
/// kind: what the account's own hash costs less is filled up.
struct PasswordComparison: Sendable {
    let parameters: Argon2Parameters
    /// Of ours, and no password has it.
    let dummyHash: String
    /// The dearest stored hash of each kind.
    let dearest: [HashWork.Family: Int]
    /// Told of each computation; for tests.
    let onWork: (@Sendable (HashWork) -> Void)?

    /// - Parameter salt: for a new hash.
    func verdict(_ password: Secret, _ stored: String?, salt: [UInt8]) -> Passwords.Verdict {
        var spent: [HashWork.Family: [Int]] = [:]
        let isRight = matches(password, stored, &spent)
        guard isRight, let stored else {
            if stored.map(isOurs) != true { computeOurs { _ = Argon2.verify(password, dummyHash) } }
            fill(password, spent)
            return .wrong
        }
        if isOurs(stored) { return .right }
        var fresh = ""
        computeOurs { fresh = Argon2.hash(password, parameters, salt: salt) }
        return .rightAndRehashed(fresh)
    }

    /// Whether `password` is that of `stored`, at its own cost.
    func matches(_ password: Secret, _ stored: String) -> Bool {
        var spent: [HashWork.Family: [Int]] = [:]
        return matches(password, stored, &spent)
    }

    private func isOurs(_ stored: String) -> Bool { Argon2Parameters(encodedHash: stored) == parameters }

    /// - Parameter spent: what was computed for each spelling of the password.
    private func matches(
        _ password: Secret, _ stored: String?, _ spent: inout [HashWork.Family: [Int]]
    ) -> Bool {
        guard let stored else { return false }
        if isOurs(stored) {
            var isRight = false
            computeOurs { isRight = Argon2.verify(password, stored) }
            return isRight
        }
        guard Self.isPossible(password) else { return false }
        if let own = Argon2Parameters(encodedHash: stored) {
            note(own.work, &spent)
            return Argon2.verify(password, stored)
        }
        guard let foreign = try? StoredPasswordHash(stored) else { return false }
        return PasswordForm.spellings(password).contains { spelling in
            if let work = foreign.work { note(work, &spent) }
            return foreign.matches(spelling)
        }
    }

    private func fill(_ password: Secret, _ spent: [HashWork.Family: [Int]]) {
        guard Self.isPossible(password) else { return }
        let spellings = PasswordForm.spellings(password)
        for (family, most) in dearest {
            let own = spent[family] ?? []
            for (index, spelling) in spellings.enumerated() {
                let missing = most - (index < own.count ? own[index] : 0)
                guard missing > 0 else { continue }
                for filler in family.fillers(missing) {
                    if let onWork, let work = filler.work { onWork(work) }
                    _ = filler.matches(spelling)
                }
            }
        }
    }

    private func note(_ work: HashWork, _ spent: inout [HashWork.Family: [Int]]) {
        spent[work.family, default: []].append(work.units)
        onWork?(work)
    }

    private func computeOurs(_ body: () -> Void) {
        onWork?(parameters.work)
        body()
    }

    /// Whether any user can have such a password. C libraries end at a NUL, and HMAC uses NULs at the end for its padding.
    private static func isPossible(_ password: Secret) -> Bool {
        let bytes = password.exposed().utf8
        return !bytes.isEmpty && !bytes.contains(0)
    }
}

extension Argon2Parameters {
    var work: HashWork { HashWork(family: .argon2(lanes: Int(lanes)), units: Int(memoryKiB) * Int(passes)) }
}
