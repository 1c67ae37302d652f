internal import CArgon2
internal import Model

/// `$argon2id$v=19$m=…,t=…,p=…$salt$hash` (PHC string format), of any variant, and of version 16 too.
struct Argon2Hash: CheckableHash {
    private let encoded: String
    private let kind: Argon2_type
    let work: HashWork?

    init(_ encoded: String) throws(PasswordHashRefusal) {
        var parts = encoded.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
        switch parts.popFirst() {
        case "argon2id": kind = Argon2_id
        case "argon2i": kind = Argon2_i
        case "argon2d": kind = Argon2_d
        default: throw PasswordHashRefusal(.argon2, .malformed, "no such variant")
        }
        // A hash without version is of version 16.
        if parts.first == "v=19" || parts.first == "v=16" { parts.removeFirst() }
        guard parts.count == 3, let names = parts.popFirst().flatMap({ HashText.numbers($0, names: ["m", "t", "p"]) }),
            let memory = names["m"], let passes = names["t"], let lanes = names["p"],
            let salt = parts.popFirst().flatMap(HashText.base64), (8...64).contains(salt.count),
            parts.popFirst().flatMap(HashText.digest) != nil, lanes >= 1, passes >= 1, memory >= 8 * lanes
        else { throw PasswordHashRefusal(.argon2, .malformed, "not m, t, p, salt and hash") }
        let most = Argon2Parameters.most
        guard memory <= Int(most.memoryKiB), passes <= Int(most.passes), lanes <= Int(most.lanes) else {
            throw PasswordHashRefusal(
                .argon2, .tooExpensive,
                "m=\(memory),t=\(passes),p=\(lanes) is beyond m=\(most.memoryKiB),t=\(most.passes),p=\(most.lanes)")
        }
        self.encoded = encoded
        work = HashWork(family: .argon2(lanes: lanes), units: memory * passes)
    }

    func matches(_ password: [UInt8]) -> Bool {
        unsafe argon2_verify(encoded, password, password.count, kind) == ARGON2_OK.rawValue
    }
}
