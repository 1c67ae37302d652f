import KeyturnBase

@testable import StoreSQL

/// A copy that is stopped.
struct Stop: Error {}

extension DatabaseSide {
    @discardableResult
    func copy(
        to target: DatabaseSide, batchRows: Int = 4, onProgress: @escaping (CopyProgress) throws -> Void = { _ in }
    ) throws -> CopyReport {
        try DatabaseCopy(from: self, to: target, batchRows: batchRows, onProgress: onProgress).run()
    }

    func comparison(with target: DatabaseSide) throws -> CopyReport {
        try DatabaseCopy(from: self, to: target, batchRows: 3) { _ in }.compare()
    }
}

extension PostgreSQLSandbox {
    func side() throws -> DatabaseSide { .postgreSQL(Secret(try address())) }
}
