import GRDB
import Model
import Testing

@testable import StoreSQL

@Suite("Exporting a project: the list of tables")
struct TransferTableTests {
    /// The columns of each table, from the schema itself; of users also the number of the row.
    private func columns() throws -> [String: Set<String>] {
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { db in
            try Migrations.apply(to: db)
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let rows = try Row.fetchAll(db, sql: "PRAGMA table_info('\(table)')")
                    return (table, Set(rows.map { $0["name"] as String } + (table == "user" ? ["rowid"] : [])))
                })
        }
    }

    @Test func `every table goes along, or stays behind for a reason`() throws {
        let tables = Set(try columns().keys)
        let told = Set(TransferTable.all.map(\.name))
        let leftOut = Set(TransferTable.leftOut.keys)
        #expect(tables.subtracting(told).subtracting(leftOut).sorted() == [])
        #expect(told.union(leftOut).subtracting(tables).sorted() == [], "these are no tables any more")
        #expect(told.isDisjoint(with: leftOut) && told.count == TransferTable.all.count)
        #expect(TransferTable.leftOut.values.allSatisfy { $0.count > 10 })
    }

    @Test func `every column goes along, or stays behind for a reason`() throws {
        let columns = try columns()
        for table in TransferTable.all {
            let told = Set(table.columns.keys).union(table.leftOut.keys)
            #expect(columns[table.name] == told, "\(table.name)")
            #expect(told.count == table.columns.count + table.leftOut.count, "\(table.name): twice")
        }
    }

    @Test func `a column that is sealed or is a digest under a secret is not taken for a plain one`() throws {
        let named = #/sealed|by_secret|by_long_secret|username_digest/#
        for table in TransferTable.all {
            for (column, treatment) in table.columns where column.contains(named) {
                #expect(treatment != .plain, "\(table.name).\(column)")
            }
        }
        // What only opens with the secrets here, with the purpose that it has in the code that writes it.
        let sealed = TransferTable.all.flatMap { table in
            table.columns.compactMap { column, treatment -> String? in
                guard case .sealed(let purpose, _) = treatment else { return nil }
                return "\(table.name).\(column) \(purpose.rawValue)"
            }
        }
        #expect(
            sealed.sorted() == [
                "authenticator.sealed authenticator", "connection.sealed connection",
                "data_key.by_long_secret key-service", "data_key.by_secret key-service",
                "signing_key.sealed signing-key",
            ])
    }

    @Test func `whatever lets in is not in a file without secrets`() {
        let secret = #/hash|digest|sealed|secret|salt/#
        let open = TransferTable.all.filter { $0.need == .always }
        #expect(open.count > 15)
        for table in open {
            for (column, treatment) in table.columns where column.contains(secret) {
                let isHidden = treatment == .secret || treatment == .keyed(.siteUsername)
                #expect(isHidden, "\(table.name).\(column)")
            }
        }
    }

    @Test func `every purpose of a secret is known here: its texts move, or are of the moment`() {
        let moved: Set<ServerSecrets.Purpose> = [
            .signingKey, .connection, .authenticator, .keyService, .recoveryCode, .siteUsername, .refreshToken,
        ]
        // Sealed into addresses, forms and cookies, or computed anew each time.
        let notStored: Set<ServerSecrets.Purpose> = [
            .transaction, .crossSiteRequest, .proofNonce, .passkey, .passkeyDecoy, .deviceSecret, .challenge,
            .signInDispute, .provisioningCursor,
        ]
        // In tables that stay behind.
        let ofTheMoment: Set<ServerSecrets.Purpose> = [
            .message, .oneTimeCode, .userCode, .federation, .providerToken, .ping, .auditCheckpoint, .signalStream,
        ]
        #expect(moved.union(notStored).union(ofTheMoment) == Set(ServerSecrets.Purpose.allCases))
    }

    @Test func `owners, uniques and what is compared are columns, and owners come first`() throws {
        let names = TransferTable.all.map(\.name)
        for (place, table) in TransferTable.all.enumerated() {
            let used = table.uniques.flatMap(\.columns) + table.compared + table.owners.keys
            #expect(Set(used).isSubset(of: table.columns.keys), "\(table.name)")
            for owner in table.owners.values {
                #expect(try #require(names.firstIndex(of: owner)) < place, "\(table.name) belongs to \(owner)")
            }
        }
        let order = CopiedTable.all.map(\.name)
        let places = names.compactMap { order.firstIndex(of: $0) }
        #expect(places.count == names.count)
    }

    @Test func `rows that may meet others are looked up by every unique index`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try Migrations.apply(to: db)
            for table in TransferTable.all {
                for index in try Row.fetchAll(db, sql: "PRAGMA index_list(\"\(table.name)\")") where index["unique"] {
                    let columns = try Row.fetchAll(db, sql: "PRAGMA index_info(\"\(index["name"] as String)\")")
                        .compactMap { $0["name"] as String? }
                    // By owner alone, by the number that is given anew, or by an expression.
                    let isCovered =
                        columns.isEmpty || columns.contains { table.owners[$0] == "user" || table.owners[$0] != nil }
                        || columns.allSatisfy { table.leftOut[$0] != nil } || table.name == "role"
                        || table.uniques.contains { Set($0.columns) == Set(columns) }
                    #expect(isCovered, "\(table.name): \(columns)")
                }
            }
        }
    }
}
