internal import Model
internal import Synchronization

/// Connections that read, on the thread that asks: an indexed row takes microseconds, a switch to another thread and back
/// would take longer. There are as many as threads that read at once.
final class SQLiteReaders: Sendable {
    private struct State {
        var idle: [SQLiteConnection] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let open: @Sendable () throws -> SQLiteConnection

    init(open: @escaping @Sendable () throws -> SQLiteConnection) {
        self.open = open
    }

    func read<Value>(_ view: ReadView, _ body: (SQLSession) throws -> Value) throws -> Value {
        let connection = try take()
        defer { put(connection) }
        return try connection.read(view, body)
    }

    private func take() throws -> SQLiteConnection {
        let (isClosed, idle) = state.withLock { state in
            (state.isClosed, state.idle.popLast().map { Handed(connection: $0) })
        }
        if isClosed { throw StoreError(.unavailable) }
        return try idle?.connection ?? open()
    }

    private func put(_ connection: SQLiteConnection) {
        let box = Handed(connection: connection)
        state.withLock { state in
            if !state.isClosed { state.idle.append(box.connection) }
        }
    }

    /// Those that are in use are closed when they are handed back.
    func close() {
        state.withLock { state in (state.idle, state.isClosed) = ([], true) }
    }
}

/// A connection on its way between threads. Unchecked, because a connection is for one thread at a time: the list gives it
/// to one reader, and takes it back when that one has finished.
private struct Handed: @unchecked Sendable {
    let connection: SQLiteConnection
}

extension SQLiteConnection {
    func read<Value>(_ view: ReadView, _ body: (SQLSession) throws -> Value) throws -> Value {
        guard view == .snapshot else { return try body(SQLSession(self)) }
        try control("BEGIN DEFERRED")
        defer { if isInTransaction { try? control("ROLLBACK") } }
        return try body(SQLSession(self))
    }
}
