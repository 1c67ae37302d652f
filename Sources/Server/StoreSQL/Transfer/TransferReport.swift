internal import KeyturnBase

/// What an export or an import came to.
package struct TransferReport: Hashable, Sendable {
    package let head: TransferHead
    /// Rows of each table in the file, in the order of the tables.
    package internal(set) var rows: [TableRows] = []
    /// SHA-256 of its lines but the last, in hexadecimal digits.
    package internal(set) var digest = ""
    /// Rows that the secrets of the exporting server did not open.
    package internal(set) var unreadable: [String: Int] = [:]
    /// Signing keys that a token keeps: they cannot be taken out of it.
    package internal(set) var keysElsewhere = 0

    /// Rows that were written, by table; in a trial those that would be.
    package internal(set) var imported: [String: Int] = [:]
    /// Rows that were there already, with the same values.
    package internal(set) var alreadyThere: [String: Int] = [:]
    /// Rows that were left out, because what was there stays.
    package internal(set) var leftOut: [String: Int] = [:]
    /// Rows that are worth nothing without the secrets of the server they come from.
    package internal(set) var keyed: [String: Int] = [:]
    /// The first ones.
    package internal(set) var collisions: [TransferCollision] = []
    package internal(set) var collisionCount = 0
    /// Domains that users' passkeys are for.
    package internal(set) var passkeyDomains: Set<String> = []
    /// Connections that identities come from, but those in the file or the database.
    package internal(set) var missingConnections: Set<String> = []

    /// How many rows a table has.
    package struct TableRows: Hashable, Sendable {
        package let table: String
        package let rows: Int
    }

    package var total: Int { rows.reduce(0) { $0 + $1.rows } }
    package var importedTotal: Int { imported.values.reduce(0, +) }

    init(head: TransferHead) {
        self.head = head
    }

    mutating func add(_ collision: TransferCollision) {
        collisionCount += 1
        if collisions.count < TransferCollision.shownMax { collisions.append(collision) }
    }
}

/// How far an export or an import is.
package struct TransferProgress: Hashable, Sendable {
    /// What is being done.
    package enum Phase: String, Sendable {
        case exporting, checking, importing
    }

    package let phase: Phase
    /// Rows that are done.
    package let rows: Int
    /// How many there are; `nil`: that is not known yet.
    package let total: Int?
}
