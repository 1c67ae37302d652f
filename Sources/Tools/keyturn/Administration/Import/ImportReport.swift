internal import KeyturnBase
internal import Model

/// What became of the rows: counted, written to the report's file, and the first refusals kept to be shown.
struct ImportReport {
    /// What became of one row.
    struct Entry: Sendable {
        enum Word: String, CaseIterable, Sendable {
            case created, updated, unchanged, refused
        }

        let line: Int
        let word: Word
        let user: UserID?
        /// Why it was refused, or left as it is although it differs.
        let reason: String?

        init(line: Int, word: Word, user: UserID?, reason: String?) {
            self.line = line
            self.word = word
            self.user = user
            self.reason = reason
        }

        init(line: Int, refusal: Refusal) {
            self.line = line
            word = .refused
            user = nil
            reason = "\(refusal)"
        }

        init(line: Int, outcome: UserImport.Outcome) {
            self.line = line
            switch outcome {
            case .created(let id): (word, user, reason) = (.created, id, nil)
            case .updated(let id): (word, user, reason) = (.updated, id, nil)
            case .unchanged(let id): (word, user, reason) = (.unchanged, id, nil)
            case .skipped(let id):
                (word, user, reason) = (.unchanged, id, "the user is there, differs, and was left as is")
            case .refused(let refusal): (word, user, reason) = (.refused, nil, refusal.sentence)
            }
        }

        var json: JSONValue {
            var members: [String: JSONValue] = ["line": .integer(Int64(line)), "outcome": .string(word.rawValue)]
            members["sub"] = user.map { .string($0.rawValue) }
            members["reason"] = reason.map { .string($0) }
            return .object(members)
        }
    }

    private(set) var counts: [Entry.Word: Int] = [:]
    /// The first refusals.
    private(set) var shown: [Entry] = []
    /// The last line that is done; 0 before the first.
    private(set) var lastLine = 0
    private let file: PrivateFile?
    private let onBatch: (ImportReport) -> Void

    /// - Parameters:
    ///   - file: gets one JSON object for each row.
    ///   - onBatch: called after each batch.
    init(file: PrivateFile?, onBatch: @escaping (ImportReport) -> Void = { _ in }) {
        self.file = file
        self.onBatch = onBatch
    }

    var rowCount: Int { counts.values.reduce(0, +) }

    /// Notes a batch that is done.
    mutating func note(_ entries: [Entry]) throws {
        var text: [UInt8] = []
        for entry in entries {
            counts[entry.word, default: 0] += 1
            lastLine = max(lastLine, entry.line)
            if entry.word == .refused, shown.count < ImportLimits.refusalsShownMax { shown.append(entry) }
            if file != nil { text += entry.json.serialized + [UInt8(ascii: "\n")] }
        }
        try file?.write(text)
        onBatch(self)
    }

    /// The counts, for programs.
    func json(isRehearsal: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "rows": .integer(Int64(rowCount)), "last_line": .integer(Int64(lastLine)), "dry_run": .bool(isRehearsal),
        ]
        for word in Entry.Word.allCases { members[word.rawValue] = .integer(Int64(counts[word] ?? 0)) }
        return .object(members)
    }

    /// The counts, for people.
    var text: String {
        Entry.Word.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
    }
}

extension UserImport.Refusal {
    /// What is wrong, and what to do.
    var sentence: String {
        switch self {
        case .differs(let id):
            "user \(id.rawValue) is there and differs. Say --on-conflict update to change it, or skip to leave it."
        case .taken(let kind, let id):
            "its \(kind.rawValue == "username" ? "user name" : kind.rawValue) belongs to user \(id.rawValue). "
                + "Take it out of one of the two."
        case .noTenant: "it names a tenant that is gone. Create it: keyturn tenant create ID"
        case .tooMuch:
            "a user has at most \(Limits.identifiersOfUserMax) login IDs, \(Limits.tenantsOfUserMax) tenants and "
                + "\(Limits.rolesOfUserMax) roles in each. Leave some out."
        case .conflict: "its sub or one of its login IDs belongs to another user. Take it out of one of the two."
        }
    }
}
