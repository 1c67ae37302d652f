import Synchronization

/// Statements since the last look.
final class ServerStatements: Sendable {
    private let statements = Mutex<[String]>([])

    func add(_ statement: String) { statements.withLock { $0.append(statement) } }

    func take() -> [String] {
        statements.withLock { statements in
            defer { statements = [] }
            return statements
        }
    }
}
