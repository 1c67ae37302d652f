internal import Model
internal import Synchronization

/// Stores in memory over one ``StoreWorld``: no SQL, no files, no clock. Each call is one transaction.
public final class ValueDatabase: Sendable {
    private let state: Mutex<StoreWorld>

    public init(_ world: StoreWorld = StoreWorld()) {
        state = Mutex(world)
    }

    /// Everything that is stored now.
    public var world: StoreWorld { state.withLock { $0 } }

    func read<Value: Sendable>(_ body: (StoreWorld) throws -> Value) throws(StoreError) -> Value {
        try translating {
            try state.withLock { try body($0) }
        }
    }

    /// A transaction: what `body` changed is kept unless it throws.
    func write<Value: Sendable>(_ body: (inout StoreWorld) throws -> Value) throws(StoreError) -> Value {
        try translating {
            try state.withLock { current in
                var world = current
                let value = try body(&world)
                current = world
                return value
            }
        }
    }

    private func translating<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.unavailable, cause: error)
        }
    }
}
