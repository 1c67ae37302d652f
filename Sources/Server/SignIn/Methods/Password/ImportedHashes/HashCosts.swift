internal import KeyturnBase
public import Model
internal import Synchronization

/// What the stored hashes from elsewhere cost: the dearest of each kind. In memory, because every check of a password
/// asks for it.
///
/// An import is noticed when this is next read (``Limits/hashCostSeconds``). The last user of a kind who signs in, or gets
/// another password, takes its cost away.
public final class HashCosts: Sendable {
    private struct State: Sendable {
        var dearest: [HashWork.Family: Int] = [:]
        /// How often a hash was noted: a reading that began before must not forget it.
        var notes = 0
    }

    private let state = Mutex(State())
    private let store: (any PasswordStore)?
    private let parameters: Argon2Parameters

    /// There are none.
    public convenience init() {
        self.init(nil)
    }

    /// - Parameters:
    ///   - store: has the hashes.
    ///   - parameters: of the server's own hashes, which are none from elsewhere.
    public init(_ store: (any PasswordStore)?, parameters: Argon2Parameters = .standard) {
        self.store = store
        self.parameters = parameters
    }

    var dearest: [HashWork.Family: Int] { state.withLock(\.dearest) }

    /// Reads one hash for each setting that is stored: a kind with its parameters. The index has them in the order of
    /// their text, and a setting is the beginning of a hash.
    ///
    /// A product that varies the rounds from user to user has more settings than are read; then some of them are.
    public func reload() async throws(StoreError) {
        guard let store else { return }
        let notes = state.withLock(\.notes)
        var found: [HashWork.Family: Int] = [:]
        var next = ""
        for _ in 0..<Limits.hashSettingsMax {
            guard let hash = try await store.foreignHash(from: next) else { break }
            add(hash, to: &found)
            next = HashSetting.end(of: hash)
        }
        let dearest = found
        state.withLock { state in
            if state.notes == notes { state.dearest = dearest }
        }
    }

    /// A hash that is about to be stored.
    public func note(_ hash: String) {
        state.withLock { state in
            add(hash, to: &state.dearest)
            state.notes += 1
        }
    }

    private func add(_ hash: String, to costs: inout [HashWork.Family: Int]) {
        let own = Argon2Parameters(encodedHash: hash)
        guard own != parameters, let work = own?.work ?? (try? StoredPasswordHash(hash))?.work else { return }
        costs[work.family] = max(costs[work.family] ?? 0, work.units)
    }
}

/// The beginning of a hash that says how it was made: all such hashes stand behind each other in the order of their text.
enum HashSetting {
    /// A text behind all hashes of the same setting, and before the others that follow.
    static func end(of hash: String) -> String {
        let text = hash[...]
        switch hash {
        case _ where hash.hasPrefix("{"): return after(text.prefix { $0 != "}" } + "}")
        case _ where hash.hasPrefix("$P$") || hash.hasPrefix("$H$"): return after(text.prefix(4))
        case _ where hash.hasPrefix("$5$") || hash.hasPrefix("$6$"): return endOfSHACrypt(text)
        // Two of its parameters stand behind the salt: some of these hashes are read one by one.
        case _ where hash.hasPrefix("scrypt$"): return hash + "!"
        case _ where hash.hasPrefix("$argon2") || hash.hasPrefix("argon2$"):
            guard let memory = text.firstRange(of: "$m="),
                let end = text[memory.upperBound...].firstIndex(of: "$")
            else { return hash + "!" }
            return after(text[...end])
        case _ where hash.hasPrefix("bcrypt"): return after(text, dollars: 4)
        case _ where hash.hasPrefix("pbkdf2_"): return after(text, dollars: 2)
        case _ where hash.hasPrefix("$"): return after(text, dollars: 3)
        default: return hash + "!"
        }
    }

    /// Rounds stand between hashes without them, which have the usual number.
    private static func endOfSHACrypt(_ text: Substring) -> String {
        if text.dropFirst(3).hasPrefix("rounds=") { return after(text, dollars: 3) }
        let rounds = "\(text.prefix(3))rounds="
        return String(text) < rounds ? rounds : after(text.prefix(3))
    }

    private static func after(_ text: Substring, dollars: Int) -> String {
        var left = dollars
        let end = text.firstIndex { character in
            if character == "$" { left -= 1 }
            return left == 0
        }
        return after(end.map { text[...$0] } ?? text)
    }

    /// The first text that does not begin with `prefix`.
    private static func after(_ prefix: some StringProtocol) -> String {
        guard let last = prefix.unicodeScalars.last else { return "" }
        // Hashes are printable ASCII, and end in none of the last characters.
        let next = Unicode.Scalar(UInt8(truncatingIfNeeded: last.value + 1))
        return String(prefix.dropLast()) + String(Character(next))
    }
}
