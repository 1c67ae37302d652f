internal import Model

/// A table whose rows go into an export of a project, and what becomes of each of its columns.
struct TransferTable: Sendable {
    /// When the rows go into an export.
    enum Need: Sendable {
        case always
        /// Not into one that is not encrypted.
        case secrets
        /// Only if sessions were asked for.
        case sessions
        /// Only if signing keys were asked for.
        case signingKeys
    }

    let name: String
    let need: Need
    let columns: [String: TransferColumn]
    /// Columns that stay behind, each with the reason. They get their default at the other end.
    let leftOut: [String: String]
    /// What no two rows of a database share. The first one says which row is the same in another database. Empty: rows
    /// meet others only if their owners do.
    let uniques: [TransferUnique]
    /// The tables that rows belong to, by the column that names the row there. A row without its owner stays behind.
    let owners: [String: String]
    /// A row that is there already is no collision if these are equal. Empty: it always is one.
    let compared: [String]
    /// The rows are worth nothing without the secrets that this was derived from.
    let keyedBy: ServerSecrets.Purpose?
    /// Which rows go along; `nil`: all.
    let condition: TransferCondition?

    /// - Parameters:
    ///   - plain: the columns that go along as they are, with spaces between them.
    ///   - special: the others that go along.
    init(
        _ name: String, _ plain: String, _ special: [String: TransferColumn] = [:], need: Need = .always,
        leftOut: [String: String] = [:], uniques: [TransferUnique] = [], owners: [String: String] = [:],
        compared: String = "", keyedBy: ServerSecrets.Purpose? = nil, condition: TransferCondition? = nil
    ) {
        self.name = name
        self.need = need
        columns = special.merging(Self.words(plain).map { ($0, .plain) }) { _, _ in
            preconditionFailure("a column of \(name) is named twice")
        }
        self.leftOut = leftOut
        self.uniques = uniques
        self.owners = owners
        self.compared = Self.words(compared)
        self.keyedBy = keyedBy
        self.condition = condition
    }

    static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The same table as a copy sees it.
    var copied: CopiedTable {
        guard let table = CopiedTable.all.first(where: { $0.name == name }) else {
            preconditionFailure("\(name) is no table")
        }
        return table
    }
}

/// What becomes of a column on its way.
enum TransferColumn: Hashable, Sendable {
    /// It goes along as it is.
    case plain
    /// The same, but not into an export without secrets: there it is null, or empty if it must not be null.
    case secret
    /// Opened with the secrets here, and sealed with those at the other end.
    case sealed(ServerSecrets.Purpose, TransferSealContext)
    /// A digest under the server's secrets, after four bytes that name the secret. Null where that is not known.
    case keyed(ServerSecrets.Purpose)
    /// The number of a row of this table. It becomes a higher one where rows are there already.
    case number(of: String)
    /// The identifier of a role; a list of them; an object of lists. They become those of the roles that are there
    /// under the same names.
    case role, roles, rolesByTenant
    /// A time at which something begins or ends to sign: not later than the import, so that the key signs nothing more.
    case retired
    /// Whether a configuration file made it: not at the other end.
    case unmanaged
}

/// What is authenticated with a sealed column.
enum TransferSealContext: Hashable, Sendable {
    /// The bytes of the column `id`.
    case id
    /// Name and realm of a data key, with the kind of its wrap.
    case dataKey(DataKeyWraps.Kind)
}

/// Columns that no two rows of a table share.
struct TransferUnique: Sendable {
    let columns: [String]
    /// The values of a column for which that holds; `nil`: always.
    let condition: TransferCondition?

    init(_ columns: String, if condition: TransferCondition? = nil) {
        self.columns = TransferTable.words(columns)
        self.condition = condition
    }
}

/// Which values a column has.
struct TransferCondition: Sendable {
    let column: String
    /// `nil`: any but null.
    let values: [CopiedValue]?

    /// A column with a value.
    static func present(_ column: String) -> TransferCondition {
        TransferCondition(column: column, values: nil)
    }

    static func texts(_ column: String, _ texts: String...) -> TransferCondition {
        TransferCondition(column: column, values: texts.map { .text($0) })
    }

    static func flag(_ column: String) -> TransferCondition {
        TransferCondition(column: column, values: [.integer(1)])
    }
}
